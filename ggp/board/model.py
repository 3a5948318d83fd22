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
    that of a thing in a stack, in cells; it is 0 for all other pieces. `held` is the rank of a thing in a hand, from 1,
    and `count` how many of it there are; both are 0 for all other pieces. An `image` is a data URI that is drawn in
    place of the shape.
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
    image: str = field(default="", repr=False)

    @property
    def kind(self) -> str:
        """The name without the number of things in a hand."""
        return self.name.removeprefix(f"{self.count} ") if self.count > 1 else self.name


@dataclass(frozen=True, slots=True)
class Layer:
    """The role of facts of one shape: the leaves in `key` identify the cell, those in `content` the piece.

    In a layer with a `mark` (one character), facts are not pieces but mark a cell, whatever stands on it.

    A layer of a `stack`, the number of its board, says what stands on what. Facts about things on the ground have a
    place; in all others, the last leaf of the key names a thing, and the place is the one on top of it.

    A layer of a `hand` says who holds what. The key names the role, or nothing in the case of a deck; its place is the
    first one of a row, which is filled from the left.

    In a layer that is `alike`, places are called as others are: a move that names them does not say which it means.
    """

    shape: str
    name: str
    key: tuple[int, ...]
    content: tuple[int, ...]
    places: Mapping[Leaves, CellPlace] = field(repr=False)
    pieces: Mapping[Leaves, Piece] = field(repr=False)
    mark: str = ""
    stack: int | None = None
    hand: bool = False
    alike: bool = False

    @property
    def fixed(self) -> bool:
        """True if a fact alone says where its piece is, whatever else there is."""
        return self.stack is None and not self.hand


@dataclass(frozen=True, slots=True)
class Board:
    """A board: the names of its columns and rows, and the cells it has.

    `upwards` is True if row names grow from the bottom to the top. `shifts` has, for each row, its shift to the right
    in half cells; it is empty for rectangular grids. `glyphs` are those of all pieces that can stand on the board.
    On a `stacked` one, each row stands on the one below it. A `lined` one has lines between dots: the dots are in every
    second column and row, from the first to the last, and the lines between them. If it is `walled`, there are walls
    between its cells, in their corners instead of dots, and walls in corners run like the character `crossing`.
    `widths` of columns and `heights` of rows are in cells; they are empty if all are 1. On a `hand`, each row has what
    a role holds, or a deck; a row without a name continues the one above it, and the columns are just numbers. If its
    cells are in no columns and rows, they have `names` of their own.
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
    walled: bool = False
    crossing: str = ""
    hand: bool = False
    widths: tuple[float, ...] = ()
    heights: tuple[float, ...] = ()
    names: Mapping[tuple[int, int], str] = field(default_factory=dict, hash=False)

    @property
    def labelled(self) -> bool:
        """True if the columns have labels."""
        return (self.slanted or not self.shifts) and not (self.hand or self.names)

    @property
    def slanted(self) -> bool:
        """True if the rows are shifted, but all of them have the same columns."""
        return bool(self.shifts) and len(self.cells) == len(self.columns) * len(self.rows)

    def is_line(self, column: int, row: int) -> bool:
        """Return True if a line or a wall belongs there, and not a dot or a cell."""
        return self.lined and (not (column % 2 and row % 2) if self.walled else (column + row) % 2 == 1)

    def drawn(self, short: Callable[[Sequence[str]], Sequence[str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the labels of columns and rows to draw, shortened.

        Those of a `lined` board are those of its dots, and those of a `walled` one those of its cells. On a `hand`,
        only the rows have labels, and these are as long as they are.
        """
        if self.hand:
            return ("",) * len(self.columns), self.rows
        if not self.lined:
            return tuple(short(self.columns)), tuple(short(self.rows))
        first = 1 if self.walled else 0
        columns, rows = (
            tuple(named[number // 2] if number % 2 == first else "" for number in range(len(labels)))
            for labels in (self.columns, self.rows)
            for named in (short(labels[first::2]),)
        )
        return columns, rows


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
