"""Programs with clocks of their own, in a match without clocks: nobody has to wait for them at the table.

Otherwise, a person who plays a game for the first time would have to wait until it is compiled, which may take
minutes. With clocks, a program plays as well as it can until then.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from threading import Event
from typing import Final, final

from gdl.engine import Engine
from gdl.terms import Term
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation
from ggp.players.daemon import DaemonThread
from ggp.players.player import End, Player, Start, Turn
from ggp.players.thought import Thought
from ggp.players.traits import compiles, note_of, refusal, thought_of

#: Nobody plays well before the game is compiled. If no person waits, a match begins this many seconds later if need be.
COMPILING: Final = 20.0

#: Entered while a program gets ready or thinks, with words for that.
Waiting = Callable[[str], AbstractContextManager[object]]


@final
class Prompt:
    """A player with clocks of its own: `ready` seconds to get ready, and `thinking` seconds for a move.

    With `meanwhile`, the match begins at once, and the player gets ready while others move. Otherwise, the game is
    compiled before, if that takes no longer than `COMPILING`. When its first choice is due, it has `thinking` seconds
    more to get ready. Once it is ready, it is told of the earlier plies, in which it had one legal move each.
    """

    def __init__(
        self,
        player: Player,
        ready: float,
        thinking: float,
        waiting: Waiting | None = None,
        *,
        meanwhile: bool = False,
    ) -> None:
        """Give clocks to a player; `waiting` is called when others have to wait for it."""
        self.player = player
        self.ready = ready
        self.thinking = thinking
        self._waiting: Final = waiting or (lambda _: nullcontext())
        self._meanwhile = meanwhile
        self._role = ""
        self._starting: Future[None] | None = None
        self._thread: threading.Thread | None = None
        self._called_off = Event()
        self._untold: list[Turn] = []

    @property
    def name(self) -> str:
        """The player's name."""
        return self.player.name

    def start(self, start: Start, deadline: Deadline) -> None:
        """Start the player with its own clocks."""
        self._role = start.role
        clocked = replace(start, start_clock=self.ready, play_clock=self.thinking)
        self._called_off, self._untold = Event(), []
        if self._meanwhile:
            deadline = replace(Deadline.after(self.ready), called_off=self._called_off)
            self._starting = Future()
            arguments = (self._starting, lambda: self.player.start(clocked, deadline), self._thread)
            self._thread = DaemonThread(_complete, *arguments, name="getting ready")
            self._thread.start()
            return
        with self._waiting(f"{self._role} gets ready"):
            if compiles(self.player):
                compilation(start).result(Deadline.after(COMPILING))
            self.player.start(clocked, replace(Deadline.after(self.ready), called_off=self._called_off))

    def move(self, turn: Turn) -> Term | str:
        """Return the player's move within its own clock."""
        if len(turn.legal) == 1 and self._starting is not None and not self._starting.done():
            self._untold.append(turn)
            return turn.legal[0]
        self._get_ready()
        if len(turn.legal) == 1:
            return self._asked(turn)
        with self._waiting(f"{self._role} thinks"):
            return self._asked(turn)

    @property
    def note(self) -> str:
        """The player's remark."""
        return note_of(self.player)

    def refusal(self, game: Engine) -> str:
        """Return why the player cannot play a game."""
        return refusal(self.player, game)

    def thought(self) -> Thought | None:
        """Return the player's thought."""
        return thought_of(self.player)

    def stop(self, end: End) -> None:
        """Stop the player; one that is still getting ready is stopped as soon as it is."""
        self._called_off.set()
        if self._starting is None or self._starting.done():
            self.player.stop(end)
        else:
            self._starting.add_done_callback(lambda _: self.player.stop(end))

    def _get_ready(self) -> None:
        """Wait until the player is ready, and tell it what has happened. Raises the errors of its `start`."""
        starting, self._starting = self._starting, None
        if starting is not None:
            with self._waiting(f"{self._role} gets ready"):
                wait([starting], timeout=self.thinking)
                self._called_off.set()
                starting.result()
        while self._untold:
            self._asked(self._untold.pop(0))

    def _asked(self, turn: Turn) -> Term | str:
        return self.player.move(replace(turn, deadline=turn.deadline.until(time.monotonic() + self.thinking)))


def _complete(future: Future[None], call: Callable[[], None], before: threading.Thread | None) -> None:
    """Make a call, after a thread has ended that may still use the player for an earlier match."""
    if before is not None:
        before.join()
    try:
        call()
    except BaseException as error:  # whatever a player raises is raised where its first move is due
        future.set_exception(error)
    else:
        future.set_result(None)
