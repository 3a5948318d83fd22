"""Hexagons: cells with six neighbours by a relation of the rules, and stars of rows that each count from 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import cos, pi, sin
from typing import Final, Self

from ggp.board.drawing.elements import Element, element
from ggp.board.drawing.looks import CELL
from ggp.board.finding.neighbours import sides_of, slant_of
from ggp.board.finding.orient import orient
from ggp.board.kinds.board import Board
from ggp.board.kinds.grids import Grid
from ggp.board.kinds.search import Group, Search
from ggp.board.kinds.sheet import Sheet, lay_out
from ggp.board.leaves import Leaves
from ggp.board.model import CellPlace, Piece

_ROW: Final = CELL * 0.866
_RADIUS: Final = CELL / 2 / cos(pi / 6)
#: The width of the sides of roles.
_SIDE: Final = 6.0


@dataclass(frozen=True, slots=True)
class Hexagons(Grid):
    """A board of hexagons. `shifts` has, for each row, its shift to the right in half cells.

    `sides` are the roles that connect the left with the right side, and the upper with the lower one.
    """

    shifts: tuple[int, ...] = ()
    sides: tuple[str, str] = ("", "")

    @property
    def labelled(self) -> bool:
        """True if the rows are shifted, but all of them have the same columns."""
        return len(self.cells) == len(self.columns) * len(self.rows)

    def flipped(self) -> Self:
        """Return the board upside down."""
        return replace(Board.flipped(self), shifts=self.shifts[::-1])

    def extent(self) -> tuple[float, float]:
        """Return the width and the height of all cells together."""
        reach = max(column + self.shifts[row] / 2 + 1 for column, row in self.cells)
        return reach * CELL, (len(self.rows) - 1) * _ROW + CELL

    def middle(self, column: int, row: int, left: float, top: float) -> tuple[float, float]:
        """Return the centre of a cell."""
        across = column + self.shifts[row] / 2 + 0.5
        return left + across * CELL, top + row * _ROW + CELL / 2

    def first_column(self, row: int) -> int:
        """Return the column beside which the label of a row stands."""
        return min(column for column, other in self.cells if other == row)

    def sides_of(self, left: float, top: float) -> Iterator[tuple[str, Element]]:
        """Yield the sides that belong to roles: hexagons that are seen beside the outermost cells."""
        across, down = self.sides
        last = len(self.columns) - 1, len(self.rows) - 1
        for column, row in sorted(self.cells):
            x, y = self.middle(column, row, left, top)
            if across and column in (0, last[0]):
                yield across, self.ground_of(column, row, x + (_SIDE if column else -_SIDE), y, class_="badge")
            if down and row in (0, last[1]):
                yield down, self.ground_of(column, row, x, y + (_SIDE if row else -_SIDE), class_="badge")

    def ground_of(self, column: int, row: int, x: float, y: float, /, **attributes: str | float) -> Element:
        """Return an empty cell around its centre."""
        points = [(x + _RADIUS * sin(i * pi / 3), y + _RADIUS * cos(i * pi / 3)) for i in range(6)]
        return element("polygon", **attributes, points=" ".join(f"{px:.1f},{py:.1f}" for px, py in points))

    def chequered(self, roles: int) -> bool:
        """Return False: three colours would be needed."""
        return False

    def highlight(
        self, column: int, row: int, x: float, y: float, inset: float, /, **attributes: str | float
    ) -> Element:
        """Return what covers a cell, under the pieces."""
        return element("circle", cx=x, cy=y, r=CELL * 0.48 - inset, **attributes)

    def text_parts(self, fit: int) -> Iterator[Sequence[int]]:
        """Yield all columns: shifted rows are not divided."""
        yield range(len(self.columns))

    def indent(self, row: int, pitch: int) -> int:
        """Return the characters by which a row is shifted to the right."""
        return self.shifts[row] * (pitch + 1) // 2


def find_hexagons(search: Search) -> None:
    """Draw cells as hexagons where the rules say that they have six neighbours, or where they form a star."""
    for group in search.groups:
        main = group.main
        if group.arrange is not None or main.single:
            continue
        if main.composite:
            if star := _star(group.cells):
                group.arrange = partial(_arrange_star, *star)
        elif len(main.axes) == 2 and (slant := slant_of(search.game, search.known.rules, main.axes)):
            group.arrange = partial(_arrange_slanted, slant)


def _arrange_slanted(slant: int, search: Search, group: Group, looks: Mapping[Leaves, Piece], title: str) -> Sheet:
    orientation = orient(search.known, group.main, group.axes(), looks)
    # Each row begins half a cell to the right of the one above it if the cell below and to the left is a neighbour, or
    # else half a cell to the left.
    falling = slant == (1 if orientation.upwards != orientation.leftwards else -1)

    found = sides_of(search.known.rules, group.axes(), search.known.roles)
    sides = found[orientation.across], found[orientation.down]

    def make(
        title: str, columns: tuple[str, ...], rows: tuple[str, ...], cells: frozenset[tuple[int, int]], upwards: bool
    ) -> Board:
        shifts = tuple(range(len(rows))) if falling else tuple(reversed(range(len(rows))))
        return Hexagons(title, columns, rows, cells, upwards, shifts=shifts, sides=sides)

    return lay_out(search.known, group.cells, group.axes(), orientation, title, len(search.boards), make=make)


def _arrange_star(
    board: Board,
    positions: Mapping[Leaves, tuple[int, int]],
    search: Search,
    group: Group,
    looks: Mapping[Leaves, Piece],
    title: str,
) -> Sheet:
    number = len(search.boards)
    return Sheet((board,), ((number,),), {key: CellPlace(number, *place) for key, place in positions.items()})


def _star(cells: Mapping[Leaves, Leaves]) -> tuple[Board, dict[Leaves, tuple[int, int]]] | None:
    """Return a star-shaped board: cells such as `c4`, in centred rows of different lengths that each count from 1."""
    lengths: dict[str, list[int]] = {}
    for letter, number in cells.values():
        lengths.setdefault(letter, []).append(int(number))
    if len({len(numbers) for numbers in lengths.values()}) < 2:
        return None
    if any(sorted(numbers) != list(range(1, len(numbers) + 1)) for numbers in lengths.values()):
        return None
    rows = sorted(lengths)
    longest = max(map(len, lengths.values()))
    positions = {key: (int(number) - 1, rows.index(letter)) for key, (letter, number) in cells.items()}
    shifts = tuple(longest - len(lengths[letter]) for letter in rows)
    columns = tuple(str(number + 1) for number in range(longest))
    board = Hexagons("", columns, tuple(rows), frozenset(positions.values()), upwards=False, shifts=shifts)
    return board, positions
