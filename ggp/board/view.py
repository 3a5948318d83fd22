"""Lay out one state on the boards of its game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from gdl.errors import GdlError
from gdl.language.parser import parse_term
from gdl.terms import Term, name_key
from ggp.board.finding.candidates import pick
from ggp.board.finding.leaves import Leaves, flatten
from ggp.board.model import Cell, CellPlace, Layer, Layout, Piece, View

#: The last moves: by role, or in any order.
Moves = Mapping[str, Term | str] | Sequence[Term | str]

#: A fact about what stands on what, its layer, and its leaves.
_Standing = tuple[Term, Layer, Leaves]


def lay(layout: Layout, state: Iterable[Term], last_moves: Moves | None = None, before: View | None = None) -> View:
    """Return the pieces and marks of a state by cell; facts that belong to no board are in `rest`.

    Cells that the last moves name are marked as such. If they name none, those are that have changed since the view
    `before` them, unless most have.
    """
    pieces: dict[CellPlace, list[Piece]] = {}
    marks: dict[CellPlace, list[str]] = {}
    rest = []
    standing: list[_Standing] = []
    held: dict[CellPlace, list[Piece]] = {}
    for fact in state:
        shape, leaves = flatten(fact)
        layer = layout.layers.get(shape)
        place = layer.places.get(pick(leaves, layer.key)) if layer is not None else None
        if layer is not None and place is None and layer.stack is not None:
            standing.append((fact, layer, leaves))
        elif layer is None or place is None:
            rest.append(fact)
        elif layer.mark:
            marks.setdefault(place, []).append(layer.mark)
        else:
            piece = layer.pieces.get(pick(leaves, layer.content))
            if piece is None:
                rest.append(fact)
            elif not piece.blank:
                (held if layer.hand else pieces).setdefault(place, []).append(piece)
    for place, things in held.items():
        _deal(layout, place, things, pieces)
    rest += _pile_up(standing, pieces)
    seen = Counter(piece for here in pieces.values() for piece in here)
    for here in pieces.values():
        here.sort(key=lambda piece: (seen[piece], piece.owner is None))  # the rarest piece matters most
    named = set(_named(layout, last_moves)) if last_moves else set()
    if last_moves and not named and before is not None:
        named = _changed(layout, before, pieces)
    cells = {
        place: Cell(tuple(pieces.get(place, ())), tuple(marks.get(place, ())), place in named)
        for place in {**dict.fromkeys(pieces), **dict.fromkeys(marks), **dict.fromkeys(named)}
    }
    return View(cells, tuple(rest))


def _pile_up(standing: Sequence[_Standing], pieces: dict[CellPlace, list[Piece]]) -> Iterable[Term]:
    """Put the pieces of a stack on those that they stand on, from the ground up; return the facts left over."""
    under: dict[tuple[int | None, str], CellPlace] = {
        (place.board, name_key(piece.name)): place for place, here in pieces.items() for piece in here
    }
    while standing:
        floating = []
        for fact, layer, leaves in standing:
            below = under.get((layer.stack, leaves[layer.key[-1]]))
            piece = layer.pieces.get(pick(leaves, layer.content))
            place = _above(below) if below else None
            if piece is None or place is None:
                floating.append((fact, layer, leaves))
                continue
            pieces.setdefault(place, []).append(piece)
            under[place.board, name_key(piece.name)] = place
        if len(floating) == len(standing):
            break
        standing = floating
    return [fact for fact, _, _ in standing]


def _deal(layout: Layout, first: CellPlace, things: Iterable[Piece], pieces: dict[CellPlace, list[Piece]]) -> None:
    """Put things into the cells of a hand, from the first one on; the last cell has all that do not fit before it."""
    board = layout.boards[first.board]
    lines = 1
    while first.row + lines < len(board.rows) and not board.rows[first.row + lines]:
        lines += 1
    width = len(board.columns)
    for number, piece in enumerate(sorted(things, key=lambda piece: piece.held)):
        row, column = divmod(min(number, lines * width - 1), width)
        pieces.setdefault(replace(first, column=column, row=first.row + row), []).append(piece)


def _above(place: CellPlace) -> CellPlace | None:
    """Return the place on top of another one, if the board is so high."""
    return replace(place, row=place.row - 1) if place.row else None


def _changed(layout: Layout, before: View, pieces: Mapping[CellPlace, Sequence[Piece]]) -> set[CellPlace]:
    """Return the cells whose pieces are others than before; none if these are most of all cells.

    Pieces of several cells are left out: an arrow shows where they have moved. So are hands, whose things move up.
    """
    places = {*before.cells, *pieces}
    old = {place: _marked(cell.pieces) for place, cell in before.cells.items()}
    new = {place: _marked(standing) for place, standing in pieces.items()}
    changed = {place for place in places if old.get(place, set()) != new.get(place, set())}
    return changed if 2 * len(changed) <= sum(len(b.cells) for b in layout.boards if not b.hand) else set()


def _marked(pieces: Iterable[Piece]) -> set[Piece]:
    return {piece for piece in pieces if not (piece.joined or piece.held)}


def _named(layout: Layout, moves: Moves) -> Iterator[CellPlace]:
    """Yield the cells that moves name."""
    for move in moves.values() if isinstance(moves, Mapping) else moves:
        yield from places_in(layout, move)


def places_in(layout: Layout, move: Term | str) -> Iterator[CellPlace]:
    """Yield the cells whose coordinates stand next to each other in a move, in its order."""
    leaves = leaves_of(move)
    for sizes, places in _grids(layout):
        read: set[int] = set()  # a line between two dots does not also name the boxes that are called like the dots
        for size in sizes:
            at = 0
            while at + size <= len(leaves):
                free = read.isdisjoint(range(at, at + size))
                place = places.get(leaves[at : at + size]) if free else None
                if place is not None:
                    yield place
                    read.update(range(at, at + size))
                at += size if place is not None else 1


def _grids(layout: Layout) -> Iterable[tuple[Sequence[int], Mapping[Leaves, CellPlace]]]:
    """Return the places of cells by leaves, each with the possible numbers of leaves, the largest first."""
    grids: dict[int, tuple[Mapping[Leaves, CellPlace], set[int]]] = {}
    for layer in layout.layers.values():
        if layer.fixed and not layer.alike:
            grids.setdefault(id(layer.places), (layer.places, set()))[1].add(len(layer.key))
    return [(sorted(sizes, reverse=True), places) for places, sizes in grids.values()]


def held_piece(layout: Layout, fact: Term) -> Piece | None:
    """Return the piece that is in a hand, or on a deck, as a fact says; None if it says something else."""
    shape, leaves = flatten(fact)
    layer = layout.layers.get(shape)
    return layer.pieces.get(pick(leaves, layer.content)) if layer is not None and layer.hand else None


def hand_of(layout: Layout, view: View, role: str) -> dict[Leaves, CellPlace]:
    """Return where the things are that a role holds, or that are on a deck, by the leaves that name them."""
    found: dict[Leaves, CellPlace] = {}
    for layer in layout.layers.values():
        if not layer.hand:
            continue
        owner = (name_key(role),)[: len(layer.key)]
        numbers = {place.board for place in layer.places.values()}
        names = {
            piece: content[len(owner) :] for content, piece in layer.pieces.items() if content[: len(owner)] == owner
        }
        for place, cell in view.cells.items():
            for piece in cell.pieces if place.board in numbers else ():
                if (name := names.get(piece)) is not None:
                    found.setdefault(name[:-1] if piece.count else name, place)
    return found


def leaves_of(move: Term | str) -> Leaves:
    """Return the leaves of a move; none if its text is no term."""
    try:
        return flatten(parse_term(move) if isinstance(move, str) else move)[1]
    except GdlError:
        return ()
