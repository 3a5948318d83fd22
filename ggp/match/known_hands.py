"""Holdings of which a role is sure, in a game that does not show everything: its own cards, as a rule.

A role knows the rules, its own moves and its percepts. Here, it draws the conclusions that need no search: if a percept
comes by a rule of `sees`, the conditions of that rule have been met, so a rule of `next` with no other conditions has
put something into a hand. What is held stays, unless the role itself has given it away. Whatever else a role could work
out is left to `ggp.belief`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import final

from gdl.engine import Engine
from gdl.language.rules import Atom, Literal, Rule, Signature, substitute, unify
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Constant, Function, Term, Variable, leaves
from ggp.board.finding.domains import domains_of, occurrences
from ggp.board.leaves import flatten
from ggp.board.view import Layout, held_piece
from ggp.players.player import Told

_Binding = dict[Variable, Term]


@final
class KnownHands:
    """The facts about hands that a role is sure of."""

    def __init__(self, game: Engine, layout: Layout) -> None:
        """Find the rules that say what is in a hand."""
        rulesheet = getattr(game, "rulesheet", None)
        rules = rulesheet.rules if isinstance(rulesheet, Rulesheet) else ()
        self._layout = layout
        self._start = {fact for fact in game.initial_state() if held_piece(layout, fact) is not None}
        hands = any(map(layout.holds, layout.layers.values()))
        self._sees = [rule for rule in rules if hands and rule.head.signature == ("sees", 2)]
        self._next = [rule for rule in rules if hands and rule.head.signature == ("next", 1) and self._fits(rule)]
        self._domains = domains_of(rules) if self._sees else {}
        self._fixed: dict[Signature, list[Literal]] = {}
        for rule in rules:
            if hands and not rule.body:
                self._fixed.setdefault(rule.head.signature, []).append(Literal(rule.head))

    def facts(self, role: str, told: Iterable[Told]) -> tuple[Term, ...]:
        """Return the facts about hands that are certain after what a role was told of each ply."""
        known = self._start
        for ply in told:
            known = self._after(role, ply, known)
        return tuple(sorted(known))

    def _fits(self, rule: Rule) -> bool:
        """Return True if a rule of `next` may put something into a hand."""
        layer = self._layout.layers.get(flatten(rule.head.args[0])[0])
        return layer is not None and self._layout.holds(layer)

    def _after(self, role: str, told: Told, known: set[Term]) -> set[Term]:
        before = [Literal(Atom("true", (fact,))) for fact in known]
        if told.own_move is not None:
            before.append(Literal(Atom("does", (Constant(role), told.own_move))))
        after = set(self._derived(role, told.own_move, before))
        for percept in told.percepts:
            # Each rule that may have shown the percept must come to the same conclusion.
            ways = [
                set(self._derived(role, told.own_move, [*before, *conditions]))
                for conditions in self._conditions(role, percept)
            ]
            after |= set.intersection(*ways) if ways else set()
        return after

    def _conditions(self, role: str, percept: Term) -> Iterator[list[Literal]]:
        """Yield the conditions of each rule that may have shown a percept; values that are not known have no name."""
        shown = Function("sees", (Constant(role), percept))
        for rule in self._sees:
            binding: _Binding = {}
            if unify(Function("sees", rule.head.args), shown, binding):
                conditions = [_filled(literal, binding) for literal in rule.literals()]
                if all(literal.negated or self._can_be(literal.atom) for literal in conditions):
                    yield conditions

    def _can_be(self, atom: Atom) -> bool:
        """Return False if an atom has a value at a place where the rules never put it."""
        return all(
            value in self._domains.get(position, ()) or str(value).startswith("?")
            for position, value in occurrences(atom)
        )

    def _derived(self, role: str, own_move: Term | None, held: Sequence[Literal]) -> Iterator[Term]:
        """Yield the facts about hands that follow from literals that were true."""
        for rule in self._next:
            body = sorted(rule.literals(), key=lambda literal: literal.negated)
            for binding in self._proved(body, held, {}, role, own_move):
                different = all(
                    _ground(left := substitute(one.left, binding), right := substitute(one.right, binding))
                    and left != right
                    for one in rule.body
                    if not isinstance(one, Literal)
                )
                fact = substitute(rule.head.args[0], binding)
                if different and _ground(fact) and held_piece(self._layout, fact) is not None:
                    yield fact

    def _proved(
        self, body: Sequence[Literal], held: Sequence[Literal], binding: _Binding, role: str, own_move: Term | None
    ) -> Iterator[_Binding]:
        """Yield the bindings with which all literals are true for certain."""
        if not body:
            yield binding
            return
        first, rest = body[0], body[1:]
        if first.negated and first.atom.signature == ("does", 2):
            who, what = (substitute(arg, binding) for arg in first.atom.args)
            if who == Constant(role) and own_move is not None and _ground(what) and what != own_move:
                yield from self._proved(rest, held, binding, role, own_move)
                return
        for literal in (*held, *(() if first.negated else self._fixed.get(first.atom.signature, ()))):
            if literal.negated == first.negated and literal.atom.signature == first.atom.signature:
                extended = dict(binding)
                if _unified(first.atom, literal.atom, extended):
                    yield from self._proved(rest, held, extended, role, own_move)


def _filled(literal: Literal, binding: _Binding) -> Literal:
    """Return a condition of a percept; a variable without a value becomes a constant that nothing else is equal to."""
    unknown = {variable: Constant(f"{variable.text} ") for variable in literal.variables() if variable not in binding}
    args = tuple(substitute(arg, {**binding, **unknown}) for arg in literal.atom.args)
    return Literal(Atom(literal.atom.name, args), literal.negated)


def _unified(pattern: Atom, atom: Atom, binding: _Binding) -> bool:
    return all(unify(one, other, binding) for one, other in zip(pattern.args, atom.args, strict=True))


def _ground(*terms: Term) -> bool:
    """Return True if terms have no variables, and no values that are not known."""
    return not any(isinstance(leaf, Variable) or leaf.text.startswith("?") for term in terms for leaf in leaves(term))
