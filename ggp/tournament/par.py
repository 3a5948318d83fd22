"""Results against par: what the roles of a game are worth if nobody makes a mistake, where the solver knows it.

If a game is won for one role, two perfect players share the points. So a player is only better than another one as far
as it keeps what its role is worth, and takes more where the other one does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gdl.errors import GdlError, Source
from gdl.language.rulesheet import Rulesheet
from ggp.solver.errors import NotSolvableError
from ggp.solver.position_value import PositionValue, solve
from ggp.solver.solve import Answer
from ggp.tournament.outcome import Outcome, goal_of, points_of
from ggp.tournament.plan import Contest, Plan


@dataclass(frozen=True, slots=True)
class Par:
    """The value of a game: the goals of its two roles, None if they are not known, and the value in words."""

    game: str
    goals: tuple[int, int] | None
    text: str


@dataclass(frozen=True, slots=True)
class ParLine:
    """A player's points in matches of known value, those at par, and how far single matches were below and above."""

    player: str
    matches: int = 0
    points: float = 0.0
    par: float = 0.0
    given: float = 0.0
    taken: float = 0.0

    def plus(self, points: float, par: float) -> ParLine:
        """Return the line with another match."""
        return ParLine(
            self.player,
            self.matches + 1,
            self.points + points,
            self.par + par,
            self.given + max(0.0, par - points),
            self.taken + max(0.0, points - par),
        )


def par_of(contest: Contest, seconds: float) -> Par:
    """Return the value of a game of two roles, as far as it is found within some seconds."""
    if len(contest.roles) != 2:
        return Par(contest.name, None, "only games of two roles have a par")
    try:
        rules = Rulesheet.of_source(Source(contest.path, contest.text))
        value = solve(rules, seconds=seconds, only_value=True)
    except NotSolvableError as error:
        return Par(contest.name, None, str(error))
    except GdlError as error:
        return Par(contest.name, None, f"not solved: {error}")
    goals = _goals(value)
    return Par(contest.name, goals, value.text if goals else f"not solved in {seconds:g} s")


def _goals(value: PositionValue) -> tuple[int, int] | None:
    if value.goals is not None:
        first, second = value.goals.values()
        return first, second
    bounds = value.details.bounds if isinstance(value.details, Answer) else None
    if bounds is None or not bounds.closed or bounds.least(0) != bounds.least(1):
        return None
    # The search takes the second role to want the opposite of what the first one wants.
    return bounds.least(0), 100 - bounds.least(0)


def par_lines(plan: Plan, outcomes: Sequence[Outcome], pars: Mapping[str, Par]) -> list[ParLine]:
    """Return the lines of the players, for the matches of games whose par is known. `pars` maps names of games."""
    fixtures = plan.fixtures(outcomes)
    lines = {player: ParLine(player) for player in plan.players}
    for outcome in outcomes:
        fixture = fixtures[outcome.number]
        par = pars[fixture.contest.name]
        if par.goals is None:
            continue
        for player, other in (fixture.players, fixture.players[::-1]):
            goals = dict(zip(fixture.lineup, par.goals, strict=True))
            points = points_of(goal_of(player, fixture, outcome), goal_of(other, fixture, outcome))
            lines[player] = lines[player].plus(points, points_of(goals[player], goals[other]))
    return [line for line in lines.values() if line.matches]
