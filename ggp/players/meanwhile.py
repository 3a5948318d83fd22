"""Moves for a player whose search is not ready: by `uct`, or by `greedy` if `uct` has no time for enough simulations.

Both play on the Reasoner: neither compiles anything.
"""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import Final, final

from gdl.terms import Term
from ggp.players.background import Background
from ggp.players.clock import Deadline
from ggp.players.greedy import GreedyPlayer
from ggp.players.player import End, Start, Turn
from ggp.players.uct import UctPlayer

#: The share of the time left for a move in which `greedy` looks for one.
_SHARE: Final = 0.3

#: The simulations per legal move from which the move of `uct` is preferred.
_ENOUGH: Final = 3


@final
class Meanwhile:
    """Plays until a search is ready. Without a clock it plays as `greedy`, and with hidden states at random."""

    def __init__(self) -> None:
        """Start without a match."""
        self._greedy = GreedyPlayer()
        self._preparing: Background[UctPlayer] | None = None

    def start(self, start: Start, deadline: Deadline) -> None:
        """Take the game of the match, and prepare `uct` in a thread."""
        self._greedy.start(start, deadline)
        self._preparing = None
        if deadline.at is None or start.hidden:
            return

        def prepare() -> UctPlayer:
            uct = UctPlayer()
            uct.start(start, deadline)
            return uct

        self._preparing = Background(prepare, "preparation of uct")

    def move(self, turn: Turn) -> Term:
        """Return the move of `uct` if it has enough simulations, else that of `greedy`."""
        uct = self._preparing.ready() if self._preparing is not None else None
        if uct is None or turn.state is None or turn.deadline.at is None or len(turn.legal) == 1:
            return self._greedy.move(turn)
        glance = turn.deadline.until(monotonic() + _SHARE * max(0.0, turn.deadline.left()))
        safe = self._greedy.move(replace(turn, deadline=glance))
        found = uct.move(turn)
        return found if uct.done >= _ENOUGH * len(turn.legal) else safe

    def stop(self, end: End) -> None:
        """Forget the match."""
        self._greedy.stop(end)
        self._preparing = None
