"""Time: deadlines on the monotonic clock, in seconds."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Deadline:
    """The moment by which an answer is due: `at` counts as `time.monotonic()` does, None is never."""

    at: float | None = None

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """The deadline so many seconds from now; no deadline for None."""
        return cls(None if seconds is None else time.monotonic() + seconds)

    def left(self) -> float:
        """Seconds that are left: negative once the deadline has passed, infinite if there is none."""
        return math.inf if self.at is None else self.at - time.monotonic()

    def met_at(self, moment: float) -> bool:
        """Whether something done at this moment of `time.monotonic()` was done in time."""
        return self.at is None or moment <= self.at


#: No clock runs.
NEVER: Final = Deadline()
