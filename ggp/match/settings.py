"""The settings of a match: limits, clocks, the policy for failures of players, and how its record is kept."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

#: Maximum clock in seconds; the system's timers cannot hold much more.
LONGEST_CLOCK: Final = 1e9

#: Seconds that a program takes for a move at the terminal if no clock runs: against a person, and if no person plays.
PACE: Final = 1.0
PACE_OF_PROGRAMS: Final = 0.5


class Policy(StrEnum):
    """The penalty for illegal or late moves and crashes: a random move, or disqualification."""

    REPLACE = "replace"
    DISQUALIFY = "disqualify"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a match. Clocks are in seconds; without any clock, players may take any time.

    A match that is not over after `max_plies` ends as unfinished. With `fsync`, each ply of the record is synced to the
    disk; otherwise, only the whole record at the end is. With `ponder`, players think while others do, too: this is
    fair only if each has a core of its own. A search may use `threads` threads; only with one, the same seed leads to
    the same moves where no clock runs. Seeds and numbers may be of any integral type. Raises ValueError for invalid
    values, and TypeError for seeds and numbers that are not whole.
    """

    seed: int
    max_plies: int = 500
    start_clock: float | None = None
    play_clock: float | None = None
    policy: Policy = Policy.REPLACE
    fsync: bool = False
    ponder: bool = False
    threads: int = 1

    def __post_init__(self) -> None:
        """Check the values."""
        # Imported late: commands read this module even for their help.
        from gdl.simulator.seeds import checked_count, checked_seed

        for name, seconds in (("start", self.start_clock), ("play", self.play_clock)):
            if seconds is not None and not 0 < seconds <= LONGEST_CLOCK:
                raise ValueError(
                    f"the {name} clock must be positive and at most {LONGEST_CLOCK:g} seconds, not {seconds}"
                )
        object.__setattr__(self, "seed", checked_seed(self.seed))
        object.__setattr__(self, "max_plies", checked_count("max_plies", self.max_plies, least=0))
        object.__setattr__(self, "threads", checked_count("threads", self.threads))

    @property
    def timed(self) -> bool:
        """True if there is a clock."""
        return self.start_clock is not None or self.play_clock is not None
