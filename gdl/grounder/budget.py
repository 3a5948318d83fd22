"""The limits on grounding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class GroundingBudget:
    """The limits on grounding. If one of them is exceeded, grounding fails with a GroundingError."""

    seconds: float = 60.0
    #: The number of ground rules that clingo prints, including duplicates.
    rules: int = 3_000_000
    #: The memory of the clingo process, in bytes. Enforced only on Linux, where one process can limit another.
    memory: int = 4 << 30
