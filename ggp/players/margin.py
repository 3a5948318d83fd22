"""The part of a clock that a player keeps in reserve, which grows on a busy machine.

margin = Margin()                             # one for a match
until = margin.begin(turn.deadline, 0.025)    # the search ends by then
while margin.look() > 0:                      # at short intervals
    ...
margin.end()                                  # the answer is ready
"""

from __future__ import annotations

import time
from typing import Final, final

from ggp.players.clock import NEVER, Deadline, StepTime

#: The most that is kept in reserve for delays, as a share of the time left: whatever happens, the rest is for thinking.
_MOST: Final = 0.25

#: Delays are expected to be this much longer than those seen.
_CAUTION: Final = 1.2

#: The fixed part of what a search keeps in reserve: some seconds, and this share of the time left.
_SECONDS: Final = 0.01
_SHARE: Final = 0.02


def reserve(deadline: Deadline) -> float:
    """Return the seconds that a search keeps in reserve, so that the answer is in time; 0 without a clock."""
    return 0.0 if deadline.at is None else _SECONDS + _SHARE * max(0.0, deadline.left())


@final
class Margin:
    """The time to keep in reserve for an answer: a fixed part, and as much as this process was lately kept waiting.

    On a busy core, a process is now and then kept waiting for longer than any fixed reserve. A delay over the end of
    the clock makes the answer late, so the reserve covers the delays of the last searches, except for the very longest:
    during that, the process may have been stopped.
    """

    def __init__(self) -> None:
        """Begin without any delays."""
        self._delays = StepTime()
        self._until = NEVER
        self._last = 0.0
        self._longest = 0.0

    def delay(self, left: float) -> float:
        """Return the seconds to keep in reserve for delays, given the seconds that are left."""
        return min(_CAUTION * self._delays.slowest, _MOST * max(0.0, left))

    def note(self, seconds: float) -> None:
        """Count a delay that was measured elsewhere."""
        self._delays.add(seconds)

    def begin(self, deadline: Deadline, fixed: float) -> Deadline:
        """Begin a search with `fixed` seconds in reserve besides those for delays; return its deadline."""
        self._last, self._longest = time.monotonic(), 0.0
        left = deadline.left()
        self._until = deadline if deadline.at is None else deadline.earlier(fixed + self.delay(left))
        return self._until

    def look(self) -> float:
        """Return the seconds left for the search. The times between two looks count as delays: look often."""
        now = time.monotonic()
        self._longest = max(self._longest, now - self._last)
        self._last = now
        return self._until.left()

    def end(self) -> None:
        """End the search: the time since its deadline counts as a delay, too."""
        if self._until.at is not None:
            self._delays.add(max(self._longest, time.monotonic() - self._until.at))
