"""Rows of single things, such as pits or lights, in games without other cells.

Things that facts of the rules connect in a circle are drawn around a rectangle, not in a row. Such facts name a thing
and the next one, as in `(adjacent p1 p2)`. They may also name a role that goes from one to the other, as in
`(next_pit south p6 store)`: things that only one role passes are between those that the other one passes. If pairs of
things, as in `(opposite p1 p12)`, are each other's reflections, the circle is folded into two rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Self

from rich.text import Text

from gdl.terms import Constant, name_key
from ggp.board.drawing.elements import Element, element
from ggp.board.finding.candidates import BLANK_NAMES, ONE, Candidate
from ggp.board.finding.facts import Knowledge, Table
from ggp.board.finding.order import Axis, OrderKind, naturally
from ggp.board.kinds.board import Board, Short, TextPart, short_words, to_right
from ggp.board.kinds.search import Group, Search
from ggp.board.kinds.sheet import Sheet
from ggp.board.leaves import Leaves
from ggp.board.model import CellPlace, Piece
from ggp.board.terminal.colours import DIM
from ggp.rules.report_text import printable

#: The fewest and the most cells of a row.
_FEWEST: Final = 3
_MOST: Final = 24
#: The fewest things in a circle.
_FEWEST_AROUND: Final = 6

#: The width and the height of cells with names of their own, in cells, and the height of the names.
_WIDE: Final = 1.3
_HIGH: Final = 1.6
_NAME: Final = 17.0

_Pairs = set[tuple[str, str]]
_Places = dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Ring(Board):
    """A board whose cells are in no columns and rows: they have `names` of their own."""

    names: Mapping[tuple[int, int], str] = field(default_factory=dict, hash=False)

    @property
    def labelled(self) -> bool:
        """False: it is the cells that have names."""
        return False

    def flipped(self) -> Self:
        """Return the board upside down."""
        return replace(Board.flipped(self), names={self.flip(*cell): name for cell, name in self.names.items()})

    def name_of(self, column: int, row: int) -> str:
        """Return the name of a cell."""
        return self.names[column, row]

    def chequered(self, roles: int) -> bool:
        """Return False."""
        return False

    def extras(self, short: Short, left: float, top: float) -> Iterator[Element]:
        """Yield the names of the cells, each within its cell."""
        for (column, row), name in zip(self.names, short(tuple(self.names.values())), strict=True):
            x, y = self.middle(column, row, left, top)
            y -= self.size(column, row)[1] / 2 - _NAME + 4
            yield element("text", name, class_="label", x=x, y=y, text_anchor="middle")

    def highlight(
        self, column: int, row: int, x: float, y: float, inset: float, /, **attributes: str | float
    ) -> Element:
        """Return what covers a cell below its name, under the pieces."""
        width, height = (size - 1 - 2 * inset for size in self.size(column, row))
        y, height = y + _NAME / 2, height - _NAME
        return element("rect", x=x - width / 2, y=y - height / 2, width=width, height=height, **attributes)

    def names_in_text(self) -> Iterable[str]:
        """Return the names of the cells."""
        return map(printable, short_words(tuple(self.names.values())))

    def text_lines(self, row: int, label: str, part: TextPart) -> Iterator[Text]:
        """Yield the names of the cells of a row, and the row."""
        called = dict(zip(self.names, self.names_in_text(), strict=True))
        above = (to_right(called.get((column, row), ""), part.pitch) for column in part.columns)
        yield Text(" " * (part.margin + 2) + " ".join(above), DIM)
        yield from Board.text_lines(self, row, label, part)


# ------------------------------------------------------------------------------------------ rows


def find_rows(search: Search) -> None:
    """Find single things that facts give exactly one value, if there is nothing else to draw."""
    if search.found:
        return
    search.candidates = _rows(search.known)
    for group in search.groups:
        if places := ring_places(search.known, group.main.axes[0].values):
            group.arrange = partial(_arrange_ring, places)


def _rows(known: Knowledge) -> list[Candidate]:
    """Return the tables that can be drawn as rows of cells, in the rules' order."""
    found = [made for table in known.tables if (made := _valued(known, table)) is not None]
    return found or _switches(known)


def _valued(known: Knowledge, table: Table) -> Candidate | None:
    """Return a table of pairs as a row if it gives each value of one leaf exactly one of the other at the start."""
    if len(table.domains) != 2:
        return None
    for key in (0, 1):
        values, contents = {row[key] for row in table.initial}, table.domains[1 - key]
        # Things that lie on one another are no row.
        if values == table.domains[key] and len(values) == len(table.initial) and not values & contents:
            return _row(known, table, key, (1 - key,), values) if len(contents) > 1 else None
    return None


def _switches(known: Knowledge) -> list[Candidate]:
    """Return the tables of single things, such as lights that are on or off, that share out the same things."""
    tables = [table for table in known.tables if len(table.domains) == 1]
    for first in tables:
        values = first.domains[0]
        alike = [table for table in tables if table.domains[0] <= values]
        rows = [row[0] for table in alike for row in table.initial]
        if len(alike) > 1 and len(rows) == len(set(rows)) and set(rows) == values:
            made = [_row(known, table, 0, (), set(values)) for table in alike]
            return [one for one in made if one is not None]
    return []


