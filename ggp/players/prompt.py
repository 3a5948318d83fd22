"""Programs with clocks of their own, in a match without clocks: nobody has to wait for them at the table.

Otherwise, a person who plays a game for the first time would have to wait until it is compiled, which may take
minutes. With clocks, a program plays as well as it can until then.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Final, final

from gdl.terms import Term
from ggp.players.clock import Deadline
from ggp.players.player import End, Player, Start, Turn
from ggp.players.thought import Thought
from ggp.players.traits import thought_of

#: Entered while a program gets ready or thinks, with words for that.
Waiting = Callable[[str], AbstractContextManager[object]]


@final
class Prompt:
    """A player with clocks of its own: `ready` seconds to get ready, and `thinking` seconds for a move."""

    def __init__(self, player: Player, ready: float, thinking: float, waiting: Waiting | None = None) -> None:
        """Give clocks to a player; `waiting` is called when it works."""
        self.player = player
        self._ready = ready
        self.thinking = thinking
        self._waiting: Final = waiting or (lambda _: nullcontext())
        self._role = ""

    @property
    def name(self) -> str:
        """The player's name."""
        return self.player.name

    def start(self, start: Start, deadline: Deadline) -> None:  # noqa: ARG002
        """Start the player with its own clocks."""
        self._role = start.role
        clocked = replace(start, start_clock=self._ready, play_clock=self.thinking)
        with self._waiting(f"{self._role} gets ready"):
            self.player.start(clocked, Deadline.after(self._ready))

    def move(self, turn: Turn) -> Term | str:
        """Return the player's move within its own clock."""
        clocked = replace(turn, deadline=Deadline.after(self.thinking))
        if len(turn.legal) == 1:
            return self.player.move(clocked)
        with self._waiting(f"{self._role} thinks"):
            return self.player.move(clocked)

    def thought(self) -> Thought | None:
        """Return the player's thought."""
        return thought_of(self.player)

    def stop(self, end: End) -> None:
        """Stop the player."""
        self.player.stop(end)
