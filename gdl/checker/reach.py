"""Checks for rules that never fire, relations that stay empty, and facts and moves that never come about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Final

from gdl.checker.consequences import Consequences
from gdl.checker.diagnostic import Diagnostic, Fix, Note, and_there
from gdl.checker.domains import Domain, Domains, Failure, dead_conditions
from gdl.checker.names import what_follows
from gdl.checker.rewrite import exchanged, respelled
from gdl.checker.suggestions import did_you_mean
from gdl.checker.view import AtomSite, View
from gdl.errors import Location
from gdl.language.rules import Atom, Literal, Rule, Signature
from gdl.language.syntax import Expression, Group, Symbol, leaves
from gdl.terms import Constant, Function, Term, name_key

#: The relations in which a file may declare the possible facts and moves.
_DECLARED_BY: Final[Mapping[Signature, Signature]] = {
    ("init", 1): ("base", 1),
    ("next", 1): ("base", 1),
    ("legal", 2): ("input", 2),
}

_RULE: Final = "this rule can never fire"
_ALTERNATIVE: Final = "this alternative can never hold"
_TOGETHER: Final = "no values of its variables satisfy this condition and the others together"


def reach(view: View) -> Iterator[Diagnostic]:
    """Report everything that can never happen.

    Reports nothing for files that are refused, since a broken statement may be the missing one. The consequences of
    something else that never happens are notes of its diagnostic.
    """
    reading = view.reading
    if view.refused:
        return
    domains, following = view.domains, view.following
    heads = {atom.statement: atom for atom in view.heads()}
    defined = {atom.signature for atom in heads.values()}
    hollow = {site.statement for site in view.connectives if not site.args}
    empty: dict[Signature, list[Note]] = {}
    for number, rules in enumerate(reading.rules_of):
        signature = heads[number].signature
        if signature not in domains.columns and _by_itself(number, rules, following):
            empty.setdefault(signature, [])
        for diagnostic in _failures(view, defined, following, hollow, number):
            if diagnostic.code == "never-fires" and signature in empty:
                # If no rule of a relation fires, the reasons become notes of a single diagnostic.
                reason = diagnostic.message.partition(": ")[2]
                empty[signature] += [Note(diagnostic.location, reason), *diagnostic.notes]
            else:
                yield diagnostic
    yield from _empty(view, empty)
    yield from _negations(view, domains, following)
    yield from _uncovered(view, domains)


def _by_itself(number: int, rules: Sequence[Rule], following: Consequences) -> bool:
    """Return True if a statement that never fires is not merely a consequence of others."""
    return not rules or any((number, index) not in following.all for index in range(len(rules)))


def _failures(
    view: View, defined: set[Signature], following: Consequences, hollow: set[int], number: int
) -> Iterator[Diagnostic]:
    """Report why a statement never fires. An `or` without conditions, as in `hollow` ones, is reported elsewhere."""
    statement, rules, domains = view.reading.statements[number], view.reading.rules_of[number], view.domains
    if not rules and number not in hollow:
        message = "this rule can never fire: terms that must be equal cannot be"
        yield Diagnostic("never-fires", message, view.place(statement))
    failures = [domains.failures(rule) for rule in rules]
    for index, found in enumerate(failures):
        if not found or (number, index) in following.all:
            continue
        notes = what_follows(view, following.of.get((number, index), ()))
        if all(failures):
            diagnostics = [d for failure in found for d in _reported(view, domains, defined, failure, statement, _RULE)]
        else:
            diagnostics = list(_of_alternative(view, defined, number, index))
        for diagnostic in diagnostics:
            yield replace(diagnostic, notes=(*diagnostic.notes, *notes))
            notes = ()


def _of_alternative(view: View, defined: set[Signature], number: int, index: int) -> Iterator[Diagnostic]:
    """Report an alternative that can never hold, at conditions that no possible alternative has.

    Reports nothing if there is no such condition: then only this combination of conditions is impossible.
    """
    rules, statement = view.reading.rules_of[number], view.reading.statements[number]
    dead = dead_conditions(rules[index], rules, view.domains)
    reported = False
    for failure in view.domains.failures(rules[index]):
        if failure.condition in dead:
            yield from _reported(view, view.domains, defined, failure, statement, _ALTERNATIVE)
            reported = True
    if dead and not reported:
        yield Diagnostic("never-fires", f"{_ALTERNATIVE}: {_TOGETHER}", view.place(dead[-1].syntax or statement))


def _reported(
    view: View, domains: Domains, defined: set[Signature], failure: Failure, statement: Expression, what: str
) -> Iterator[Diagnostic]:
    condition = failure.condition
    place = view.place(condition.syntax or statement)
    if not isinstance(condition, Literal):
        yield Diagnostic("never-fires", f"{what}: both terms are always the same", place)
        return
    atom = condition.atom
    if condition.negated:
        yield Diagnostic("never-fires", f"{what}: {atom} is a fact", place)
    elif atom.signature not in domains.columns:
        if atom.signature in defined:
            yield Diagnostic("never-fires", f"{what}: {view.name(atom.signature)} is always empty", place)
        elif atom.signature in (("true", 1), ("does", 2)):
            yield _unreachable(view, domains, condition, statement, f", so {what}")
    elif not failure.alone:
        yield Diagnostic("never-fires", f"{what}: {_TOGETHER}", place)
    elif atom.signature in (("true", 1), ("does", 2)):
        yield _unreachable(view, domains, condition, statement, f", so {what}")
    else:
        hint, fix = _hint(view, condition, statement, domains, 0)
        yield Diagnostic("never-fires", f"{what}: nothing derives {atom}{hint}", place, fix=fix)


def _unreachable(view: View, domains: Domains, literal: Literal, statement: Expression, consequence: str) -> Diagnostic:
    """Report a fact that can never be true, or a move that can never be done."""
    atom = literal.atom
    place = view.place(literal.syntax or statement)
    if atom.signature[0] == "true":
        hint, fix = _hint(view, literal, statement, domains, 0)
        message = f"neither init nor next makes {atom.args[0]} true{consequence}{hint}"
        return Diagnostic("unreachable-fact", message, place, fix=fix)
    hint, fix = _exchange(view, literal, domains)
    if fix is None:
        hint, fix = _hint(view, literal, statement, domains, 1)
    message = f"{atom.args[1]} is never legal for {atom.args[0]}{consequence}{hint}"
    return Diagnostic("unreachable-move", message, place, fix=fix)


def _exchange(view: View, literal: Literal, domains: Domains) -> tuple[str, Fix | None]:
    """Suggest to exchange the role and the move of a condition, if they can be done the other way round."""
    move, role = literal.atom.args
    if isinstance(literal.syntax, Group) and domains.possible(Atom("does", (role, move))):
        return _exchanged(view, literal.syntax)
    return "", None


def _exchanged(view: View, item: Group) -> tuple[str, Fix | None]:
    """Suggest to exchange the two arguments of an atom."""
    name, left, right = item.items
    meant = f"({name} {right} {left})"
    return did_you_mean(meant), Fix(f"write {meant}", exchanged(view, left, right), guess=True)


def _hint(view: View, literal: Literal, statement: Expression, domains: Domains, column: int) -> tuple[str, Fix | None]:
    """Suggest a replacement for a symbol of an atom that its column can never contain.

    It is a variable of the rule that only lacks its question mark, or a symbol that the column can contain and that is
    spelled alike.
    """
    atom = literal.atom
    columns = domains.columns.get(atom.signature)
    if not columns or len(atom.args) <= column:
        return "", None
    columns = columns if atom.signature[0] not in ("true", "does") else columns[column : column + 1]
    args = atom.args if len(columns) == len(atom.args) else atom.args[column : column + 1]

    def known() -> set[str]:
        return {name for domain in _within(columns) for name in domain.names()}

    for name in (name for arg in args for name in _names(arg)):
        strange = not any(name in domain.names() for domain in _within(columns))
        if strange and (near := _variable(view, statement, name) or view.suggestions.nearest(name, known)):
            written = leaves(literal.syntax) if literal.syntax is not None else ()
            same = [leaf for leaf in written if isinstance(leaf, Symbol) and leaf.key == name]
            return did_you_mean(near), respelled(view, same, near) if same else None
    return "", None


def _variable(view: View, statement: Expression, name: str) -> str | None:
    """Return the variable of a rule that is spelled like a constant; some languages write $x for ?x."""
    return view.variables(statement).get(f"?{name.removeprefix('$')}")


def _within(columns: Iterable[Domain]) -> Iterator[Domain]:
    """Yield some domains and those of the arguments of their functions."""
    stack = list(columns)
    while stack:
        domain = stack.pop()
        yield domain
        stack += [arg for args_of in domain.functions.values() for arg in args_of]


def _names(term: Term) -> Iterator[str]:
    if isinstance(term, Function):
        yield name_key(term.name)
        for arg in term.args:
            yield from _names(arg)
    elif isinstance(term, Constant):
        yield term.key


def _empty(view: View, empty: Mapping[Signature, Sequence[Note]]) -> Iterator[Diagnostic]:
    """Report relations none of whose rules can fire.

    Reasons that no other diagnostic gives become notes.
    """
    sites_of: dict[Signature, list[AtomSite]] = {}
    for atom in view.heads():
        sites_of.setdefault(atom.signature, []).append(atom)
    for signature, notes in empty.items():
        sites = sites_of[signature]
        never = "its rule can never fire" if len(sites) == 1 else f"none of its {len(sites)} rules can ever fire"
        message = f"{view.name(signature)} is always empty: {never}"
        yield Diagnostic("empty-relation", message, sites[0].name.location, tuple(dict.fromkeys(notes)))


def _negations(view: View, domains: Domains, following: Consequences) -> Iterator[Diagnostic]:
    """Report negated atoms that never hold, so that the negation always does."""
    for statement, rules in zip(view.reading.statements, view.reading.rules_of, strict=True):
        for literal in (literal for rule in rules for literal in rule.literals()):
            atom = literal.atom
            if not literal.negated or literal.syntax is None or domains.possible(atom):
                continue
            if following.would_be_possible(atom):
                continue
            if atom.signature in (("true", 1), ("does", 2)):
                yield _unreachable(view, domains, literal, statement, ", so its negation always holds")
            elif atom.signature in domains.columns:
                hint, fix = _hint(view, literal, statement, domains, 0)
                message = f"nothing derives {atom}, so its negation always holds{hint}"
                yield Diagnostic("idle-negation", message, view.place(literal.syntax), fix=fix)


def _uncovered(view: View, domains: Domains) -> Iterator[Diagnostic]:
    """Report facts missing from `base`, and moves missing from `input`, if the file defines these relations.

    Facts with the same name are reported once, with the other locations in a note; so are moves.
    """
    heads = {atom.statement: atom for atom in view.heads()}
    times = Counter(term.name.key for term in view.terms)
    declared = {
        wanted: frozenset(name for domain in _within(domains.columns.get(wanted, ())[-1:]) for name in domain.names())
        for wanted in set(_DECLARED_BY.values())
    }
    found: dict[tuple[Signature, str], list[tuple[str, Location, Fix | None]]] = {}
    for number, rules in enumerate(view.reading.rules_of):
        for rule in rules:
            wanted = _DECLARED_BY.get(rule.head.signature)
            if wanted in domains.columns and not domains.covers(wanted, rule.head, rule):
                term = rule.head.args[-1]
                message = (
                    f"{term} can be true, but is not in base"
                    if wanted == ("base", 1)
                    else f"{term} can be legal for {rule.head.args[0]}, but is not in input"
                )
                head = heads[number].item
                hint, fix = _declared_instead(view, wanted, rule, head, declared[wanted], times)
                entry = message + hint, view.place(head), fix
                found.setdefault((wanted, next(_names(term), "")), []).append(entry)
    for (wanted, _), ((message, place, fix), *others) in found.items():
        code = "fact-not-in-base" if wanted == ("base", 1) else "move-not-in-input"
        notes = and_there([other for _, other, _ in others if other != place])
        yield Diagnostic(code, message, place, notes, fix)


def _declared_instead(
    view: View, wanted: Signature, rule: Rule, head: Expression, declared: Set[str], times: Mapping[str, int]
) -> tuple[str, Fix | None]:
    """Suggest a declared fact or move that is meant by one that is not.

    Its role and move may have changed places, or a name be misspelled. A name that occurs elsewhere, too, is meant as
    it is, and names with digits are usually numbered: then the declaration may be what is wrong.
    """
    other_way = Atom(rule.head.name, rule.head.args[::-1])
    if wanted == ("input", 2) and isinstance(head, Group) and view.domains.covers(wanted, other_way, rule):
        return _exchanged(view, head)
    for name in _names(rule.head.args[-1]):
        if times[name] == 1 and name not in declared and not any(map(str.isdigit, name)):
            near = view.suggestions.nearest(name, lambda: {one for one in declared if not any(map(str.isdigit, one))})
            same = [leaf for leaf in leaves(head) if isinstance(leaf, Symbol) and leaf.key == name]
            return did_you_mean(near), respelled(view, same, near)
    return "", None