def _row(known: Knowledge, table: Table, key: int, content: tuple[int, ...], values: set[str]) -> Candidate | None:
    if not _FEWEST <= len(values) <= _MOST or values <= set(map(name_key, known.roles)):
        return None
    axis = Axis(tuple(sorted(values, key=naturally)), OrderKind.LETTER)
    cells: frozenset[Leaves] = frozenset((value,) for value in values)
    axes = (axis, Axis((ONE,), OrderKind.LETTER))
    blanks: frozenset[Leaves] = frozenset((name,) for leaf in content for name in table.domains[leaf] & BLANK_NAMES)
    return Candidate(table, (key,), content, axes, cells, True, blanks, single=True)


# ------------------------------------------------------------------------------------------ rings


def _arrange_ring(
    places: _Places,
    search: Search,
    group: Group,
    looks: Mapping[Leaves, Piece],
    title: str,
) -> Sheet:
    columns, rows = (1 + max(place[i] for place in places.values()) for i in (0, 1))
    board = Ring(
        title,
        columns=("",) * columns,
        rows=("",) * rows,
        cells=frozenset(places.values()),
        upwards=False,
        widths=(_WIDE,) * columns,
        heights=(_HIGH,) * rows,
        names={place: search.known.spell(thing) for thing, place in places.items()},
    )
    number = len(search.boards)
    return Sheet((board,), ((number,),), {(thing,): CellPlace(number, *place) for thing, place in places.items()})


def ring_places(known: Knowledge, things: Collection[str]) -> _Places:
    """Return the column and row of each thing; nothing if they are in no circle."""
    pairs = _pairs(known, things)
    ring = _ring(list(pairs.values()), things)
    if not ring:
        return {}
    folded = (_folded(ring, some) for some in pairs.values())
    return next((places for places in folded if places), {}) or _around(ring)


def _pairs(known: Knowledge, things: Collection[str]) -> Mapping[tuple[str, ...], _Pairs]:
    """Return the pairs of things that facts of the rules name, by their relation, and by the role if they name one."""
    people = set(map(name_key, known.roles))
    found: defaultdict[tuple[str, ...], _Pairs] = defaultdict(set)
    for rule in known.rules:
        if not rule.body and all(isinstance(arg, Constant) for arg in rule.head.args):
            named = [arg.key for arg in rule.head.args]
            inside = [one for one in named if one in things]
            who = [one for one in named if one in people]
            if len(inside) == 2 and len(inside) + len(who) == len(named):
                found[rule.head.signature[0], *who].add((inside[0], inside[1]))
    return found


def _ring(relations: Sequence[_Pairs], things: Collection[str]) -> tuple[str, ...]:
    """Return all things in the order of the circles that relations make, starting with the longest one."""
    circles = sorted(filter(None, map(_circle, relations)), key=len, reverse=True)
    ring = list(circles[0]) if circles else []
    for circle in circles[1:]:
        for at, thing in enumerate(circle):
            before, after = circle[at - 1], circle[(at + 1) % len(circle)]
            if thing not in ring and before in ring and ring[(ring.index(before) + 1) % len(ring)] == after:
                ring.insert(ring.index(before) + 1, thing)
    return tuple(ring) if len(ring) >= _FEWEST_AROUND and set(ring) == set(things) else ()


def _circle(pairs: _Pairs) -> tuple[str, ...]:
    """Return the things of pairs in the order of a circle; nothing if they are not in one."""
    near: defaultdict[str, list[str]] = defaultdict(list)
    for one, other in sorted(pairs):
        near[one].append(other)
    mutual = all((other, one) in pairs for one, other in pairs)
    if not pairs or any(len(others) != (2 if mutual else 1) for others in near.values()):
        return ()
    walked = [min(near)]
    while (following := [one for one in near.get(walked[-1], []) if one not in walked]) and len(walked) < len(near):
        walked.append(following[0])
    closed = walked[0] in near[walked[-1]]
    return tuple(walked) if closed and len(walked) == len(near) else ()


def _folded(ring: Sequence[str], pairs: _Pairs) -> _Places:
    """Return places in two rows, in which the things of each pair are opposite, with others at the ends; or nothing."""
    number, at = len(ring), {thing: place for place, thing in enumerate(ring)}
    sums = {(at[one] + at[other]) % number for one, other in pairs}
    paired = {thing for pair in pairs for thing in pair}
    ends = [place for place, thing in enumerate(ring) if thing not in paired]
    if len(sums) != 1 or any(2 * place % number not in sums for place in ends) or len(ends) not in (0, 2):
        return {}
    if not ends and min(sums) % 2 == 0:  # two things would be opposite to themselves
        return {}
    middle = (min(sums) + 1) // 2
    first = min((place + 1) % number for place in ends) if ends else min(middle, (middle + number // 2) % number)
    turned = [ring[(first + step) % number] for step in range(number)]
    half = number // 2 - (1 if ends else 0)
    near, far = turned[:half], turned[half + bool(ends) : 2 * half + bool(ends)]
    places = {thing: (column + bool(ends), 2 if ends else 1) for column, thing in enumerate(near)}
    places |= {thing: (column + bool(ends), 0) for column, thing in enumerate(reversed(far))}
    return places | ({turned[half]: (half + 1, 1), turned[-1]: (0, 1)} if ends else {})


def _around(ring: Sequence[str]) -> _Places:
    """Return places around a rectangle, clockwise from its upper left corner; nothing for an odd number."""
    if len(ring) % 2:
        return {}
    rows = max(3, len(ring) // 4)
    columns = len(ring) // 2 + 2 - rows
    edge = [(column, 0) for column in range(columns)]
    edge += [(columns - 1, row) for row in range(1, rows)]
    edge += [(column, rows - 1) for column in reversed(range(columns - 1))]
    edge += [(0, row) for row in reversed(range(1, rows - 1))]
    return dict(zip(ring, edge, strict=True))
