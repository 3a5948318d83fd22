"""One state laid out on the boards of its game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gdl.errors import GdlError
from gdl.language.parser import parse_term
from gdl.terms import Term
from ggp.board.candidates import pick
from ggp.board.leaves import Leaves, flatten
from ggp.board.model import Cell, CellPlace, Layout, Piece, View

#: The last moves: by role, or in any order.
Moves = Mapping[str, Term | str] | Sequence[Term | str]


def lay(layout: Layout, state: Iterable[Term], last_moves: Moves | None = None) -> View:
    """The pieces and marks of a state by cell; what finds no place on a board is in `rest`."""
    pieces: dict[CellPlace, list[Piece]] = {}
    marks: dict[CellPlace, list[str]] = {}
    rest = []
    for fact in state:
        shape, leaves = flatten(fact)
        layer = layout.layers.get(shape)
        place = layer.places.get(pick(leaves, layer.key)) if layer is not None else None
        if layer is None or place is None:
            rest.append(fact)
        elif layer.mark:
            marks.setdefault(place, []).append(layer.mark)
        else:
            piece = layer.pieces.get(pick(leaves, layer.content))
            if piece is None:
                rest.append(fact)
            elif not piece.blank:
                pieces.setdefault(place, []).append(piece)
    seen = Counter(piece for standing in pieces.values() for piece in standing)
    for standing in pieces.values():
        standing.sort(key=lambda piece: (seen[piece], piece.owner is None))  # what is rare is what matters
    named = set(_named(layout, last_moves)) if last_moves else set()
    cells = {
        place: Cell(tuple(pieces.get(place, ())), tuple(marks.get(place, ())), place in named)
        for place in {**dict.fromkeys(pieces), **dict.fromkeys(marks), **dict.fromkeys(named)}
    }
    return View(cells, tuple(rest))


def _named(layout: Layout, moves: Moves) -> Iterator[CellPlace]:
    """The cells whose coordinates stand in a move, next to one another and in the order of the facts."""
    for move in moves.values() if isinstance(moves, Mapping) else moves:
        yield from places_in(layout, move)


def places_in(layout: Layout, move: Term | str) -> Iterator[CellPlace]:
    """The cells whose coordinates stand in one move, in its order."""
    leaves = _leaves(move)
    for size, places in _grids(layout):
        at = 0
        while at + size <= len(leaves):
            place = places.get(leaves[at : at + size])
            if place is not None:
                yield place
            at += size if place is not None else 1


def _grids(layout: Layout) -> Iterable[tuple[int, Mapping[Leaves, CellPlace]]]:
    """The ways in which cells are written: how many leaves, and which cell they tell; each of them once."""
    return {id(layer.places): (len(layer.key), layer.places) for layer in layout.layers.values()}.values()


def _leaves(move: Term | str) -> Leaves:
    try:
        return flatten(parse_term(move) if isinstance(move, str) else move)[1]
    except GdlError:
        return ()
