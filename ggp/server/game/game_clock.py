"""Clocks of people for a whole match: what is left of their time, with an increment for each move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self, final

from ggp.match.record import MatchRecord
from ggp.server.messages import LATE


@final
@dataclass(frozen=True, slots=True)
class GameClock:
    """The seconds that each person has for a match, and the increment for each choice.

    Who has used them up loses, if `loses`; otherwise, a random move is made for each further choice.
    """

    seconds: float
    increment: float = 0.0
    loses: bool = True

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Self | None:
        """Return the clock that the settings of a match ask for; None if they ask for none."""
        seconds = settings.get("game_clock")
        return None if seconds is None else cls(seconds, settings["increment"], settings["late"] == "loses")

    def left(self, record: MatchRecord | None, role: str) -> float:
        """Return what is left to a role after a record, without what it takes now."""
        return self.seconds - (self.used(record, role) if record is not None else 0.0)

    def used(self, record: MatchRecord, role: str, since: int = 0) -> float:
        """Return what a role has used for its choices after the first plies, less the increments."""
        at = record.roles.index(role)
        return sum(ply.seconds[at] - self.increment for ply in record.plies[since:] if ply.choices[at] > 1)


def out_of_time(record: MatchRecord, role: str) -> MatchRecord:
    """Note in a record that has ended that a role was late."""
    return replace(record, last_errors=tuple(LATE if one == role else "" for one in record.roles))
