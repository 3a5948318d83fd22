"""Boards as data: what a screen needs to draw the states of one game, whichever way it draws.

A `Layout` is found once per game and says where each fact belongs; a `View` is one state laid out. Boards count
columns from the left and rows from the top.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gdl.terms import Term
from ggp.board.leaves import Leaves


@dataclass(frozen=True, slots=True)
class CellPlace:
    """A cell of a board: the number of the board in the layout, the column from the left, the row from the top."""

    board: int
    column: int
    row: int


@dataclass(frozen=True, slots=True)
class Piece:
    """What can stand on a cell. `name` is in the words of the rules; `owner` is a role, where a role's name tells.

    `glyph` is short and differs from that of every other piece of the board; a `blank` stands for an empty cell.
    `shape` names one of `ggp.board.icons`, empty where the piece has none. A `joined` piece can cover several cells.
    """

    name: str
    glyph: str
    owner: str | None = None
    blank: bool = False
    shape: str = ""
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Layer:
    """Where the facts of one shape go: leaves `key` tell the cell, leaves `content` the piece.

    Facts of a layer with a `mark` (one character) are no pieces but mark the cell, whatever stands there.
    """

    shape: str
    name: str
    key: tuple[int, ...]
    content: tuple[int, ...]
    places: Mapping[Leaves, CellPlace] = field(repr=False)
    pieces: Mapping[Leaves, Piece] = field(repr=False)
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Board:
    """A board: the names of its columns and rows, and which cells it has.

    `upwards` tells that the names of rows grow from the bottom to the top. `shifts` are per row, in halves of a
    cell to the right; empty for a rectangular grid. `glyphs` are those of all pieces that can come to stand on it.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: frozenset[tuple[int, int]] = field(repr=False)
    upwards: bool = True
    shifts: tuple[int, ...] = ()
    glyphs: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Layout:
    """The boards of a game. `bands` are the numbers of boards that stand side by side, from top to bottom.

    `layers` are by the shape of facts. A game without boards has an empty layout.
    """

    roles: tuple[str, ...]
    boards: tuple[Board, ...] = ()
    bands: tuple[tuple[int, ...], ...] = ()
    layers: Mapping[str, Layer] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cell:
    """What a state has on one cell: pieces, marks, and whether the last moves name it.

    There is seldom more than one piece; then the first is the rarest of the state, the one to be shown.
    """

    pieces: tuple[Piece, ...] = ()
    marks: tuple[str, ...] = ()
    named: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """A state laid out: the cells that are not simply empty, and the facts that belong to no board."""

    cells: Mapping[CellPlace, Cell]
    rest: tuple[Term, ...]
