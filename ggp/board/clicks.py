"""Make moves by clicking: the sequence of cells that a person clicks to choose a move.

A move that names cells is clicked on these cells, in its order, and one that names a thing in the role's hand first on
that. Any other move is clicked by its effect: if a piece
changes its place, on one of its cells and then on one that it enters; if a piece appears, on its cell. A move with any
other effect has no path and is chosen by its name.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gdl.errors import GdlError
from gdl.terms import Term
from ggp.board.drawing.strokes import changes
from ggp.board.leaves import Leaves
from ggp.board.model import CellPlace, View
from ggp.board.view import Layout, hand_of, lay, leaves_of, places_in

#: Seconds spent on looking at the effects of moves.
_PATIENCE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Click:
    """A legal move and its path: the cells accepted at each click, or an empty path if it cannot be clicked."""

    move: Term
    path: tuple[frozenset[CellPlace], ...] = ()


def clicks(
    layout: Layout, view: View, legal: Sequence[Term], after: Callable[[Term], Iterable[Term]], role: str = ""
) -> tuple[Click, ...]:
    """Return a role's legal moves with their click paths; `after` returns the state after a move.

    Only with the name of the role are things in its hand clicked.

    Computing the effects of moves that name no cells takes time; once it is used up, the remaining ones get no path.
    """
    until = time.monotonic() + _PATIENCE
    found = []
    hand = hand_of(layout, view, role)
    for move in legal:
        named = tuple(places_in(layout, move))
        named = (*_held(hand, move, cells=bool(named)), *named)
        if named or len(legal) == 1 or not layout.boards or time.monotonic() > until:
            found.append(Click(move, tuple(frozenset((place,)) for place in named)))
            continue
        try:
            found.append(Click(move, _by_effect(view, lay(layout, after(move)))))
        except GdlError:
            found.append(Click(move))
    return tuple(found)


def _held(hand: Mapping[Leaves, CellPlace], move: Term, *, cells: bool) -> Iterator[CellPlace]:
    """Yield where the first thing of a hand is that a move names; numbers may also be those of the `cells` it names."""
    leaves = leaves_of(move) if hand else ()
    for at in range(len(leaves)):
        for thing, place in hand.items():
            if leaves[at : at + len(thing)] == thing and not (cells and thing[0].isdecimal()):
                yield place
                return


def _by_effect(before: View, after: View) -> tuple[frozenset[CellPlace], ...]:
    found = changes(before, after)
    moved = [change for change in found if change.left and change.entered]
    if len(moved) == 1 and len(found) == 1:
        # A piece of several cells is clicked on any of them; others may be on the board more than once.
        return moved[0].before if moved[0].piece.joined else moved[0].left, moved[0].entered
    appeared = [change for change in found if not change.left]
    if len(appeared) == len(found) == 1 and len(found[0].entered) == 1:
        return (found[0].entered,)
    return ()
