"""Knowledge about the facts of a game before it is played, by shape."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from gdl.engine import Engine
from gdl.errors import GdlError
from gdl.language.rules import Rule
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Constant, Function, Term, Variable, name_key
from ggp.board.finding.domains import Domains, domains_of, fact_shapes, move_leaves
from ggp.board.finding.order import Chain
from ggp.board.leaves import Leaves, flatten

_DIRECTIONS = {
    **dict.fromkeys(("north", "up", "upward", "upwards"), "u"),
    **dict.fromkeys(("south", "down", "downward", "downwards"), "d"),
    **dict.fromkeys(("west", "left", "leftward", "leftwards"), "l"),
    **dict.fromkeys(("east", "right", "rightward", "rightwards"), "r"),
}
_KEYWORDS = frozenset(("role", "init", "base", "input", "goal", "legal", "next", "sees"))
#: Declarations that may expand to more facts than this are skipped, as reading them would take too long.
_MAX_DECLARED = 500_000


@dataclass(frozen=True, slots=True)
class Table:
    """All facts of one shape: the `domains` of its leaves, the rows of the initial state, and those declared by `base`.

    `declared` is empty if the rules declare nothing. `hints` are, for each leaf, the names of the variables that the
    rules use there, with repetitions.
    """

    shape: str
    domains: tuple[frozenset[str], ...]
    initial: frozenset[Leaves]
    declared: frozenset[Leaves]
    hints: tuple[tuple[str, ...], ...]

    @property
    def name(self) -> str:
        """The outermost name of the shape."""
        return self.shape.strip("()").split(" ", 1)[0]


@dataclass(frozen=True, slots=True)
class Step:
    """A step in a direction (`u`, `d`, `l` or `r`) that changes a coordinate from one value to another.

    `coordinate` is 0 or 1, in the order in which a cell's coordinates are written; None if the rules do not say.
    """

    direction: str
    coordinate: int | None
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Everything about a game that the search for boards uses.

    `chains` are the binary relations given as facts, `steps` the steps in a direction that the rules define, and
    `moves` the constants that can occur at each leaf of moves.
    """

    roles: tuple[str, ...]
    tables: tuple[Table, ...]
    chains: tuple[Chain, ...]
    spelling: dict[str, str]
    rules: tuple[Rule, ...] = ()
    steps: tuple[Step, ...] = ()
    moves: tuple[frozenset[str], ...] = ()

    def spell(self, symbol: str) -> str:
        """Return a symbol in the spelling of the rules."""
        return self.spelling.get(symbol, symbol)


def knowledge_of(game: Engine) -> Knowledge:
    """Collect what the rules of a game and its initial state say about its facts."""
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
    tables = []
    for shape, found in shapes.items():
        leaf_domains = _one_sort(found, initial.get(shape, set()))
        allowed = (row for row in declared.get(shape, ()) if all(map(frozenset.__contains__, leaf_domains, row)))
        names = tuple(map(tuple, hints.get(shape, ()))) or ((),) * len(leaf_domains)
        tables.append(Table(shape, leaf_domains, frozenset(initial.get(shape, ())), frozenset(allowed), names))
    spelling = dict(rulesheet.spelling) if isinstance(rulesheet, Rulesheet) else _spelling(facts)
    chains = _static_pairs(rules)
    steps = tuple(_steps(rules, chains, game.roles))
    return Knowledge(game.roles, tuple(tables), chains, spelling, tuple(rules), steps, move_leaves(domains))


