"""Boards of cells in columns and rows, and what other kinds of boards do in another way.

A kind of board is a class that derives from `Board`. Each method here answers one question that a screen asks of every
board, and a kind answers some of them anew: where cells are, what they are called, and how they are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate
from typing import Final, Self

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from gdl.terms import Term
from ggp.board.drawing.elements import Element, element
from ggp.board.drawing.looks import CELL, look_of
from ggp.board.leaves import Leaves
from ggp.board.model import Cell, CellPlace, Layer, Piece
from ggp.board.terminal.colours import DIM, Colours
from ggp.rules.report_text import printable

#: The number of columns and rows from which the boards of games with several roles are chequered.
_CHEQUERED: Final = 4
#: An empty cell as text.
EMPTY: Final = "."

#: A fact whose place depends on others, and its leaves.
Waiting = tuple[Term, Layer, Leaves]
#: The content of a board by column and row, where there is anything.
Cells = Mapping[tuple[int, int], Cell]
#: Shortens labels to the room there is.
Short = Callable[[Sequence[str]], Sequence[str]]


@dataclass(frozen=True, slots=True)
class TextPart:
    """Some columns of a board as text: its cells, the width of each, and the width of the labels on the left."""

    cells: Cells
    columns: Sequence[int]
    pitch: int
    margin: int
    colours: Colours


@dataclass(frozen=True, slots=True)
class Board:
    """A board: the names of its columns and rows, and the cells it has.

    `upwards` is True if row names grow from the bottom to the top. `glyphs` are those of all pieces that can stand on
    the board. `widths` of columns and `heights` of rows are in cells; they are empty if all are 1.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: frozenset[tuple[int, int]] = field(repr=False)
    upwards: bool = True
    glyphs: frozenset[str] = frozenset()
    widths: tuple[float, ...] = ()
    heights: tuple[float, ...] = ()

    # ---------------------------------------------------------------------------------------- places

    @property
    def holds(self) -> bool:
        """True if the cells are no places, but what roles hold."""
        return False

    @property
    def upright(self) -> bool:
        """True if what is up stays up when the board is turned: it is seen from behind."""
        return False

    def settle(self, waiting: Sequence[Waiting], pieces: dict[CellPlace, list[Piece]]) -> Iterable[Term]:
        """Put things where all facts together say that they are, and return the facts left over.

        `waiting` are the facts of the board that do not say alone where they belong (`Layer.board`).
        """
        raise NotImplementedError

    def flipped(self) -> Self:
        """Return the board upside down."""
        last = len(self.rows) - 1
        return replace(
            self,
            rows=self.rows[::-1],
            cells=frozenset((column, last - row) for column, row in self.cells),
            upwards=not self.upwards,
            heights=self.heights[::-1],
        )

    def flip(self, column: int, row: int) -> tuple[int, int]:
        """Return the place of a cell on the flipped board."""
        return column, len(self.rows) - 1 - row

    # ---------------------------------------------------------------------------------------- words

    @property
    def labelled(self) -> bool:
        """True if the columns have labels."""
        return True

    def labels(self, short: Short) -> tuple[Sequence[str], Sequence[str]]:
        """Return the labels of columns and rows to draw, shortened."""
        return short(self.columns), short(self.rows)

    def signs(self, short: Short) -> tuple[Sequence[str], Sequence[str]]:
        """Return the labels of columns and rows in a drawing, where people read them beside names of cells."""
        return self.labels(short)

    def words(self, column: int, row: int, roles: Sequence[str]) -> str:
        """Return the name of a cell, such as `c4 2`, with the title of the board."""
        return f"{self.title} {self.name_of(column, row)}".strip()

    def said(self, column: int, row: int, roles: Sequence[str]) -> str:
        """Return the name of a cell as people say it beside a drawing."""
        return self.words(column, row, roles)

    def name_of(self, column: int, row: int) -> str:
        """Return the name of a cell on this board."""
        return f"{self.columns[column]} {self.rows[row]}".strip()

    def piece_words(self, piece: Piece, column: int, row: int) -> str:
        """Return what a piece on a cell is, such as `king` or `drawn by red`."""
        return piece.name

    # ---------------------------------------------------------------------------------------- drawing

    def chequered(self, roles: int) -> bool:
        """Return True if the cells have two colours in a game with this number of roles."""
        return roles > 1 and min(len(self.columns), len(self.rows)) >= _CHEQUERED

    def extent(self) -> tuple[float, float]:
        """Return the width and the height of all cells together."""
        return _starts(self.widths, len(self.columns))[-1] * CELL, _starts(self.heights, len(self.rows))[-1] * CELL

    def size(self, column: int, row: int) -> tuple[float, float]:
        """Return the width and the height of a cell."""
        width, height = (sizes[at] if sizes else 1 for sizes, at in ((self.widths, column), (self.heights, row)))
        return CELL * width, CELL * height

    def middle(self, column: int, row: int, left: float, top: float) -> tuple[float, float]:
        """Return the centre of a cell; the upper left corner of all cells is given."""
        width, height = self.size(column, row)
        lefts, tops = _starts(self.widths, len(self.columns)), _starts(self.heights, len(self.rows))
        return left + lefts[column] * CELL + width / 2, top + tops[row] * CELL + height / 2

    def first_column(self, row: int) -> int:
        """Return the column beside which the label of a row stands."""
        return 0

    def is_gap(self, column: int, row: int) -> bool:
        """Return True if a cell is what is between others, and not seen unless there is something."""
        return False

    def ground_of(self, column: int, row: int, x: float, y: float, /, **attributes: str | float) -> Element:
        """Return an empty cell around its centre."""
        width, height = self.size(column, row)
        return element("rect", **attributes, x=x - width / 2, y=y - height / 2, width=width, height=height)

    def class_of(self, column: int, row: int) -> str:
        """Return the class of a cell in the style sheet, besides `cell`, if the cells are not chequered."""
        return ""

    def sides_of(self, left: float, top: float) -> Iterator[tuple[str, Element]]:
        """Yield what is drawn before everything else in the colour of a role, with the role."""
        yield from ()

    def beneath(self, short: Short, left: float, top: float) -> Iterator[Element]:
        """Yield what is drawn before the cells; the upper left corner of all cells is given."""
        yield from ()

    def extras(self, short: Short, left: float, top: float) -> Iterator[Element]:
        """Yield what is drawn on the ground besides labels and cells."""
        yield from ()

    def highlight(
        self, column: int, row: int, x: float, y: float, inset: float, /, **attributes: str | float
    ) -> Element:
        """Return what covers a cell up to `inset` from its edges, under the pieces."""
        width, height = (size - 1 - 2 * inset for size in self.size(column, row))
        return element("rect", x=x - width / 2, y=y - height / 2, width=width, height=height, **attributes)

    def look(self, piece: Piece, column: int, row: int) -> list[Element]:
        """Return the elements of a piece on a cell, in a square of 48 units."""
        return look_of(piece)

    # ---------------------------------------------------------------------------------------- text

    def text(self, cells: Cells, colours: Colours, width: int) -> Iterator[list[Text]]:
        """Yield the board as lines of text; one too wide for the screen is split into groups of columns."""
        columns, rows = (tuple(map(printable, labels)) for labels in self.labels(short_words))
        pitch = max(map(cell_len, (EMPTY, *columns, *self.names_in_text(), *map(printable, self.glyphs))))
        margin = max(map(cell_len, rows))
        parts = list(self.text_parts(max(1, (width - margin - 2) // (pitch + 1))))
        names = columns if any(columns) else self.columns
        for part in parts:
            title = printable(self.title)
            if len(parts) > 1:
                title = f"{title} {names[part[0]]} to {names[part[-1]]}".strip()
            drawn = TextPart(cells, part, pitch, margin, colours)
            body = [line for row, label in enumerate(rows) for line in self.text_lines(row, label, drawn)]
            if self.labelled:
                indent = self.indent(len(rows) - 1 if self.upwards else 0, pitch)
                header = Text(" " * (margin + 2 + indent), DIM)
                header.append(" ".join(to_right(columns[column], pitch) for column in part))
                body = [*body, header] if self.upwards else [header, *body]
            yield [Text(title), *body] if title else body

    def names_in_text(self) -> Iterable[str]:
        """Return the names that cells have of their own."""
        return ()

    def text_parts(self, fit: int) -> Iterator[Sequence[int]]:
        """Yield groups of columns, at most so many."""
        for start in range(0, max(1, len(self.columns)), fit):
            yield range(len(self.columns))[start : start + fit]

    def text_lines(self, row: int, label: str, part: TextPart) -> Iterator[Text]:
        """Yield the lines of a row."""
        line = Text().append(to_right(label, part.margin), DIM).append(" ")
        line.append(" " * self.indent(row, part.pitch))
        yield line.append_text(self._row(row, part))

    def indent(self, row: int, pitch: int) -> int:
        """Return the characters by which a row is shifted to the right."""
        return 0

    def separators(self, row: int, part: TextPart) -> list[tuple[str, Style | str]]:
        """Return what separates the cells of a row, with what is before the first and behind the last one."""
        return [(" ", "")] * (len(part.columns) + 1)

    def text_of(self, column: int, row: int, part: TextPart) -> tuple[str, Style]:
        """Return the text of a place, and its style."""
        if (column, row) not in self.cells:
            return "", part.colours.plain
        return glyph_of(part.cells.get((column, row)), part.colours, EMPTY)

    def _row(self, row: int, part: TextPart) -> Text:
        """Return the cells of a row and the separators between them, which also carry annotations."""
        separators = self.separators(row, part)
        for position, column in enumerate(part.columns):
            cell = part.cells.get((column, row))
            if cell is not None and cell.named:
                before, style = separators[position]
                separators[position] = {" ": "[", "]": "|"}.get(before, before), style
                separators[position + 1] = "]", ""
            if cell is not None and cell.marks:
                separators[position + 1] = cell.marks[0], ""
        pieces = separators[:1]
        for position, column in enumerate(part.columns):
            glyph, style = self.text_of(column, row, part)
            pieces.append((to_right(glyph, part.pitch), style))
            pieces.append(separators[position + 1])
        return Text.assemble(*pieces)


@lru_cache(maxsize=64)
def _starts(sizes: tuple[float, ...], count: int) -> tuple[float, ...]:
    """Return where columns or rows begin, and the end of the last one."""
    return tuple(accumulate(sizes or (1.0,) * count, initial=0.0))


def glyph_of(cell: Cell | None, colours: Colours, empty: str) -> tuple[str, Style]:
    """Return the glyph of what is on a cell, and its style."""
    if cell is None or not cell.pieces:
        return empty, colours.named if cell is not None and cell.named else DIM
    style = colours.piece(cell.pieces[0])
    return printable(cell.pieces[0].glyph), style + colours.named if cell.named else style


def to_right(text: str, width: int) -> str:
    """Return a text with spaces before it."""
    return " " * (width - cell_len(text)) + text


def short_words(labels: Sequence[str]) -> Sequence[str]:
    """Return labels, without their common beginning if they are long."""
    if max(map(len, labels)) <= 3:
        return labels
    common = 0
    while len({label[: common + 1] for label in labels}) == 1 and all(len(label) > common + 1 for label in labels):
        common += 1
    return [label[common:] for label in labels]
