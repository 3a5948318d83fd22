"""The fixed ground of a board: its title, its labels, and its cells.

A cell is 48 units wide and high, unless the board says otherwise. Cells carry their place as `data-place`, so that a
page can react to clicks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, product
from math import cos, pi, sin
from typing import Final

from ggp.board.drawing.elements import Element, element
from ggp.board.model import Board, CellPlace, Layout

CELL: Final = 48.0
#: The width of a character of a label.
_LABEL: Final = 8.0
#: The height of the name that a cell has of its own.
NAMED: Final = 17.0

_HEX_ROW: Final = CELL * 0.866
_HEX: Final = CELL / 2 / cos(pi / 6)
#: The number of columns and rows from which the boards of games with several roles are chequered.
_CHEQUERED: Final = 4
#: The least width and height of what is between cells with walls.
_GAP: Final = 18.0
#: The room between the rows of hands.
_BETWEEN: Final = 3.0
#: The radius of the dots between which lines are drawn.
_DOT: Final = 5.0


def size_of(board: Board, column: int, row: int) -> tuple[float, float]:
    """Return the width and height of a cell."""
    width, height = (sizes[at] if sizes else 1 for sizes, at in ((board.widths, column), (board.heights, row)))
    return CELL * width, CELL * height


class Ground:
    """A single board on the sheet."""

    def __init__(self, layout: Layout, number: int) -> None:
        """Measure a board."""
        self.board = board = layout.boards[number]
        self._number = number
        self._hexagonal = bool(board.shifts)
        self._columns, self._rows = board.drawn(_short)
        plain = not (board.stacked or board.lined or board.hand or board.names)
        self._chequered = plain and len(layout.roles) > 1 and min(len(board.columns), len(board.rows)) >= _CHEQUERED
        self._margin = 10 + _LABEL * max(map(len, self._rows))
        self._head = 24.0 if board.title else 0.0
        self._header = 22.0 if board.labelled else 0.0
        # The left sides of the columns and the upper sides of the rows, with the end of the last one.
        self._lefts, self._tops = (
            list(accumulate(sizes or (1.0,) * len(names), initial=0.0))
            for sizes, names in ((board.widths, board.columns), (board.heights, board.rows))
        )
        self.width = self._margin + self._lefts[-1] * CELL
        self.height = self._head + self._header + self._tops[-1] * CELL
        if self._hexagonal:
            reach = max(column + board.shifts[row] / 2 + 1 for column, row in board.cells)
            self.width = self._margin + reach * CELL
            self.height = self._head + self._header + (len(board.rows) - 1) * _HEX_ROW + CELL

    def _corner(self, left: float, top: float) -> tuple[float, float]:
        return left + self._margin, top + self._head + (0.0 if self.board.upwards else self._header)

    def _middle(self, column: int, row: int, corner: tuple[float, float]) -> tuple[float, float]:
        if self._hexagonal:
            across = column + self.board.shifts[row] / 2 + 0.5
            return corner[0] + across * CELL, corner[1] + row * _HEX_ROW + CELL / 2
        width, height = size_of(self.board, column, row)
        return corner[0] + self._lefts[column] * CELL + width / 2, corner[1] + self._tops[row] * CELL + height / 2

    def middles(self, left: float, top: float) -> dict[CellPlace, tuple[float, float]]:
        """Return the centre of each cell."""
        corner = self._corner(left, top)
        return {CellPlace(self._number, *cell): self._middle(*cell, corner) for cell in self.board.cells}

    def ground(self, left: float, top: float) -> Iterator[Element]:
        """Yield the title, the labels and the cells."""
        board, corner = self.board, self._corner(left, top)
        if board.title:
            yield element("text", board.title, class_="title", x=corner[0], y=top + 15)
        used_rows = {row for _, row in board.cells}
        for row, name in enumerate(self._rows):
            if row in used_rows:
                first = min(column for column, other in board.cells if other == row) if self._hexagonal else 0
                x, y = self._middle(first, row, corner)
                x -= size_of(board, first, row)[0] / 2 + 8
                yield element("text", name, class_="label", x=x, y=y + 4.5, text_anchor="end")
        if board.labelled:
            last = len(board.rows) - 1 if board.upwards else 0
            for column, name in enumerate(self._columns):
                x, y = self._middle(column, last, corner)
                half = size_of(board, column, last)[1] / 2
                y += half + 16 if board.upwards else -half - 8
                yield element("text", name, class_="label", x=x, y=y, text_anchor="middle")
        for column, row in sorted(board.cells, key=lambda cell: (self._is_gap(*cell), cell[1], cell[0])):
            yield self._cell(column, row, corner)
        for (column, row), name in zip(board.names, _short(tuple(board.names.values()) or ("",)), strict=False):
            x, y = self._middle(column, row, corner)
            y -= size_of(board, column, row)[1] / 2 - NAMED + 4
            yield element("text", name, class_="label", x=x, y=y, text_anchor="middle")
        if board.lined and not board.walled:
            for column, row in product(range(0, len(board.columns), 2), range(0, len(board.rows), 2)):
                x, y = self._middle(column, row, corner)
                yield element("circle", class_="spot", cx=x, cy=y, r=_DOT)

    def _is_gap(self, column: int, row: int) -> bool:
        return self.board.walled and self.board.is_line(column, row)

    def _cell(self, column: int, row: int, corner: tuple[float, float]) -> Element:
        x, y = self._middle(column, row, corner)
        place = f"{self._number},{column},{row}"
        if self._hexagonal:
            points = [(x + _HEX * sin(i * pi / 3), y + _HEX * cos(i * pi / 3)) for i in range(6)]
            return element(
                "polygon", class_="cell", data_place=place, points=" ".join(f"{px:.1f},{py:.1f}" for px, py in points)
            )
        # As on a chess board, the cell at the left of the lowest row is dark.
        odd = self._chequered and (column + len(self.board.rows) - 1 - row) % 2 == 0
        kind = "odd" if odd else "slot" if self.board.hand else "gap" if self._is_gap(column, row) else ""
        name = f"cell {kind}".strip()
        width, height = size_of(self.board, column, row)
        if self._is_gap(column, row):  # narrow, and not seen, but it can be clicked
            width, height = max(width, _GAP), max(height, _GAP)
        if self.board.hand:  # no gaps between the cells of a row
            width, height = width + 0.5, height - _BETWEEN
        return element(
            "rect", class_=name, data_place=place, x=x - width / 2, y=y - height / 2, width=width, height=height
        )


def _short(labels: Sequence[str]) -> tuple[str, ...]:
    """Return labels cut to the room there is; long ones lose their common beginning."""
    common = 0
    if max(map(len, labels)) > 3:
        while len({label[: common + 1] for label in labels}) == 1 and all(len(x) > common + 1 for x in labels):
            common += 1
    return tuple(label[common:] if len(label) - common <= 6 else label[common : common + 5] + "…" for label in labels)
