"""The conduct of a role's player in a match: its errors and its use of time."""

from __future__ import annotations

from dataclasses import dataclass

from ggp.match.channels import CRASH, ILLEGAL, LATE
from ggp.match.record import MatchRecord
from ggp.match.record.fields import Fields


@dataclass(frozen=True, slots=True)
class Conduct:
    """The errors and times of one role's player in a match.

    `late`, `illegal` and `crashes` count its errors, including those at the start. `decisions` counts the plies in
    which it had a choice, `seconds` is the total time for these, and `slowest` the longest time for any move.
    """

    late: int = 0
    illegal: int = 0
    crashes: int = 0
    decisions: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    def __add__(self, other: Conduct) -> Conduct:
        """Return the conduct in both sets of matches together."""
        return Conduct(
            self.late + other.late,
            self.illegal + other.illegal,
            self.crashes + other.crashes,
            self.decisions + other.decisions,
            self.seconds + other.seconds,
            max(self.slowest, other.slowest),
        )


def conduct_of(record: MatchRecord, place: int) -> Conduct:
    """Return the conduct of the role at an index in role order."""
    codes = [error.partition(" ")[0] for error in record.errors_of(place)]
    seconds = [ply.seconds[place] for ply in record.plies]
    decisions = [ply.seconds[place] for ply in record.plies if ply.choices[place] > 1]
    return Conduct(
        late=codes.count(LATE),
        illegal=codes.count(ILLEGAL),
        crashes=codes.count(CRASH),
        decisions=len(decisions),
        seconds=round(sum(decisions), 6),
        slowest=round(max(seconds, default=0.0), 6),
    )


def conduct_from(read: Fields) -> Conduct:
    """Return the conduct in a JSON object. Raises the error of its fields."""
    counts = [read.required(name, int, 0) for name in ("late", "illegal", "crashes", "decisions")]
    return Conduct(*counts, *(read.required(name, float, 0) for name in ("seconds", "slowest")))
