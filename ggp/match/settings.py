"""How a match is to be played: limits, clocks, and what becomes of a player's failures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

#: Seconds. Longer clocks are more than the system's timers hold.
LONGEST_CLOCK: Final = 1e9


class Policy(StrEnum):
    """What becomes of a role whose move is illegal or late, or whose player crashes."""

    REPLACE = "replace"
    DISQUALIFY = "disqualify"


@dataclass(frozen=True, slots=True)
class Settings:
    """How a match is played. Clocks are in seconds; where there is none at all, players may take any time.

    A match that is not over after `max_plies` ends as unfinished. Raises ValueError for values without sense.
    """

    seed: int
    max_plies: int = 500
    start_clock: float | None = None
    play_clock: float | None = None
    policy: Policy = Policy.REPLACE

    def __post_init__(self) -> None:
        for name, seconds in (("start", self.start_clock), ("play", self.play_clock)):
            if seconds is not None and not 0 < seconds <= LONGEST_CLOCK:
                raise ValueError(f"a {name} clock of {seconds} seconds")
        if self.max_plies < 0:
            raise ValueError(f"a limit of {self.max_plies} plies")

    @property
    def timed(self) -> bool:
        return self.start_clock is not None or self.play_clock is not None
