"""Which tables of facts look like a board: two or more leaves with an order tell the cell, the others what is on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod

from gdl.language.rules import Rule
from gdl.terms import Variable
from ggp.board.facts import Knowledge, Table
from ggp.board.leaves import Leaves, flatten
from ggp.board.order import Axis, OrderKind, ordered, split_composite

#: Names of contents and relations that stand for an empty cell.
BLANK_NAMES = frozenset(
    ("blank", "empty", "none", "nothing", "free", "vacant", "unoccupied", "unmarked", "null", "nil", "_", "-", ".")
)
#: Abbreviations of such, or of something else: blank only where no other content is more frequent at the start.
_BLANK_LETTERS = ("b", "e", "o")
#: A rectangle of more cells than this is not drawn.
_MAX_CELLS = 4000


@dataclass(frozen=True, slots=True)
class Candidate:
    """A table as a board: `key` are the leaves that tell the cell, `axes` the order of each coordinate.

    A `composite` key is one leaf that two coordinates are written in, such as `b3`. `cells` are the keys of the
    cells that exist; `exact` tells that they are known to be all, and not just everything that fits the axes.
    `blanks` are the contents that stand for an empty cell, `numbered` the leaves of the content that have an order.
    """

    table: Table
    key: tuple[int, ...]
    content: tuple[int, ...]
    axes: tuple[Axis, ...]
    cells: frozenset[Leaves]
    exact: bool
    blanks: frozenset[Leaves]
    composite: bool = False
    numbered: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return self.table.name

    def coordinates(self) -> dict[Leaves, Leaves]:
        """For the key of each cell that exists, its coordinates in the order of `axes`."""
        if not self.composite:
            return {cell: cell for cell in self.cells}
        parts = split_composite(cell[0] for cell in self.cells) or {}
        return {(symbol,): part for symbol, part in parts.items()}

    def telling(self) -> tuple[int, ...]:
        """The leaves of the content that are worth telling: not those that never vary or that a coordinate tells."""
        rows = self.table.declared | self.table.initial
        kept = []
        for leaf in self.content:
            values = {row[leaf] for row in rows}
            told = (
                leaf in self.numbered
                and len(values) > 1
                and any(
                    len({row[key] for row in rows}) == len({(row[key], row[leaf]) for row in rows}) < len(rows)
                    for key in self.key
                )
            )
            if not told and len(self.table.domains[leaf]) > 1:
                kept.append(leaf)
        return tuple(kept) or self.content


def find_candidates(known: Knowledge) -> list[Candidate]:
    """The tables that can be drawn as boards: those that say more first, else in the order of the rules."""
    clear: list[tuple[Table, dict[int, Axis]]] = []
    doubtful: list[tuple[Table, dict[int, Axis]]] = []
    for table in known.tables:
        axes = {
            leaf: axis
            for leaf, domain in enumerate(table.domains)
            if not domain <= set(map(str.lower, known.roles)) and (axis := ordered(domain, known.chains)) is not None
        }
        (doubtful if len(axes) > 2 else clear).append((table, axes))
    clear.sort(key=lambda entry: len(entry[1]) == len(entry[0].domains))  # what is nothing but coordinates comes last
    found: list[Candidate] = []
    for table, axes in (*clear, *doubtful):
        candidate = _candidate(known, table, axes, found)
        if candidate is not None:
            found.append(candidate)
    order = {table.shape: number for number, table in enumerate(known.tables)}
    found.sort(key=lambda c: (not c.content, not c.blanks, -len(c.table.initial), order[c.table.shape]))
    return found


def _candidate(known: Knowledge, table: Table, axes: dict[int, Axis], found: Sequence[Candidate]) -> Candidate | None:
    if len(axes) < 2:
        return _composite_candidate(table, known, found)
    key = _key(table, axes, found)
    content = tuple(leaf for leaf in range(len(table.domains)) if leaf not in key)
    chosen = tuple(axes[leaf] for leaf in key)
    if not content and not _plain_board(known, table, key, chosen, found):
        return None
    if len(key) > 4 or sum(leaf in axes and axes[leaf] in chosen for leaf in content) > 1:
        return None
    made = _made(table, known.roles, key, content, chosen)
    return replace(made, numbered=tuple(leaf for leaf in content if leaf in axes)) if made else None


def _composite_candidate(table: Table, known: Knowledge, found: Sequence[Candidate]) -> Candidate | None:
    for leaf, domain in enumerate(table.domains):
        parts = split_composite(domain)
        others = set().union(*(d for other, d in enumerate(table.domains) if other != leaf))
        known_cells = any(
            candidate.composite and {(symbol,) for symbol in domain} <= candidate.cells for candidate in found
        )
        if parts is not None and not others & domain and (others or known_cells):
            axes = [ordered({part[i] for part in parts.values()}, known.chains) for i in (0, 1)]
            letters = axes[0] or Axis(tuple(sorted({part[0] for part in parts.values()})), OrderKind.LETTER)
            if axes[1] is not None:
                content = tuple(other for other in range(len(table.domains)) if other != leaf)
                return _made(table, known.roles, (leaf,), content, (letters, axes[1]), composite=True)
    return None


def _made(
    table: Table,
    roles: Sequence[str],
    key: tuple[int, ...],
    content: tuple[int, ...],
    axes: tuple[Axis, ...],
    composite: bool = False,
) -> Candidate | None:
    blanks = _blanks(table, content, roles)
    cells, exact = _cells(table, key, content, blanks, axes, composite)
    if len(cells) < 4:
        return None
    return Candidate(table, key, content, axes, cells, exact, blanks, composite)


def pick(leaves: Leaves, which: Iterable[int]) -> Leaves:
    """Some of a fact's leaves."""
    return tuple(leaves[leaf] for leaf in which)


