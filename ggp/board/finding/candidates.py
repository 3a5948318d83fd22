"""Find tables of facts that look like a board: two or more ordered leaves are the coordinates, the rest the content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import prod

from gdl.language.rules import Rule
from gdl.terms import Variable, name_key
from ggp.board.finding.facts import Knowledge, Table
from ggp.board.finding.order import Axis, OrderKind, ordered, split_composite
from ggp.board.leaves import Leaves, flatten, pick

#: Names of contents and relations that stand for an empty cell.
BLANK_NAMES = frozenset(
    ("blank", "empty", "none", "nothing", "free", "vacant", "unoccupied", "unmarked", "null", "nil", "_", "-", ".")
)
#: Ambiguous abbreviations of "blank": taken as blank only if no other content is more frequent at the start.
_BLANK_LETTERS = ("b", "e", "o")
#: The second coordinate of all cells of a row, which has no name.
ONE = ""
#: Rectangles with more cells than this are not drawn.
MAX_CELLS = 4000


@dataclass(frozen=True, slots=True)
class Candidate:
    """A table read as a board: the leaves in `key` identify the cell, and `axes` give the order of each coordinate.

    A `composite` key is a single leaf that holds both coordinates, such as `b3`. `cells` are the keys of the existing
    cells; `exact` is True if these are known, False if they are just all combinations that fit the axes.
    A `single` one is a row of cells, whose second coordinate is always the same.
    If the cells are `lines` between dots, these are their coordinates by key. Every second value of the axes is a dot,
    and the others are the gaps between dots.
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
    single: bool = False
    lines: Mapping[Leaves, Leaves] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.table.name

    def coordinates(self) -> dict[Leaves, Leaves]:
        """Return the coordinates of each existing cell, in the order of `axes`, by the cell's key."""
        if self.single:
            return {cell: (*cell, ONE) for cell in self.cells}
        if self.lines:
            return dict(self.lines)
        if not self.composite:
            return {cell: cell for cell in self.cells}
        parts = split_composite(cell[0] for cell in self.cells) or {}
        return {(symbol,): part for symbol, part in parts.items()}

    def telling(self) -> tuple[int, ...]:
        """Return the leaves of the content worth showing: those that vary and do not follow from a coordinate."""
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
    """Return the tables that can be drawn as boards, the most informative first, otherwise in the rules' order."""
    clear: list[tuple[Table, dict[int, Axis]]] = []
    doubtful: list[tuple[Table, dict[int, Axis]]] = []
    for table in known.tables:
        axes = {
            leaf: axis
            for leaf, domain in enumerate(table.domains)
            if not domain <= set(map(name_key, known.roles)) and (axis := ordered(domain, known.chains)) is not None
        }
        (doubtful if len(axes) > 2 else clear).append((table, axes))
    clear.sort(key=lambda entry: len(entry[1]) == len(entry[0].domains))  # tables of nothing but coordinates come last
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
    blanks = blanks_of(table, content, roles)
    cells, exact = _cells(table, key, content, blanks, axes, composite)
    if len(cells) < 4:
        return None
    return Candidate(table, key, content, axes, cells, exact, blanks, composite)


def _key(table: Table, axes: dict[int, Axis], found: Sequence[Candidate]) -> tuple[int, ...]:
    """Return the leaves that identify the cell, out of two or more ordered ones.

    The choice is certain if the initial state has exactly one fact for each combination of their values. Otherwise,
    take leaves that another table uses as coordinates; failing that, the first leaves that share one domain, and the
    leaves before them as the board.
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
    """Return True if facts that consist of nothing but coordinates are cells of a board.

    Rejected are tables in which each value of one leaf occurs with a single value of the other (heaps and their
    sizes), numbers with gaps (scores), facts that never persist from state to state (an offer), and leaves ordered by
    letters only (blocks on blocks). A table over the cells of another table is always accepted.
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
    """Return True if all coordinates on some axes are also coordinates on the others."""
    pairs = zip(axes, others, strict=False)
    return len(axes) == len(others) and all(set(a.values) <= set(b.values) for a, b in pairs)


def _persists(rules: Iterable[Rule], shape: str) -> bool:
    """Return True if some rule carries a fact of the shape over to the next state unchanged."""
    for rule in rules:
        if rule.head.signature != ("next", 1) or isinstance(rule.head.args[0], Variable):
            continue
        if flatten(rule.head.args[0])[0] == shape and any(
            literal.atom.signature == ("true", 1) and not literal.negated and literal.atom.args == rule.head.args
            for literal in rule.literals()
        ):
            return True
    return False


def blanks_of(table: Table, content: tuple[int, ...], roles: Sequence[str]) -> frozenset[Leaves]:
    """Return the contents that stand for an empty cell."""
    if not content:
        return frozenset(((),)) if table.name in BLANK_NAMES else frozenset()
    counts = Counter(pick(row, content) for row in table.initial)
    if len(content) > 1:
        pieces = {pick(row, content) for row in table.declared | table.initial}
        return frozenset(piece for piece in pieces if any(leaf in BLANK_NAMES for leaf in piece))
    named = table.domains[content[0]] & BLANK_NAMES
    if named:
        return frozenset((name,) for name in named)
    most = max(counts.values(), default=0)
    for letter in _BLANK_LETTERS:
        if (letter,) in counts and counts[(letter,)] == most:
            alone = list(counts.values()).count(most) == 1
            if alone or not any(name_key(role).startswith(letter) for role in roles):
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
    """Return the existing cells, and True if they are known exactly.

    If the initial state has facts for empty cells, it names all cells. Otherwise the cells are the declared ones, or
    failing that, every combination of coordinates.
    """
    initial = frozenset(pick(row, key) for row in table.initial)
    if content and any(pick(row, content) in blanks for row in table.initial):
        return initial, True
    if composite:
        return frozenset((symbol,) for symbol in table.domains[key[0]]), True
    if table.declared:
        return initial | frozenset(pick(row, key) for row in table.declared), True
    size = prod(len(axis.values) for axis in axes)
    if size > MAX_CELLS:
        return frozenset(), False
    cells: list[Leaves] = [()]
    for axis in axes:
        cells = [(*cell, value) for cell in cells for value in axis.values]
    return frozenset(cells), False
