"""Boards as data: everything a screen needs to draw the states of one game, however it draws.

A `Layout` is found once per game and says where each fact belongs; a `View` is one state laid out. Columns are
counted from the left, rows from the top.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gdl.terms import Term
from ggp.board.finding.leaves import Leaves


@dataclass(frozen=True, slots=True)
class CellPlace:
    """A cell of a board: the board's number in the layout, the column from the left, the row from the top."""

    board: int
    column: int
    row: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A possible content of a cell. `name` is in the words of the rules; `owner` is the role it belongs to, if known.

    `glyph` is short and unique among the pieces of the board; a `blank` piece stands for an empty cell. `shape` is a
    key of `ggp.board.drawing.icons.SHAPES`, or empty. A `joined` piece can cover several cells. `width` is
    that of a thing in a stack, in cells; it is 0 for all other pieces. An `image` is a data URI that is drawn in place
    of the shape.
    """

    name: str
    glyph: str
    owner: str | None = None
    blank: bool = False
    shape: str = ""
    joined: bool = False
    width: float = 0.0
    image: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Layer:
    """The role of facts of one shape: the leaves in `key` identify the cell, those in `content` the piece.

    In a layer with a `mark` (one character), facts are not pieces but mark a cell, whatever stands on it.

    A layer of a `stack`, the number of its board, says what stands on what. Facts about things on the ground have a
    place; in all others, the last leaf of the key names a thing, and the place is the one on top of it.
    """

    shape: str
    name: str
    key: tuple[int, ...]
    content: tuple[int, ...]
    places: Mapping[Leaves, CellPlace] = field(repr=False)
    pieces: Mapping[Leaves, Piece] = field(repr=False)
    mark: str = ""
    stack: int | None = None


@dataclass(frozen=True, slots=True)
class Board:
    """A board: the names of its columns and rows, and the cells it has.

    `upwards` is True if row names grow from the bottom to the top. `shifts` has, for each row, its shift to the right
    in half cells; it is empty for rectangular grids. `glyphs` are those of all pieces that can stand on the board.
    On a `stacked` one, each row stands on the one below it. A `lined` one has lines between dots: the dots are in every
    second column and row, from the first to the last, and the lines between them. `widths` of columns and `heights` of
    rows are in cells; they are empty if all are 1.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: frozenset[tuple[int, int]] = field(repr=False)
    upwards: bool = True
    shifts: tuple[int, ...] = ()
    glyphs: frozenset[str] = frozenset()
    stacked: bool = False
    lined: bool = False
    widths: tuple[float, ...] = ()
    heights: tuple[float, ...] = ()

    @property
    def slanted(self) -> bool:
        """True if the rows are shifted, but all of them have the same columns."""
        return bool(self.shifts) and len(self.cells) == len(self.columns) * len(self.rows)

    def drawn(self, labels: Sequence[str], short: Callable[[Sequence[str]], Sequence[str]]) -> tuple[str, ...]:
        """Return the labels to draw, shortened; those of a `lined` board are those of its dots."""
        if not self.lined:
            return tuple(short(labels))
        dots = short(labels[::2])
        return tuple("" if number % 2 else dots[number // 2] for number in range(len(labels)))


@dataclass(frozen=True, slots=True)
class Layout:
    """The boards of a game. Each entry of `bands`, from top to bottom, has the numbers of boards side by side.

    `layers` maps shapes of facts to layers. A game without boards has an empty layout.
    """

    roles: tuple[str, ...]
    boards: tuple[Board, ...] = ()
    bands: tuple[tuple[int, ...], ...] = ()
    layers: Mapping[str, Layer] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cell:
    """The content of a cell in a state: pieces and marks.

    `named` is True if the last moves name the cell, or have changed it and name no cell at all. There is seldom more
    than one piece; if there is, the first is the rarest in the state, the one to be shown.
    """

    pieces: tuple[Piece, ...] = ()
    marks: tuple[str, ...] = ()
    named: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """A state laid out: the cells that are not just empty, and the facts that belong to no board."""

    cells: Mapping[CellPlace, Cell]
    rest: tuple[Term, ...]
