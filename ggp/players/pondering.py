"""Pondering: a search that goes on between an answer and the next question, while the other roles think.

    pondering = Pondering()
    pondering.begin(start, lambda until: search_from(state, until))    # the answer is known
    ...
    if pondering.end(turn.deadline):                                   # the next question has come
        ...                                                            # the search may be used again
        pondering.taken()                                              # the work that was done meanwhile

A match decides if its players may ponder (`Start.ponder`). The memory of a search is limited as always.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event
from typing import Final, final

from ggp.players.background import Background
from ggp.players.clock import NEVER, Deadline
from ggp.players.player import Start

#: Seconds before the search goes on, in which the answer is sent.
_SENDING: Final = 0.003

#: The length of a step of a search that ponders, in seconds: a question waits for the end of one.
STEP: Final = 0.01

#: The share of the time left for a move in which the last step has to end, and the seconds at the end of a match.
_SHARE: Final = 0.5
_FAREWELL: Final = 0.5

#: Pondering ends by itself after this many play clocks: nobody may ask again.
_CLOCKS: Final = 2.0


def may_ponder(start: Start) -> bool:
    """Return True if the match lets its players ponder. Without a play clock, questions come at any time or never."""
    return start.ponder and start.play_clock is not None and not start.hidden


@final
class Pondering:
    """Lets a search go on in a thread. Use it from the thread that answers questions."""

    def __init__(self) -> None:
        """Start without a search."""
        self._thinking: Background[int] | None = None
        self._called_off = Event()
        self._work = 0

    def begin(self, start: Start, search: Callable[[Deadline], int]) -> None:
        """Let a search begin soon. It gets a deadline, which may be called off, and returns the work that it did.

        It has to look at the deadline every `STEP` seconds.
        """
        self._called_off = called_off = Event()
        limit = _CLOCKS * (start.play_clock or 0.0)

        def think() -> int:
            if called_off.wait(_SENDING):
                return 0
            return search(Deadline(time.monotonic() + limit, called_off))

        self._thinking = Background(think, "pondering")

    def end(self, deadline: Deadline = NEVER) -> bool:
        """End the search; return False if its last step takes longer than a part of the time left.

        Raises what the search has raised.
        """
        if self._thinking is None:
            return True
        self._called_off.set()
        try:
            work = self._thinking.result(
                deadline.until(time.monotonic() + _SHARE * max(0.0, deadline.left())), margin=0.0
            )
        except BaseException:
            self._thinking = None  # The error is raised once.
            raise
        if not self._thinking.over:
            return False
        self._thinking = None
        self._work += work or 0
        return True

    def leave(self) -> None:
        """End the search at the end of a match, without a long wait, and forget its work."""
        self.end(Deadline.after(_FAREWELL / _SHARE))
        self._work = 0

    def taken(self) -> int:
        """Return the work that was done since the last call."""
        work, self._work = self._work, 0
        return work
