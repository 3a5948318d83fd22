"""How long a solver may work and how much memory it may take, and whom it tells how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import final

#: Told what is being done, in words.
Progress = Callable[[str], None]


@final
class Stop(StrEnum):
    """Why a search ended before it was done."""

    TIME = "time"
    MEMORY = "memory"
    INTERRUPTED = "interrupted"
    #: Only lines of so many plies are searched.
    DEPTH = "depth"


@final
@dataclass(frozen=True, slots=True)
class SolverBudget:
    """`deadline` by `time.monotonic`, in seconds, None for no limit; `memory` in bytes, for the search's arrays."""

    deadline: float | None
    memory: int
    progress: Progress = lambda _: None

    @property
    def left(self) -> float:
        """Seconds that are left; infinite without a deadline."""
        return float("inf") if self.deadline is None else self.deadline - time.monotonic()

    def part(self, fraction: float) -> SolverBudget:
        """The same with a fraction of the time that is left."""
        if self.deadline is None:
            return self
        return replace(self, deadline=time.monotonic() + fraction * max(0.0, self.left))
