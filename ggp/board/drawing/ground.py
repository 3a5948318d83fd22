"""The fixed ground of a board: its title, its labels, and its cells.

A cell is 48 units wide and high, unless the board says otherwise. Cells carry their place as `data-place`, so that a
page can react to clicks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ggp.board.drawing.elements import Element, element
from ggp.board.model import CellPlace
from ggp.board.view import Layout

#: The width of a character of a label.
_LABEL: Final = 8.0


class Ground:
    """A single board on the sheet."""

    def __init__(self, layout: Layout, number: int) -> None:
        """Measure a board."""
        self.board = board = layout.boards[number]
        self._number = number
        self._columns, self._rows = board.signs(_short)
        self._chequered = board.chequered(len(layout.roles))
        self._margin = 10 + _LABEL * max(map(len, self._rows))
        self._head = 24.0 if board.title else 0.0
        self._header = 22.0 if board.labelled else 0.0
        width, height = board.extent()
        self.width = self._margin + width
        self.height = self._head + self._header + height

    def _corner(self, left: float, top: float) -> tuple[float, float]:
        return left + self._margin, top + self._head + (0.0 if self.board.upwards else self._header)

    def middles(self, left: float, top: float) -> dict[CellPlace, tuple[float, float]]:
        """Return the centre of each cell."""
        corner = self._corner(left, top)
        return {CellPlace(self._number, *cell): self.board.middle(*cell, *corner) for cell in self.board.cells}

    def sides(self, left: float, top: float) -> Iterator[tuple[str, Element]]:
        """Yield what has the colour of a role, below everything else."""
        return self.board.sides_of(*self._corner(left, top))

    def ground(self, left: float, top: float) -> Iterator[Element]:
        """Yield the title, the labels and the cells."""
        board, corner = self.board, self._corner(left, top)
        if board.title:
            yield element("text", board.title, class_="title", x=corner[0], y=top + 15)
        used_rows = {row for _, row in board.cells}
        for row, name in enumerate(self._rows):
            if row in used_rows:
                first = board.first_column(row)
                x, y = board.middle(first, row, *corner)
                x -= board.size(first, row)[0] / 2 + 8
                yield element("text", name, class_="label", x=x, y=y + 4.5, text_anchor="end")
        if board.labelled:
            last = len(board.rows) - 1 if board.upwards else 0
            for column, name in enumerate(self._columns):
                x, y = board.middle(column, last, *corner)
                half = board.size(column, last)[1] / 2
                y += half + 16 if board.upwards else -half - 8
                yield element("text", name, class_="label", x=x, y=y, text_anchor="middle")
        yield from board.beneath(_short, *corner)
        for column, row in sorted(board.cells, key=lambda cell: (board.is_gap(*cell), cell[1], cell[0])):
            yield self._cell(column, row, corner)
        yield from board.extras(_short, *corner)

    def _cell(self, column: int, row: int, corner: tuple[float, float]) -> Element:
        x, y = self.board.middle(column, row, *corner)
        # As on a chess board, the cell at the left of the lowest row is dark.
        odd = self._chequered and (column + len(self.board.rows) - 1 - row) % 2 == 0
        kind = "odd" if odd else self.board.class_of(column, row)
        place = f"{self._number},{column},{row}"
        return self.board.ground_of(column, row, x, y, class_=f"cell {kind}".strip(), data_place=place)


def _short(labels: Sequence[str]) -> tuple[str, ...]:
    """Return labels cut to the room there is; long ones lose their common beginning."""
    common = 0
    if max(map(len, labels)) > 3:
        while len({label[: common + 1] for label in labels}) == 1 and all(len(x) > common + 1 for x in labels):
            common += 1
    return tuple(label[common:] if len(label) - common <= 6 else label[common : common + 5] + "…" for label in labels)
