"""Finds facts that are lost at the next ply: nothing says that they stay, as beginners expect them to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, final

from gdl.checker.diagnostic import Diagnostic
from gdl.checker.view import View
from gdl.errors import GdlError
from gdl.language.rules import Literal, Rule, Signature, unify, variables_of
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.budget import DerivationBudget
from gdl.terms import Constant, Function, Term, Variable, name_key, shape_of

_TRUE: Final[Signature] = ("true", 1)
_DOES: Final[Signature] = ("does", 2)

#: What may be derived to learn what holds at the start and after a ply.
_BUDGET: Final = DerivationBudget(seconds=1.0, rows=100_000)

#: The most joint moves of the start that are tried.
_MOST_PLIES: Final = 50


def lost_facts(view: View) -> Iterator[Diagnostic]:
    """Report facts that hold after a ply only if a move names them, if there are more of them than moves can name."""
    if view.refused:
        return
    touching, starts = _touching(view.reading.rules), _by_function(view.reading.rules)
    suspects = {shape: rules for shape in starts if _doubtful(starts[shape], rules := touching.get(shape, []), shape)}
    if not suspects:
        return
    from gdl.reasoner.reasoner import Reasoner  # imported late: only few texts need it

    try:
        game = Reasoner(Rulesheet.of_source(view.reading.source), budget=_BUDGET)
        facts = game.facts(game.initial_state())
        rows = _Rows(view.reading.rules, facts)
        held: dict[Signature, list[Term]] = {}
        for fact in facts:
            if isinstance(fact, Function):
                held.setdefault(shape_of(fact), []).append(fact)
        for shape, rules in suspects.items():
            own = held.get(shape, [])
            lost, most = _lost(own, rules, rows)
            if len(lost) > most + 1:
                yield _report(view, lost, most)
    except GdlError:
        return  # The game is too large or cannot begin, which others report.


def unkept_values(view: View) -> Iterator[Diagnostic]:
    """Report the only fact of a function if none is left of it after a joint move of the start."""
    if view.refused:
        return
    rules, starts = view.reading.rules, _by_function(view.reading.rules)
    read = {shape_of(one) for rule in rules for one in _read(rule)}
    suspects = {shape for shape, facts in starts.items() if len(facts) == 1 and shape[1] and shape in read}
    for rule in rules:
        head = rule.head.args[0] if rule.head.signature == ("next", 1) else None
        if isinstance(head, Function) and not _needs(rule, _DOES):
            suspects.discard(shape_of(head))
        elif isinstance(head, Variable):
            return
    if not suspects:
        return
    from gdl.reasoner.reasoner import Reasoner  # imported late: only few texts need it

    try:
        game = Reasoner(Rulesheet.of_source(view.reading.source), budget=_BUDGET)
        state = game.initial_state()
        held = Counter(shape_of(fact) for fact in game.facts(state) if isinstance(fact, Function))
        suspects = {shape for shape in suspects if held[shape] == 1}
        if not suspects or game.is_terminal(state):
            return
        # Which move is named does not depend on the case of names.
        legal = {role: sorted(game.legal_moves(state, role), key=_in_any_case) for role in game.roles}
        first = {role: moves[0] for role, moves in legal.items()}
        plies = ({**first, role: move} for role, moves in legal.items() for move in moves)
        for joint_move in islice(plies, _MOST_PLIES):
            after = game.next_state(state, joint_move)
            if game.is_terminal(after):
                continue
            left = {shape_of(fact) for fact in game.facts(after) if isinstance(fact, Function)}
            for shape in sorted(suspects - left):
                yield _report_unkept(view, starts[shape][0], tuple(joint_move.values()))
            suspects &= left
    except GdlError:
        return  # The game is too large or cannot begin, which others report.


def _in_any_case(term: Term) -> str:
    return name_key(term.text)


def _read(rule: Rule) -> Iterator[Function]:
    """Yield the facts that a rule asks for."""
    for one in rule.literals():
        if one.atom.signature == _TRUE and isinstance(fact := one.atom.args[0], Function):
            yield fact


def _touching(rules: Sequence[Rule]) -> dict[Signature, list[Rule]]:
    """Return the rules for `next` that keep, change or use up the facts of each function."""
    found: dict[Signature, list[Rule]] = {}
    for rule in rules:
        if rule.head.signature == ("next", 1):
            for shape in {shape_of(term) for term in _terms(rule) if isinstance(term, Function)}:
                found.setdefault(shape, []).append(rule)
    return found


def _by_function(rules: Sequence[Rule]) -> dict[Signature, list[Term]]:
    """Return the facts that rules derive for the start, by their function."""
    found: dict[Signature, list[Term]] = {}
    for rule in rules:
        if rule.head.signature == ("init", 1) and isinstance(fact := rule.head.args[0], Function):
            found.setdefault(shape_of(fact), []).append(fact)
    return found


def _terms(rule: Rule) -> list[Term]:
    """Return the facts that a rule for `next` is about, its head first."""
    return [rule.head.args[0], *(one.atom.args[0] for one in _needs(rule, _TRUE))]


def _needs(rule: Rule, relation: Signature) -> list[Literal]:
    return [one for one in rule.literals() if one.atom.signature == relation and not one.negated]


def _has(term: Term, shape: Signature) -> bool:
    return isinstance(term, Function) and shape_of(term) == shape


def _fits(fact: Term, pattern: Term) -> bool:
    return unify(fact, pattern, {})


def _doubtful(starts: Sequence[Term], rules: Sequence[Rule], shape: Signature) -> bool:
    """Return True if moves or nothing derive such facts, and no rule keeps all of those that hold at the start."""
    heads = [rule for rule in rules if _has(rule.head.args[0], shape)]
    if heads and not any(_needs(rule, _DOES) for rule in heads):
        return False
    kept = []
    for rule in heads:
        head, *needs = _terms(rule)
        named = {variable for one in _needs(rule, _DOES) for variable in one.variables()}
        if head in needs and not set(variables_of(head)) <= named:
            kept.append(head)
    return any(not any(_fits(term, head) for head in kept) for term in starts)


def _lost(own: Sequence[Term], rules: Sequence[Rule], rows: _Rows) -> tuple[list[Term], int]:
    """Return the facts that rules keep or change only if moves name them, and how many of them one ply can name."""
    kept: list[Term] = []
    most = 0
    for rule in rules:
        count = rows.most(rule)
        if count is None:
            kept += _terms(rule)
        else:
            most += count
    return [fact for fact in own if not any(_fits(fact, term) for term in kept)], most


@final
class _Rows:
    """The rows that are known without playing: those of relations without rules, and the facts of the start."""

    def __init__(self, rules: Sequence[Rule], start: Sequence[Term]) -> None:
        derived = {rule.head.signature for rule in rules if rule.body}
        self._rows: dict[Signature, list[tuple[Term, ...]]] = {_TRUE: [(fact,) for fact in start]}
        for rule in rules:
            if rule.head.signature not in derived:
                self._rows.setdefault(rule.head.signature, []).append(rule.head.args)

    def most(self, rule: Rule) -> int | None:
        """Return how often a rule can fire at one ply if its moves determine its head; otherwise None."""
        named: set[Variable] = set()
        count = 1
        for move in _needs(rule, _DOES):
            named.update(move.variables())
            count *= 1 if isinstance(move.atom.args[0], Constant) else len(self._rows.get(("role", 1), ()))
        grows = True
        while grows:
            known = len(named)
            for one in rule.literals():
                if not one.negated and self._determine(one.atom.args, one.atom.signature, named):
                    named.update(one.variables())
            grows = len(named) > known
        return count if named.issuperset(rule.head.variables()) else None

    def _determine(self, args: Sequence[Term], signature: Signature, named: set[Variable]) -> bool:
        """Return True if the named variables determine the others: at the start, one fact fits each choice of them."""
        rows = [row for row in self._rows.get(signature, ()) if all(map(_fits, row, args))]
        if signature == _TRUE and isinstance(args[0], Function):
            rows = [row[0].args for row in rows if isinstance(row[0], Function)]
            args = args[0].args
        fixed = [number for number, arg in enumerate(args) if named.issuperset(variables_of(arg))]
        return bool(rows) and len({tuple(row[number] for number in fixed) for row in rows}) == len(rows)


def _report(view: View, lost: Sequence[Term], most: int) -> Diagnostic:
    named = min(lost, key=lambda fact: name_key(fact.text))
    place = next(
        view.place(statement)
        for statement, rules in zip(view.reading.statements, view.reading.rules_of, strict=True)
        if any(rule.head.signature == ("init", 1) and _fits(named, rule.head.args[0]) for rule in rules)
    )
    number = f"at most {most} of these {len(lost)}, those that moves name," if most else f"none of these {len(lost)}"
    reason = f"{number} can hold after a ply"
    message = f"facts such as {named} are lost: {reason}; facts stay only if a rule says so"
    return Diagnostic("lost-fact", message, place)


def _report_unkept(view: View, fact: Term, joint_move: Sequence[Term]) -> Diagnostic:
    place = next(
        view.place(statement)
        for statement, rules in zip(view.reading.statements, view.reading.rules_of, strict=True)
        if any(rule.head.signature == ("init", 1) and _fits(fact, rule.head.args[0]) for rule in rules)
    )
    made = " ".join(move.text for move in joint_move)
    message = f"{fact} is lost after {made}, and nothing takes its place; facts stay only if a rule says so"
    return Diagnostic("unkept-value", message, place)
