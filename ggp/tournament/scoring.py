"""The goals and points of players in matches: what standings add up, and what Swiss rounds are paired by.

A player's goal in a match is the mean of the goals of its roles. Of two players, the one with the higher goal wins. A
match without goals, because it was cut off or its rules got stuck, counts as a draw. If the rules give none of a
player's roles a goal value, or several, its goal is 50, as it is for the players that search.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from ggp.players.uct import UNKNOWN

if TYPE_CHECKING:
    from ggp.tournament.outcome import Outcome
    from ggp.tournament.plan import Fixture


def goal_of(player: str, fixture: Fixture, outcome: Outcome) -> float | None:
    """Return the mean goal of a player's roles in a match; None if the match has no goals."""
    if not outcome.goals:
        return None
    goals = zip(fixture.lineup, outcome.goals, strict=True)
    own = [goal for name, goal in goals if name == player and goal is not None]
    return fmean(own) if own else 100 * UNKNOWN


def points_of(goal: float | None, other: float | None) -> float:
    """Return the points of a player with a goal against another: 1 for a win and half for a draw."""
    if goal is None or other is None or goal == other:
        return 0.5
    return float(goal > other)
