"""The constants that can occur at each position of a game's facts, derived from its rules without playing it.

Each argument of each relation is a position. A rule lets a value reach a position of its head only if the value can
occur at all the positions where the same variable occurs in the positive part of the body:

    domain(head position of ?x)  contains  the intersection of domain(body position of ?x)

The least domains with that property contain every value that ever occurs, and seldom more. `init` and `next`
feed `true`; `legal` feeds `does`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, product

from gdl.language.rules import Atom, Rule
from gdl.terms import Constant, Function, Term, Variable, name_key

#: A relation, then for each step inwards a function and an argument number; lower case.
Position = tuple[str | int, ...]
#: A possible value at a position: a constant as text, a function as name and arity.
Value = str | tuple[str, int]
Domains = Mapping[Position, set[Value]]

#: Functions nested deeper than this are not followed.
_MAX_DEPTH = 6
#: The largest number of shapes of facts that are told apart.
_MAX_SHAPES = 500

_FEEDS = {"init": "true", "next": "true", "legal": "does"}


def domains_of(rules: Iterable[Rule]) -> dict[Position, set[Value]]:
    """Return the least domains that the rules allow; the facts of states belong to the relation `true`."""
    domains: dict[Position, set[Value]] = defaultdict(set)
    flows: dict[tuple[Position, frozenset[Position]], None] = {}
    for rule in rules:
        heads = list(occurrences(rule.head))
        sources: dict[Variable, set[Position]] = defaultdict(set)
        for literal in rule.literals():
            if not literal.negated:
                for position, leaf in occurrences(literal.atom):
                    if isinstance(leaf, Variable):
                        sources[leaf].add(position)
        for position, leaf in heads:
            if isinstance(leaf, Variable):
                flows[position, frozenset(sources[leaf])] = None
            else:
                domains[position].add(leaf)
    changed = True
    while changed:
        changed = False
        for target, origins in flows:
            changed |= _flow(domains, target, origins)
    return domains


def move_leaves(domains: Domains) -> tuple[frozenset[str], ...]:
    """Return the constants that can occur at each leaf of moves, whatever the shape of these."""
    found = (
        frozenset(value for value in values if isinstance(value, str))
        for position, values in domains.items()
        if position[:3] == ("does", 2, 1)
    )
    return tuple(constants for constants in found if constants)


def fact_shapes(domains: Domains, relation: str = "true") -> Iterator[tuple[str, tuple[frozenset[str], ...]]]:
    """Yield the shapes that the facts of states can have, with the constants that can occur at each of their leaves.

    Pass the relation `base` for the shapes that the rules declare.
    """
    for value in sorted(domains.get((relation, 1, 0), ()), key=str):
        if isinstance(value, tuple):
            yield from islice(_shapes(domains, (relation, 1, 0), value), _MAX_SHAPES)


def _shapes(
    domains: Domains, position: Position, function: tuple[str, int]
) -> Iterator[tuple[str, tuple[frozenset[str], ...]]]:
    name, arity = function
    choices = []
    for index in range(arity):
        inner = (*position, name, arity, index)
        values = domains.get(inner, set())
        constants = frozenset(value for value in values if isinstance(value, str))
        options: list[tuple[str, tuple[frozenset[str], ...]]] = [("_", (constants,))] if constants else []
        if len(position) < 3 * _MAX_DEPTH:
            for value in sorted(values, key=str):
                if isinstance(value, tuple):
                    options += islice(_shapes(domains, inner, value), _MAX_SHAPES)
        choices.append(options)
    for choice in product(*choices):
        yield f"({' '.join((name, *(text for text, _ in choice)))})", tuple(d for _, part in choice for d in part)


def occurrences(atom: Atom) -> Iterator[tuple[Position, Variable | Value]]:
    """Yield what occurs at each position of an atom."""
    name = atom.signature[0]
    start: Position = (_FEEDS.get(name, name), len(atom.args))
    for index, arg in enumerate(atom.args):
        yield from _term_occurrences(arg, (*start, index))


def _term_occurrences(term: Term, position: Position) -> Iterator[tuple[Position, Variable | Value]]:
    if isinstance(term, Variable):
        yield position, term
    elif isinstance(term, Constant):
        yield position, name_key(term.name)
    elif isinstance(term, Function):
        name, arity = name_key(term.name), len(term.args)
        yield position, (name, arity)
        for index, arg in enumerate(term.args):
            yield from _term_occurrences(arg, (*position, name, arity, index))


def _flow(domains: dict[Position, set[Value]], target: Position, origins: frozenset[Position]) -> bool:
    """Propagate the values common to all origins to the target, functions included; return True if any was new."""
    if not origins:
        return False
    common = set.intersection(*(domains[origin] for origin in origins))
    new = common - domains[target]
    domains[target] |= new
    changed = bool(new)
    if len(target) < 3 * _MAX_DEPTH:
        for value in common:
            if isinstance(value, tuple):
                for index in range(value[1]):
                    inner = frozenset((*origin, *value, index) for origin in origins)
                    changed |= _flow(domains, (*target, *value, index), inner)
    return changed
