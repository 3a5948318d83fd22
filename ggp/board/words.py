"""Cells and what is on them in words, for those who do not see the board; and the facts that belong to no board."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gdl.terms import Function, Term
from ggp.board.model import Board, Cell, CellPlace, Layout, Piece


def cell_words(layout: Layout, place: CellPlace) -> str:
    """Return the name of a cell, such as `c4 2`, `line between (1, 1) and (1, 2)` or `hand of alice, 3`."""
    board = layout.boards[place.board]
    if board.hand:
        row = next(board.rows[row] for row in range(place.row, -1, -1) if board.rows[row])
        number = place.column + 1 + len(board.columns) * (place.row - board.rows.index(row))
        return f"{board.title} of {row}, {number}" if row in layout.roles else f"{row}, {number}"
    if board.names:
        words = board.names[place.column, place.row]
    elif board.walled:
        words = _wall_words(board, place)
    elif board.lined:
        words = _line_words(board, place)
    else:
        words = f"{board.columns[place.column]} {board.rows[place.row]}".strip()
    return f"{board.title} {words}".strip()


def content_words(layout: Layout, place: CellPlace, cell: Cell) -> str:
    """Return what is on a cell, such as `king` or `drawn by red`; nothing if that is nothing."""
    names = {layer.mark: layer.name for layer in layout.layers.values() if layer.mark}
    board = layout.boards[place.board]
    pieces = [piece.name for piece in cell.pieces]
    if board.is_line(place.column, place.row):
        pieces = [_made_by(piece, walled=board.walled) for piece in cell.pieces]
    return ", ".join([*pieces, *(names.get(mark, mark) for mark in cell.marks)])


def _wall_words(board: Board, place: CellPlace) -> str:
    """Return the name of a cell of a board with walls, or of what is between cells, or between one and the outside."""
    beside = [
        [names[at]] if at % 2 else [names[near] for near in (at - 1, at + 1) if 0 < near < len(names)]
        for names, at in ((board.columns, place.column), (board.rows, place.row))
    ]
    if board.upwards:
        beside[1].reverse()
    cells = [f"{column} {row}" for row in beside[1] for column in beside[0]]
    if place.column % 2 and place.row % 2:
        return cells[0]
    if len(cells) == 2:
        return f"between {cells[0]} and {cells[1]}"
    return f"corner of {', '.join(cells)}" if len(cells) > 2 else f"side of {cells[0]}"


def _line_words(board: Board, place: CellPlace) -> str:
    """Return the name of a line, a box or a dot."""
    columns, rows = ((at - 1, at + 1) if at % 2 else (at, at) for at in (place.column, place.row))
    ends = zip(columns, rows[::-1] if board.upwards else rows, strict=True)
    first, last = (f"({board.columns[column]}, {board.rows[row]})" for column, row in ends)
    if first == last:
        return f"dot {first}"
    return f"line between {first} and {last}" if board.is_line(place.column, place.row) else f"box {first} to {last}"


def _made_by(piece: Piece, *, walled: bool) -> str:
    """Return who has made a line or a wall."""
    if walled:
        return f"wall of {piece.owner}" if piece.owner else "wall"
    return f"drawn by {piece.owner}" if piece.owner else "drawn"


@dataclass(frozen=True, slots=True)
class Note:
    """A relation and its facts in a state: one text per fact; no rows for a fact without arguments."""

    name: str
    rows: tuple[str, ...]

    @property
    def text(self) -> str:
        """The relation and its facts on one line."""
        return " ".join((self.name, ", ".join(self.rows))) if self.rows else self.name


def grouped(facts: Iterable[Term]) -> tuple[Note, ...]:
    """Group facts by relation, in order of appearance."""
    groups: dict[str, list[str]] = {}
    for fact in facts:
        if isinstance(fact, Function):
            groups.setdefault(fact.name, []).append(" ".join(arg.text for arg in fact.args))
        else:
            groups.setdefault(fact.text, [])
    return tuple(Note(name, tuple(rows)) for name, rows in groups.items())