def _one_sort(domains: tuple[frozenset[str], ...], initial: Collection[Leaves]) -> tuple[frozenset[str], ...]:
    """Return domains without letters where only numbers occur at the start, and without numbers beside letters.

    One relation may name both, as in `(next_to a b) (next_to 1 2)`, so that the rules do not tell them apart.
    """
    found = []
    for leaf, domain in enumerate(domains):
        numbers = frozenset(filter(str.isdecimal, domain))
        letters = frozenset(value for value in domain - numbers if len(value) == 1 and value.isalpha())
        seen = {row[leaf] for row in initial}
        parts = [part for part in (numbers, letters) if len(part) > 1 and seen and seen <= part]
        found.append(parts[0] if parts and numbers | letters == domain else domain)
    # Another leaf has to keep the rest: contents may be numbers at the start and letters later.
    return tuple(
        own if any(own != other and own | other == domain for other in found) else domain
        for own, domain in zip(found, domains, strict=True)
    )


def _declared(game: Engine, domains: Domains) -> list[Term]:
    """Return the facts declared by `base`; none if there are no declarations, they fail, or they are too many."""
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
    """Return the binary relations that are given as facts, such as `(succ 1 2)`."""
    pairs: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for rule in rules:
        args = rule.head.args
        if not rule.body and len(args) == 2 and all(isinstance(arg, Constant) for arg in args):
            pairs[rule.head.signature[0]].add((args[0].key, args[1].key))
    return tuple((name, frozenset(found)) for name, found in pairs.items())


def direction_of(symbol: str) -> str:
    """Return `u`, `d`, `l` or `r` for a symbol such as `north` or `move_up`, or "" unless it names one direction."""
    found = [_DIRECTIONS[part] for part in symbol.replace("-", "_").split("_") if part in _DIRECTIONS]
    return found[0] if len(found) == 1 else ""


def _steps(rules: Sequence[Rule], chains: Sequence[Chain], roles: Iterable[str]) -> Iterator[Step]:
    """Yield the steps that relations such as `neighbour` define, read off the heads of their rules.

    (<= (neighbour north ?y2 ?x ?y1 ?x) (below ?y1 ?y2)) says that north changes the first coordinate from the second
    to the first of each pair of `below`. Roles are not taken for directions: forward is south for a role in the north.
    """
    people = set(map(name_key, roles))
    pairs_of = dict(chains)
    for rule in rules:
        leaves = [arg.key for arg in rule.head.args]
        if rule.head.signature[0] in _KEYWORDS or len(leaves) not in (3, 4, 5):
            continue
        named = [leaf for leaf in leaves if leaf not in people and direction_of(leaf)]
        if len(named) == 1:
            leaves.remove(named[0])
        elif len(leaves) == 4 and not named:
            named = [rule.head.signature[0]]
        direction = direction_of(named[0]) if named else ""
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
    """Return the pairs of values that two leaves of a rule's head can have, judged by one condition of the body."""
    if not before.startswith("?") and not after.startswith("?"):
        return [(before, after)]
    for literal in rule.literals():
        if not literal.negated and len(literal.atom.args) == 2:
            pairs = pairs_of.get(literal.atom.signature[0], frozenset())
            args = [arg.key for arg in literal.atom.args]
            if args == [before, after]:
                return pairs
            if args == [after, before]:
                return [(b, a) for a, b in pairs]
    return []


def _variable_names(rules: Iterable[Rule]) -> dict[str, list[list[str]]]:
    """Return, for each shape of facts, the names that the rules use for its leaves.

    These are the names of the variables that occur there, and also `row` or `column` if the rule has the condition
    (row ?a) or, in its head, (column ?b ?content) for that variable.
    """
    hints: dict[str, list[list[str]]] = {}
    for rule in rules:
        conditions = [literal.atom for literal in rule.literals() if not literal.negated]
        titles = {
            atom.args[0].key: atom.signature[0]
            for atom in (rule.head, *conditions)
            if atom.args and atom.signature[0].rstrip("0123456789_s") in ("row", "column", "col")
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
    return {name_key(name): name for fact in facts for name in _names(fact)}


def _names(term: Term) -> Iterator[str]:
    if isinstance(term, Function):
        yield term.name
        for arg in term.args:
            yield from _names(arg)
    elif not isinstance(term, Variable):
        yield term.name
