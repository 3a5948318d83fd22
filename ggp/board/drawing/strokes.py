"""The paths of the last moves from cell to cell, as the moves name them or as pieces have changed places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ggp.board.model import CellPlace, Piece, View
from ggp.board.view import Layout, Moves, places_in


@dataclass(frozen=True, slots=True)
class Stroke:
    """A move across a board: at least one cell, in the order in which they are passed."""

    places: tuple[CellPlace, ...]


def strokes(layout: Layout, moves: Moves) -> tuple[Stroke, ...]:
    """Return the cells that moves name, as one stroke per move and board."""
    found = []
    for move in moves.values() if isinstance(moves, Mapping) else moves:
        by_board: dict[int, list[CellPlace]] = {}
        for place in places_in(layout, move):
            by_board.setdefault(place.board, []).append(place)
        found += [Stroke(tuple(places)) for places in by_board.values()]
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Change:
    """The effect of a move on one piece: the cells it leaves, those it enters, and those it was on before."""

    piece: Piece
    left: frozenset[CellPlace]
    entered: frozenset[CellPlace]
    before: frozenset[CellPlace]


def changes(before: View, after: View) -> tuple[Change, ...]:
    """Return the pieces whose cells differ between two states."""
    old, new = _cells_by_piece(before), _cells_by_piece(after)
    return tuple(
        Change(piece, frozenset(cells - now), frozenset(now - cells), frozenset(cells))
        for piece in {**old, **new}
        if (cells := old.get(piece, set())) != (now := new.get(piece, set()))
    )


def _cells_by_piece(view: View) -> dict[Piece, set[CellPlace]]:
    found: dict[Piece, set[CellPlace]] = {}
    for place, cell in view.cells.items():
        for piece in cell.pieces:
            if not piece.held:  # in a hand, things move up
                found.setdefault(piece, set()).add(place)
    return found


def slides(before: View, after: View) -> Iterator[tuple[CellPlace, CellPlace]]:
    """Yield one cell before and after for each piece of several cells, or of a stack, that has moved as a whole."""
    for change in changes(before, after):
        if not (change.left and change.entered):
            continue
        if change.piece.width:
            yield min(change.left, key=_order), min(change.entered, key=_order)
        elif change.piece.joined:
            now = (change.before - change.left) | change.entered
            yield min(change.before, key=_order), min(now, key=_order)


def _order(place: CellPlace) -> tuple[int, int, int]:
    return place.board, place.row, place.column


def steps(strokes: Iterable[Stroke]) -> Sequence[tuple[CellPlace, CellPlace]]:
    """Return the start and end of each step of the strokes, cell by cell."""
    return [pair for stroke in strokes for pair in zip(stroke.places, stroke.places[1:], strict=False)]
