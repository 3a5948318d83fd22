"""A summary of several matches between the same players: a line for each, and a table at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ggp.cli.screen import columns, line, screen
from ggp.cli.views.match import ending, error_counts
from ggp.match.record import MatchRecord


@dataclass(slots=True)
class _Role:
    """The results of one role."""

    player: str
    goals: list[int] = field(default_factory=list)
    troubled: int = 0

    @property
    def mean(self) -> float | None:
        """The mean goal, None if there are no goals."""
        return sum(self.goals) / len(self.goals) if self.goals else None


class Tally:
    """A count of matches and their goals, which does not keep their records."""

    def __init__(self, roles: Sequence[str]) -> None:
        """Start with no matches."""
        self._roles = {role: _Role("") for role in roles}
        self._matches = 0
        #: A match in which the rules were at fault.
        self.stuck: MatchRecord | None = None

    def count(self, record: MatchRecord, *, quiet: bool) -> None:
        """Add a finished match, and print a line about it unless `quiet`."""
        self._matches += 1
        for place, role in enumerate(self._roles.values()):
            role.player = record.players[place]
            role.troubled += bool(error_counts(record, place))
            if (goal := record.goal_values[place]) is not None:
                role.goals.append(goal)
        if record.faulty:
            self.stuck = self.stuck or record
        if not quiet:
            line(screen(), _in_a_line(self._matches, record))

    def means(self) -> list[dict[str, Any]]:
        """Return each role with its player and mean goal, as JSON objects for spectators."""
        return [
            {"role": name, "player": role.player, "matches": len(role.goals), "mean_goal": role.mean}
            for name, role in self._roles.items()
        ]

    def show(self) -> None:
        """Print each role's mean goal, and the number of its matches with errors."""
        if not self._matches:
            return
        line(screen(), (f"{self._matches} matches, mean goals", "bold"))
        rows = []
        for name, role in self._roles.items():
            mean = "" if role.mean is None else f"{role.mean:.1f}"
            trouble = f"  errors in {role.troubled} of {self._matches} matches" if role.troubled else ""
            rows.append([name, role.player, mean, trouble])
        for name, player, mean, trouble in columns(rows, right=[2]):
            line(screen(), f"  {name}  {player}  ", (mean, "bold"), (trouble, "bold red"))


def _in_a_line(number: int, record: MatchRecord) -> str:
    goals = ", ".join(
        f"{role} {'-' if goal is None else goal}" for role, goal in zip(record.roles, record.goal_values, strict=True)
    )
    counts = [f"{role} {count}" for place, role in enumerate(record.roles) if (count := error_counts(record, place))]
    return "  ".join([str(number).rjust(4), record.match_id, ending(record), goals, *counts])
