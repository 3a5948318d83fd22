"""The limits of time and memory of a solver, and its reports of progress."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, final

from gdl.reasoner.budget import resident_memory

#: Called with a description of the current step of the work.
Progress = Callable[[str], None]

#: The minimum memory for the arrays of a search, in bytes.
_LEAST: Final = 1 << 24


@final
class Stop(StrEnum):
    """The reason why a search ended before it was done."""

    TIME = "time"
    MEMORY = "memory"
    INTERRUPTED = "interrupted"
    #: The maximum depth of the search was reached.
    DEPTH = "depth"


@final
@dataclass(frozen=True, slots=True)
class SolverBudget:
    """A deadline (a time of `time.monotonic()`, or None for no limit), and memory for the search's arrays, in bytes."""

    deadline: float | None
    memory: int
    progress: Progress = lambda _: None

    @property
    def left(self) -> float:
        """The number of seconds left; infinite without a deadline."""
        return float("inf") if self.deadline is None else self.deadline - time.monotonic()

    def part(self, fraction: float) -> SolverBudget:
        """Return the same budget with a fraction of the time that is left."""
        if self.deadline is None:
            return self
        return replace(self, deadline=time.monotonic() + fraction * max(0.0, self.left))


def limited(seconds: float | None, memory: float, progress: Progress) -> SolverBudget:
    """Return the budget for a time limit in seconds, None for none, and for the memory of the whole process in GB.

    Raises ValueError for a negative time limit, or a memory limit that is not positive and finite.
    """
    if seconds is not None and not seconds >= 0:  # NaN is refused, too
        raise ValueError(f"seconds must not be negative: {seconds}")
    if not 0 < memory < float("inf"):
        raise ValueError(f"memory must be positive and finite: {memory}")
    deadline = None if seconds is None else time.monotonic() + seconds
    return SolverBudget(deadline, max(_LEAST, int(memory * 1e9) - resident_memory()), progress)
