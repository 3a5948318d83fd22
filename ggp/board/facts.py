"""What is known about the facts of a game before it is played, shape by shape."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from gdl.engine import Engine
from gdl.errors import GdlError
from gdl.language.rules import Rule
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Constant, Function, Term, Variable
from ggp.board.domains import Domains, domains_of, fact_shapes
from ggp.board.leaves import Leaves, flatten
from ggp.board.order import Chain

_DIRECTIONS = {
    **dict.fromkeys(("north", "up", "upward", "upwards"), "u"),
    **dict.fromkeys(("south", "down", "downward", "downwards"), "d"),
    **dict.fromkeys(("west", "left", "leftward", "leftwards"), "l"),
    **dict.fromkeys(("east", "right", "rightward", "rightwards"), "r"),
}
_KEYWORDS = frozenset(("role", "init", "base", "input", "goal", "legal", "next", "sees"))
#: Declarations that may come to more facts than this are not read, as that would take long.
_MAX_DECLARED = 500_000


@dataclass(frozen=True, slots=True)
class Table:
    """All facts of one shape: `domains` per leaf, the rows of the initial state, and the rows that `base` declares.

    `declared` is empty where the rules declare nothing. `hints` are the names of the variables that the rules use
    at each leaf, as often as they do.
    """

    shape: str
    domains: tuple[frozenset[str], ...]
    initial: frozenset[Leaves]
    declared: frozenset[Leaves]
    hints: tuple[tuple[str, ...], ...]

    @property
    def name(self) -> str:
        return self.shape.strip("()").split(" ", 1)[0]


@dataclass(frozen=True, slots=True)
class Step:
    """That going in a direction (`u`, `d`, `l` or `r`) changes a coordinate from one value to another.

    `coordinate` is 0 or 1 in the order in which a cell's coordinates are written; None where the rules do not tell.
    """

    direction: str
    coordinate: int | None
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A game as the finding of boards sees it.

    `chains` are the binary relations that are given as facts, `steps` what the rules tell of directions.
    """

    roles: tuple[str, ...]
    tables: tuple[Table, ...]
    chains: tuple[Chain, ...]
    spelling: dict[str, str]
    rules: tuple[Rule, ...] = ()
    steps: tuple[Step, ...] = ()

    def spell(self, symbol: str) -> str:
        return self.spelling.get(symbol, symbol)


def knowledge_of(game: Engine) -> Knowledge:
    """What the rules of a game and its initial state say about its facts."""
    rulesheet = getattr(game, "rulesheet", None)
    rules = rulesheet.rules if isinstance(rulesheet, Rulesheet) else ()
    facts = list(game.initial_state())
    initial = _by_shape(facts)
    domains = domains_of(rules)
    declared = _by_shape(_declared(game, domains))
    shapes = dict(fact_shapes(domains))
    for shape, rows in (*initial.items(), *declared.items()):
        seen = tuple(frozenset(column) for column in zip(*rows, strict=True))
        known = shapes.get(shape, ())
        shapes[shape] = tuple(a | b for a, b in zip(known, seen, strict=True)) if known else seen
    hints = _variable_names(rules)
    tables = [
        Table(
            shape,
            leaf_domains,
            frozenset(initial.get(shape, ())),
            frozenset(declared.get(shape, ())),
            tuple(tuple(names) for names in hints.get(shape, ())) or ((),) * len(leaf_domains),
        )
        for shape, leaf_domains in shapes.items()
    ]
    spelling = dict(rulesheet.spelling) if isinstance(rulesheet, Rulesheet) else _spelling(facts)
    chains = _static_pairs(rules)
    return Knowledge(
        game.roles, tuple(tables), chains, spelling, tuple(rules), tuple(_steps(rules, chains, game.roles))
    )


def _declared(game: Engine, domains: Domains) -> list[Term]:
    """The facts that `base` declares; none where that is missing, cannot be derived, or are too many to be read."""
    query: Any = getattr(game, "query", None)
    count = sum(prod(map(len, leaves)) for _, leaves in fact_shapes(domains, "base"))
    if query is None or not 0 < count <= _MAX_DECLARED:
        return []
    try:
        return [answer["?fact"] for answer in query("(base ?fact)", game.initial_state())]
    except GdlError:
        return []


def _by_shape(facts: Iterable[Term]) -> dict[str, set[Leaves]]:
    tables: dict[str, set[Leaves]] = defaultdict(set)
    for fact in facts:
        shape, leaves = flatten(fact)
        if leaves:
            tables[shape].add(leaves)
    return tables