def _key(table: Table, axes: dict[int, Axis], found: Sequence[Candidate]) -> tuple[int, ...]:
    """The leaves that tell the cell, of three or more that have an order.

    Certain where the initial state has one fact for each combination of their values. Else leaves that another
    table uses as coordinates; else the first leaves that share one domain, and the ones before them as the board.
    """
    leaves = sorted(axes)
    if len(leaves) == 2:
        return tuple(leaves)
    for size in range(2, len(leaves) + 1):
        for some in combinations(leaves, size):
            if _is_total(table, some):
                return some
    domains = Counter(axes[leaf].values for leaf in leaves)
    common, count = domains.most_common(1)[0]
    for other in found:
        for some in combinations(leaves, len(other.axes)):
            if count < len(leaves) and tuple(axes[leaf] for leaf in some) == other.axes:
                return some
    if count == 1:
        return tuple(leaves[:2])
    last = max(leaf for leaf in leaves if axes[leaf].values == common)
    return tuple(leaf for leaf in leaves if leaf <= last)


def _is_total(table: Table, key: Sequence[int]) -> bool:
    rows = table.initial
    seen = {pick(row, key) for row in rows}
    return 4 <= len(rows) == len(seen) == prod(len({row[leaf] for row in rows}) for leaf in key)


def _plain_board(
    known: Knowledge, table: Table, key: tuple[int, ...], axes: Sequence[Axis], found: Sequence[Candidate]
) -> bool:
    """Whether facts that are nothing but coordinates are cells of a board.

    Not where each value of one leaf has just one value of the other (heaps and their sizes), nor where the numbers
    have gaps (scores), nor where nothing stays from state to state (an offer), nor where only letters order the
    leaves (blocks on blocks). A table over the cells of another one needs none of that.
    """
    if len(key) > 3:
        return False
    if any(_within(axes, other.axes) for other in found):
        return True
    rows = table.initial
    if len(rows) > 1 and any(len({row[leaf] for row in rows}) == len(rows) for leaf in key):
        return False
    if not any(axis.chained for axis in axes) or not all(axis.even for axis in axes):
        return False
    return _persists(known.rules, table.shape) if known.rules else len(rows) >= 4


def _within(axes: Sequence[Axis], others: Sequence[Axis]) -> bool:
    """Whether coordinates on some axes are coordinates on others, too."""
    pairs = zip(axes, others, strict=False)
    return len(axes) == len(others) and all(set(a.values) <= set(b.values) for a, b in pairs)


def _persists(rules: Iterable[Rule], shape: str) -> bool:
    """Whether some rule carries a fact of the shape on from state to state as it is."""
    for rule in rules:
        if rule.head.signature != ("next", 1) or isinstance(rule.head.args[0], Variable):
            continue
        if flatten(rule.head.args[0])[0] == shape and any(
            literal.atom.signature == ("true", 1) and not literal.negated and literal.atom.args == rule.head.args
            for literal in rule.literals()
        ):
            return True
    return False


def _blanks(table: Table, content: tuple[int, ...], roles: Sequence[str]) -> frozenset[Leaves]:
    """The contents that stand for an empty cell."""
    if not content:
        return frozenset(((),)) if table.name in BLANK_NAMES else frozenset()
    counts = Counter(pick(row, content) for row in table.initial)
    if len(content) > 1:
        return frozenset(piece for piece in counts if any(leaf in BLANK_NAMES for leaf in piece))
    named = table.domains[content[0]] & BLANK_NAMES
    if named:
        return frozenset((name,) for name in named)
    most = max(counts.values(), default=0)
    for letter in _BLANK_LETTERS:
        if (letter,) in counts and counts[(letter,)] == most:
            alone = list(counts.values()).count(most) == 1
            if alone or not any(role.lower().startswith(letter) for role in roles):
                return frozenset(((letter,),))
    return frozenset()


def _cells(
    table: Table,
    key: tuple[int, ...],
    content: tuple[int, ...],
    blanks: frozenset[Leaves],
    axes: tuple[Axis, ...],
    composite: bool,
) -> tuple[frozenset[Leaves], bool]:
    """The cells that exist, and whether they are known exactly.

    Where the initial state has facts for empty cells, its cells are all. Else the declared ones are, or else every
    combination of coordinates.
    """
    initial = frozenset(pick(row, key) for row in table.initial)
    if content and any(pick(row, content) in blanks for row in table.initial):
        return initial, True
    if composite:
        return frozenset((symbol,) for symbol in table.domains[key[0]]), True
    if table.declared:
        return initial | frozenset(pick(row, key) for row in table.declared), True
    size = prod(len(axis.values) for axis in axes)
    if size > _MAX_CELLS:
        return frozenset(), False
    cells: list[Leaves] = [()]
    for axis in axes:
        cells = [(*cell, value) for cell in cells for value in axis.values]
    return frozenset(cells), False
