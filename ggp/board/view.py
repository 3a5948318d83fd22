"""The boards of a game, and one state laid out on them.

A `Layout` is found once per game and says where each fact belongs; a `View` is one state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gdl.errors import GdlError
from gdl.language.parser import parse_term
from gdl.terms import Term, name_key
from ggp.board.kinds.board import Board, Waiting
from ggp.board.leaves import Leaves, flatten, pick
from ggp.board.model import Cell, CellPlace, Layer, Piece, View

#: The last moves: by role, or in any order.
Moves = Mapping[str, Term | str] | Sequence[Term | str]


@dataclass(frozen=True, slots=True)
class Layout:
    """The boards of a game. Each entry of `bands`, from top to bottom, has the numbers of boards side by side.

    `layers` maps shapes of facts to layers. A game without boards has an empty layout.
    """

    roles: tuple[str, ...]
    boards: tuple[Board, ...] = ()
    bands: tuple[tuple[int, ...], ...] = ()
    layers: Mapping[str, Layer] = field(default_factory=dict)

    def holds(self, layer: Layer) -> bool:
        """Return True if the facts of a layer say what roles hold."""
        return layer.board is not None and self.boards[layer.board].holds


def lay(layout: Layout, state: Iterable[Term], last_moves: Moves | None = None, before: View | None = None) -> View:
    """Return the pieces and marks of a state by cell; facts that belong to no board are in `rest`.

    Cells that the last moves name are marked as such. If they name none, those are that have changed since the view
    `before` them, unless most have.
    """
    pieces: dict[CellPlace, list[Piece]] = {}
    marks: dict[CellPlace, list[str]] = {}
    rest = []
    waiting: dict[int, list[Waiting]] = {}
    for fact in state:
        shape, leaves = flatten(fact)
        layer = layout.layers.get(shape)
        if layer is not None and layer.board is not None:
            waiting.setdefault(layer.board, []).append((fact, layer, leaves))
            continue
        place = layer.places.get(pick(leaves, layer.key)) if layer is not None else None
        if layer is None or place is None:
            rest.append(fact)
        elif layer.mark:
            marks.setdefault(place, []).append(layer.mark)
        elif (piece := layer.pieces.get(pick(leaves, layer.content))) is None:
            rest.append(fact)
        elif not piece.blank:
            pieces.setdefault(place, []).append(piece)
    for number, facts in waiting.items():
        rest += layout.boards[number].settle(facts, pieces)
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


def _changed(layout: Layout, before: View, pieces: Mapping[CellPlace, Sequence[Piece]]) -> set[CellPlace]:
    """Return the cells whose pieces are others than before; none if these are most of all cells.

    Pieces of several cells are left out: an arrow shows where they have moved. So are hands, whose things move up.
    """
    places = {*before.cells, *pieces}
    old = {place: _marked(cell.pieces) for place, cell in before.cells.items()}
    new = {place: _marked(standing) for place, standing in pieces.items()}
    changed = {place for place in places if old.get(place, set()) != new.get(place, set())}
    return changed if 2 * len(changed) <= sum(len(board.cells) for board in layout.boards if not board.holds) else set()


def _marked(pieces: Iterable[Piece]) -> set[Piece]:
    return {piece for piece in pieces if not (piece.joined or piece.held)}


def _named(layout: Layout, moves: Moves) -> Iterator[CellPlace]:
    """Yield the cells that moves name."""
    for move in moves.values() if isinstance(moves, Mapping) else moves:
        yield from places_in(layout, move)


def places_in(layout: Layout, move: Term | str) -> Iterator[CellPlace]:
    """Yield the cells whose coordinates stand next to each other in a move, in its order."""
    for _, _, place in spans_in(layout, leaves_of(move)):
        yield place


def spans_in(layout: Layout, leaves: Leaves) -> Iterator[tuple[int, int, CellPlace]]:
    """Yield the cells that are named in the leaves of a move, each with the first leaf and the one behind the last."""
    for sizes, places in _grids(layout):
        read: set[int] = set()  # a line between two dots does not also name the boxes that are called like the dots
        for size in sizes:
            at = 0
            while at + size <= len(leaves):
                free = read.isdisjoint(range(at, at + size))
                place = places.get(leaves[at : at + size]) if free else None
                if place is not None:
                    yield at, at + size, place
                    read.update(range(at, at + size))
                at += size if place is not None else 1


def _grids(layout: Layout) -> Iterable[tuple[Sequence[int], Mapping[Leaves, CellPlace]]]:
    """Return the places of cells by leaves, each with the possible numbers of leaves, the largest first."""
    grids: dict[int, tuple[Mapping[Leaves, CellPlace], set[int]]] = {}
    for layer in layout.layers.values():
        if layer.board is None and not layer.alike:
            grids.setdefault(id(layer.places), (layer.places, set()))[1].add(len(layer.key))
    return [(sorted(sizes, reverse=True), places) for places, sizes in grids.values()]


def held_piece(layout: Layout, fact: Term) -> Piece | None:
    """Return the piece that is in a hand, or on a deck, as a fact says; None if it says something else."""
    shape, leaves = flatten(fact)
    layer = layout.layers.get(shape)
    return layer.pieces.get(pick(leaves, layer.content)) if layer is not None and layout.holds(layer) else None


def hand_of(layout: Layout, view: View, role: str) -> dict[Leaves, CellPlace]:
    """Return where the things are that a role holds, or that are on a deck, by the leaves that name them."""
    found: dict[Leaves, CellPlace] = {}
    for layer in layout.layers.values():
        if not layout.holds(layer):
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