def _static_pairs(rules: Iterable[Rule]) -> tuple[Chain, ...]:
    """The binary relations that are given as facts, such as `(succ 1 2)`."""
    pairs: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for rule in rules:
        args = rule.head.args
        if not rule.body and len(args) == 2 and all(isinstance(arg, Constant) for arg in args):
            pairs[rule.head.name.lower()].add((args[0].text.lower(), args[1].text.lower()))
    return tuple((name, frozenset(found)) for name, found in pairs.items())


def _direction_of(symbol: str) -> str:
    """`u`, `d`, `l` or `r` for symbols such as `north` and `move_up`; empty for all that name no or two directions."""
    found = [_DIRECTIONS[part] for part in symbol.replace("-", "_").split("_") if part in _DIRECTIONS]
    return found[0] if len(found) == 1 else ""


def _steps(rules: Sequence[Rule], chains: Sequence[Chain], roles: Iterable[str]) -> Iterator[Step]:
    """What relations such as `neighbour` tell of directions, read off the heads that define them.

    (<= (neighbour north ?y2 ?x ?y1 ?x) (below ?y1 ?y2)) tells that north changes the first coordinate from the second
    to the first of each pair of `below`. A role's name tells no direction: forward is south for a role in the north.
    """
    people = set(map(str.lower, roles))
    pairs_of = dict(chains)
    for rule in rules:
        leaves = [arg.text.lower() for arg in rule.head.args]
        if rule.head.name.lower() in _KEYWORDS or len(leaves) not in (3, 4, 5):
            continue
        named = [leaf for leaf in leaves if leaf not in people and _direction_of(leaf)]
        if len(named) == 1:
            leaves.remove(named[0])
        elif len(leaves) == 4 and not named:
            named = [rule.head.name.lower()]
        direction = _direction_of(named[0]) if named else ""
        if not direction or len(leaves) not in (2, 4):
            continue
        half = len(leaves) // 2
        changed = [i for i in range(half) if leaves[i] != leaves[half + i]]
        if len(changed) == 1:
            coordinate = changed[0] if half == 2 else None
            for before, after in _pairs(rule, leaves[changed[0]], leaves[half + changed[0]], pairs_of):
                yield Step(direction, coordinate, before, after)


def _pairs(
    rule: Rule, before: str, after: str, pairs_of: Mapping[str, frozenset[tuple[str, str]]]
) -> Iterable[tuple[str, str]]:
    """The values that two leaves of a rule's head have together, as far as one condition of the body tells."""
    if not before.startswith("?") and not after.startswith("?"):
        return [(before, after)]
    for literal in rule.literals():
        if not literal.negated and len(literal.atom.args) == 2:
            pairs = pairs_of.get(literal.atom.name.lower(), frozenset())
            args = [arg.text.lower() for arg in literal.atom.args]
            if args == [before, after]:
                return pairs
            if args == [after, before]:
                return [(b, a) for a, b in pairs]
    return []


def _variable_names(rules: Iterable[Rule]) -> dict[str, list[list[str]]]:
    """For each shape of facts, what the rules call its leaves.

    That is the names of the variables that stand there, and `row` or `column` where the rule says (row ?a) or, in
    its head, (column ?b ?content) of the variable.
    """
    hints: dict[str, list[list[str]]] = {}
    for rule in rules:
        conditions = [literal.atom for literal in rule.literals() if not literal.negated]
        titles = {
            atom.args[0].text.lower(): atom.name.lower()
            for atom in (rule.head, *conditions)
            if atom.args and atom.name.lower().rstrip("0123456789_s") in ("row", "column", "col")
        }
        for atom in (rule.head, *conditions):
            if atom.signature in (("true", 1), ("next", 1), ("base", 1)) and isinstance(atom.args[0], Function):
                shape, leaves = flatten(atom.args[0])
                columns = hints.setdefault(shape, [[] for _ in leaves])
                for column, leaf in zip(columns, leaves, strict=True):
                    if leaf.startswith("?"):
                        column += [leaf[1:], titles[leaf]] if leaf in titles else [leaf[1:]]
    return hints


def _spelling(facts: Iterable[Term]) -> dict[str, str]:
    return {name.lower(): name for fact in facts for name in _names(fact)}


def _names(term: Term) -> Iterator[str]:
    if isinstance(term, Function):
        yield term.name
        for arg in term.args:
            yield from _names(arg)
    elif not isinstance(term, Variable):
        yield term.name
