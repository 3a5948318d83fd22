"""What is on boards: cells, pieces, and the layers that say where each fact belongs.

Columns are counted from the left, rows from the top.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gdl.terms import Term
from ggp.board.leaves import Leaves


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
    that of a thing in a stack, in cells; it is 0 for all other pieces. `held` is the rank of a thing in a hand, from 1,
    and `count` how many of it there are; both are 0 for all other pieces. A `colour` is one that the name does not
    tell, or empty. An `image` is a data URI that is drawn in place of the shape.
    """

    name: str
    glyph: str
    owner: str | None = None
    blank: bool = False
    shape: str = ""
    joined: bool = False
    width: float = 0.0
    held: int = 0
    count: int = 0
    colour: str = ""
    image: str = field(default="", repr=False)

    @property
    def kind(self) -> str:
        """The name without the number of things in a hand."""
        return self.name.removeprefix(f"{self.count} ") if self.count > 1 else self.name


@dataclass(frozen=True, slots=True)
class Layer:
    """The role of facts of one shape: the leaves in `key` identify the cell, those in `content` the piece.

    In a layer with a `mark` (one character), facts are not pieces but mark a cell, whatever stands on it.

    In a layer of a `board`, the number of a board, a fact alone does not say where its piece is: what stands on what,
    or what else a role holds, decides. The board puts such pieces into its cells (`Board.settle`).

    In a layer that is `alike`, keys also name other cells, so a move with such a key does not say which it means.
    """

    shape: str
    name: str
    key: tuple[int, ...]
    content: tuple[int, ...]
    places: Mapping[Leaves, CellPlace] = field(repr=False)
    pieces: Mapping[Leaves, Piece] = field(repr=False)
    mark: str = ""
    board: int | None = None
    alike: bool = False


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
