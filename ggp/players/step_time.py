"""The time that the steps of a search take, by which it stops before its deadline."""

from __future__ import annotations

from collections import deque
from typing import Final, final

#: The number of steps that count.
_KEPT: Final = 16


@final
class StepTime:
    """The slowest of the last steps, in seconds, except for the very slowest: during that, the process may have stood.

    A process that is stopped, or a machine that is busy, makes one step seem slow that is not. If no further step were
    begun because of it, no step would ever show that steps are fast.
    """

    def __init__(self) -> None:
        """Begin without any steps."""
        self._last: deque[float] = deque(maxlen=_KEPT)
        self._made = False

    def begin(self) -> None:
        """Begin a search. If the last one had no time for a step, steps may be faster than they seemed: try again."""
        if not self._made:
            self._last = deque((seconds / 2 for seconds in self._last), _KEPT)
        self._made = False

    def add(self, seconds: float) -> None:
        """Count a step."""
        self._last.append(seconds)
        self._made = True

    @property
    def slowest(self) -> float:
        """The time to reckon with, in seconds; 0 before the first step."""
        return max(self._last, default=0.0) if len(self._last) < 2 else sorted(self._last)[-2]
