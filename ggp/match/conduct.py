"""How the player of a role behaved in a match: its errors, and the time it took."""

from __future__ import annotations

from dataclasses import dataclass

from ggp.match.channels import CRASH, ILLEGAL, LATE
from ggp.match.record import MatchRecord


@dataclass(frozen=True, slots=True)
class Conduct:
    """How the player of one role behaved in a match.

    `late`, `illegal` and `crashes` count its errors, that of the start included. `decisions` are the plies in which it
    had a choice, `seconds` what it took for all of them, and `slowest` what it took for a move at most.
    """

    late: int = 0
    illegal: int = 0
    crashes: int = 0
    decisions: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    def __add__(self, other: Conduct) -> Conduct:
        return Conduct(
            self.late + other.late,
            self.illegal + other.illegal,
            self.crashes + other.crashes,
            self.decisions + other.decisions,
            self.seconds + other.seconds,
            max(self.slowest, other.slowest),
        )


def conduct_of(record: MatchRecord, place: int) -> Conduct:
    """The conduct of the role at a place in the order of the roles."""
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
