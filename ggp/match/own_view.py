"""Boards as one role has seen them: what a person at a seat is shown of a game with hidden information.

A role knows the rules, its own moves and its percepts, and nothing else is used here. A percept that has the form of a
fact of a board, such as `(cell 2 3 x)`, shows what is on that cell; `(cell 2 3 empty)` shows that nothing is. A board
starts as the rules set it up, and each cell then keeps what was seen on it last. Hands show what the role is sure of.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from gdl.engine import Engine
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Term
from ggp.board.leaves import flatten, pick
from ggp.board.model import CellPlace
from ggp.board.view import Layout
from ggp.match.known_hands import KnownHands
from ggp.players.player import Told

#: The shape of a fact, and the cell that it is about.
Cell = tuple[str, CellPlace]


@final
class SeenBoards:
    """The boards of a game as a role has last seen them."""

    def __init__(self, game: Engine, layout: Layout) -> None:
        """Find out whether percepts show what is on the boards of this layout."""
        rulesheet = getattr(game, "rulesheet", None)
        heads = rulesheet.defining(("sees", 2)) if isinstance(rulesheet, Rulesheet) else ()
        self._layout = layout
        self._start = tuple(game.initial_state())
        self._hands = KnownHands(game, layout)
        cells = {shape for shape, layer in layout.layers.items() if not layout.holds(layer)}
        self._shown = any(flatten(rule.head.args[1])[0] in cells for rule in heads)

    def facts(self, role: str, told: Iterable[Told]) -> tuple[Term, ...]:
        """Return the facts of boards that a role knows of or has last seen, after what it was told of each ply.

        Before the first ply, these are all facts of the initial state. If percepts never show a board, there are only
        facts about hands after the first ply.
        """
        plies = tuple(told)
        if not plies:
            return self._start
        held = self._hands.facts(role, plies)
        if not self._shown:
            return held
        known: dict[Cell, list[Term]] = {}
        for seen in (self._start, *(ply.percepts for ply in plies)):
            fresh: dict[Cell, list[Term]] = {}
            for fact in seen:
                if (cell := cell_of(self._layout, fact)) is not None:
                    fresh.setdefault(cell, []).extend([fact] if stands(self._layout, fact) else [])
            known |= fresh
        return (*(fact for facts in known.values() for fact in facts), *held)


def cell_of(layout: Layout, fact: Term) -> Cell | None:
    """Return the cell that a fact or percept is about, with the shape of the fact; None if there is no cell.

    There is none for things in a stack or a hand: only the whole state says where they are.
    """
    shape, leaves = flatten(fact)
    layer = layout.layers.get(shape)
    if layer is None or layer.board is not None:
        return None
    place = layer.places.get(pick(leaves, layer.key))
    return None if place is None else (shape, place)


def stands(layout: Layout, fact: Term) -> bool:
    """Return True if something can stand on its cell as a fact says; otherwise it says that the cell is empty."""
    shape, leaves = flatten(fact)
    layer = layout.layers[shape]
    return bool(layer.mark) or pick(leaves, layer.content) in layer.pieces
