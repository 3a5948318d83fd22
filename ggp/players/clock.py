"""Deadlines on the monotonic clock, and the time that steps of a search take, in seconds."""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Final, final


@dataclass(frozen=True, slots=True)
class Deadline:
    """The moment by which an answer is due: `at` is a value of `time.monotonic()`, or None for no deadline.

    Setting `called_off` means that the answer is no longer needed: no time is left. Deadlines derived from this one by
    `earlier` and `until` are called off with it.
    """

    at: float | None = None
    called_off: Event | None = field(default=None, compare=False)

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """Return a deadline this many seconds from now; None means no deadline."""
        return cls(None if seconds is None else time.monotonic() + seconds)

    def left(self) -> float:
        """Return the seconds left: negative once the deadline has passed, infinite if there is none."""
        left = math.inf if self.at is None else self.at - time.monotonic()
        return min(0.0, left) if self.called_off is not None and self.called_off.is_set() else left

    def earlier(self, seconds: float) -> Deadline:
        """Return the deadline this many seconds before this one."""
        return self if self.at is None else replace(self, at=self.at - seconds)

    def until(self, moment: float) -> Deadline:
        """Return the earlier of this deadline and a moment of `time.monotonic()`."""
        return replace(self, at=moment if self.at is None else min(self.at, moment))

    def met_at(self, moment: float) -> bool:
        """Return True if this moment of `time.monotonic()` is not after the deadline."""
        return self.at is None or moment <= self.at


#: The deadline that never comes.
NEVER: Final = Deadline()


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
