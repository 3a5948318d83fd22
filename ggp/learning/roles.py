"""Training for all games but duels: a network for each role except chance, from games with one ply of search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, final

import numpy as np

from ggp.learning.method import GAMES, OPENING
from ggp.learning.role_games import RoleGames, RolePlan
from ggp.players.alphabeta.lessons import RARELY, TRUST
from ggp.players.learned_values.role_networks import networks_of
from ggp.players.learned_values.value import players_of
from ggp.players.mcts.learned_goals import LearnedGoals
from ggp.tournament.outcome import points_of

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator
    from ggp.learning.method import Weights
    from ggp.learning.trainer import Progress
    from ggp.players.learned_values.network import Network

#: Larger than any number of plies: no random moves.
_NEVER: Final = 1 << 40


@final
class Roles:
    """The method for all games whose states are not hidden."""

    jobs = ("role_playouts", "role_play")
    depth = 1

    def __init__(self, simulator: Simulator) -> None:
        """Take a game with at least one role, not counting chance."""
        self._simulator = simulator
        self.roles = players_of(simulator)
        self.contested = len(self.roles) > 1

    def plan(self, progress: Progress, seed: int, opening: int, rival: int) -> list[int]:
        """Return the fields of `RolePlan`."""
        # Rounds differ, so that the earlier self plays every role now and then.
        place = (rival + 2 * progress.rounds) % len(self.roles)
        return list(RolePlan(seed % 2**40, opening, RARELY, TRUST, 1 << place if rival >= 0 else 0))

    def deepen(self, progress: Progress) -> None:
        """Do nothing: searches have one ply."""

    def gauge(self) -> RoleGauge:
        """Return what measures networks."""
        return RoleGauge(self._simulator, len(self.roles))


@final
class RoleGauge:
    """Measures the networks of roles by games of one ply of search."""

    def __init__(self, simulator: Simulator, count: int) -> None:
        """Prepare games with `count` roles, not counting chance."""
        self._simulator = simulator
        self._games = RoleGames(simulator)
        self._count = count

    def expected(self, networks: Sequence[Network]) -> float:
        """Return the goal, 0 to 100, that the first role may expect at the start, by its network alone."""
        return float(100 * LearnedGoals(self._simulator, networks).valued(self._games.start)[0, 0])

    def points(self, networks: Sequence[Network], earlier: Weights, seed: int, turn: int) -> list[float]:
        """Play some games. In one turn after another, the earlier self has another share of the roles.

        The goal of a side is the mean of its roles. A game of one role is played twice, by each side alone.
        """
        own, other = (LearnedGoals(self._simulator, given) for given in (networks, networks_of(earlier, self._count)))

        def goals(rivals: int) -> list[list[float]]:
            plan = RolePlan(seed % 2**40, OPENING, _NEVER, 256, rivals)
            found: list[list[float]] = self._games.play(0, plan, own, other, GAMES).goals.tolist()
            return found

        if self._count == 1:
            pairs = zip(goals(0), goals(1), strict=True)
            return [points_of(first[0], second[0]) for first, second in pairs]
        mask = split(turn, self._count)
        theirs = np.array([bool(mask >> place & 1) for place in range(self._count)])
        return [
            points_of(float(np.mean(np.array(game)[~theirs])), float(np.mean(np.array(game)[theirs])))
            for game in goals(mask)
        ]


def split(turn: int, roles: int) -> int:
    """Return the roles of the other side, as bits: in one turn after another, every split between two sides."""
    return 1 + turn % ((1 << roles) - 2)
