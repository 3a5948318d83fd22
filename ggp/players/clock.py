"""Time: deadlines on the monotonic clock, in seconds."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Final


@dataclass(frozen=True, slots=True)
class Deadline:
    """The moment by which an answer is due: `at` counts as `time.monotonic()` does, None is never.

    Once `called_off` is set, nobody waits for the answer any more, and no time is left. Deadlines that are made from
    this one by `earlier` and `until` are called off with it.
    """

    at: float | None = None
    called_off: Event | None = field(default=None, compare=False)

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """The deadline so many seconds from now; no deadline for None."""
        return cls(None if seconds is None else time.monotonic() + seconds)

    def left(self) -> float:
        """Seconds that are left: negative once the deadline has passed, infinite if there is none."""
        left = math.inf if self.at is None else self.at - time.monotonic()
        return min(0.0, left) if self.called_off is not None and self.called_off.is_set() else left

    def earlier(self, seconds: float) -> Deadline:
        """The deadline so many seconds before this one."""
        return self if self.at is None else replace(self, at=self.at - seconds)

    def until(self, moment: float) -> Deadline:
        """This deadline, or a moment of `time.monotonic()` if that comes first."""
        return replace(self, at=moment if self.at is None else min(self.at, moment))

    def met_at(self, moment: float) -> bool:
        """Whether something done at this moment of `time.monotonic()` was done in time."""
        return self.at is None or moment <= self.at


#: No clock runs.
NEVER: Final = Deadline()
