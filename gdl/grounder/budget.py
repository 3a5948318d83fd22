"""What grounding may take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class GroundingBudget:
    """What the ground program may take. Where one is exceeded, grounding ends with a GroundingError."""

    seconds: float = 60.0
    #: Ground rules as clingo counts them, before duplicates are removed.
    rules: int = 3_000_000
    #: Bytes of clingo's process. Held where the system can limit another process: on Linux.
    memory: int = 4 << 30
