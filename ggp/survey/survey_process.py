"""A process of surveys: `python -m ggp.survey.survey_process`.

`ggp.work.process` has the form of the messages. There are two kinds of jobs:

    simulate    `playouts`, `seconds`, `seed`     -> see `ggp.rules.checking.simulated`
    plan        `start_clock`, `play_clock`       -> {"goal": ..., "plies": ..., "first": ..., "late": ...}

In a plan, `goal` is null if the match has none, and `first` are the seconds to the first move.
"""

from __future__ import annotations

from time import monotonic
from typing import Any, Final, final

from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.reasoner import Reasoner
from ggp.match.match import Match
from ggp.match.settings import Settings
from ggp.players.planner import PlannerPlayer
from ggp.rules.checking.options import Simulation
from ggp.rules.checking.simulation import simulate
from ggp.work.process import Games, serve

#: The longest match of a puzzle, in plies; no plan in the public files has as many.
_LONGEST: Final = 1_000


@final
class Surveys:
    """Simulates games, and plans puzzles."""

    def __init__(self, games: Games) -> None:
        """Use the rules of some games; engines are not kept, since each file comes once."""
        self._games = games

    def simulate(self, rules: str, playouts: int, seconds: float, seed: int) -> dict[str, Any]:
        """Play a game, and try to prove its properties. Raises RulesheetError and DerivationLimitError."""
        return simulate(self._rulesheet(rules), Simulation(playouts, seconds, seed)).as_json()

    def plan(self, rules: str, start_clock: float, play_clock: float) -> dict[str, Any]:
        """Let the planner play a game of one role; it gets the rules when the start clock begins."""
        game = Reasoner(self._rulesheet(rules))
        settings = Settings(seed=1, max_plies=_LONGEST, start_clock=start_clock, play_clock=play_clock)
        began, first = monotonic(), None
        with Match(game, {game.roles[0]: PlannerPlayer()}, settings, name="") as match:
            for _ in match.plies():
                first = first or monotonic() - began
        record = match.record
        return {
            "goal": record.goal_values[0],
            "plies": len(record.plies),
            "first": first or monotonic() - began,
            "late": sum(ply.errors[0] != "" for ply in record.plies),
        }

    def _rulesheet(self, rules: str) -> Rulesheet:
        return Rulesheet.of_source(self._games.source(rules))


def main() -> None:
    """Answer requests until the input ends."""
    games = Games()
    surveys = Surveys(games)
    serve(games, simulate=surveys.simulate, plan=surveys.plan)


if __name__ == "__main__":
    main()
