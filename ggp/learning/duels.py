"""Training for duels: games of alpha-beta search against itself, which gets deeper with the number of states.

The network and the search are those of `ggp.players.alphabeta`, and so are the targets: TD(lambda) on the values that
the search returns (Sutton 1988; with search, Baxter et al. 2000).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Final, final

import numpy as np

from ggp.learning.method import GAMES, OPENING
from ggp.players.alphabeta.lessons import RARELY, TRUST
from ggp.players.alphabeta.search import Plan, Search
from ggp.players.alphabeta.values import WON
from ggp.players.learned_values.network import network_of
from ggp.players.learned_values.units import POINT

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator
    from ggp.learning.method import Weights
    from ggp.learning.trainer import Progress
    from ggp.players.learned_values.network import Network

#: The depth of the search at first and at most; the number of states after which it may grow by a ply, and the number
#: of states of a job at the present depth from which on it does: deeper games would be too few to learn from. With
#: fewer than `_SCARCE`, it shrinks.
_DEPTH: Final = 2
DEEPEST: Final = 6
_DEEPER: Final = 250_000
_ENOUGH: Final = 1_000
_SCARCE: Final = 100

#: The depth of both sides against an earlier self, and room for the states of these games, which are not used.
_MEASURED: Final = 2
_ROOM: Final = 20_000

#: The largest depth of the search that says what is expected at the start, and its nodes: where there are many moves,
#: this depth would take minutes.
_EXPECTING: Final = 4
_NODES: Final = 20_000


@final
class Duels:
    """The method for games of two roles that take turns."""

    roles: tuple[str, ...] = ()
    jobs = ("playouts", "play")
    contested = True
    depth = _DEPTH

    def __init__(self, simulator: Simulator) -> None:
        """Make the code of single states. Raises CompileError if the game has no kernels."""
        _ = simulator.kernels
        self._simulator = simulator

    def plan(self, progress: Progress, seed: int, opening: int, rival: int) -> list[int]:
        """Return the fields of `Plan`."""
        return list(Plan(seed % 2**40, progress.depth, opening, RARELY, TRUST, rival % 2 if rival >= 0 else -1))

    def deepen(self, progress: Progress) -> None:
        """Let searches get deeper with the number of states, as long as a job has enough of them.

        A depth at which there are too few is given up for good.
        """
        if progress.room < _SCARCE and progress.depth > 1:
            progress.depth -= 1
            progress.deepest = progress.depth
            progress.room = _SCARCE
            return
        grown = progress.states >= _DEEPER * (progress.depth - _DEPTH + 1)
        if grown and progress.depth < min(DEEPEST, progress.deepest or DEEPEST) and progress.room >= _ENOUGH:
            progress.depth += 1

    def gauge(self) -> DuelGauge:
        """Return what measures networks."""
        return DuelGauge(self._simulator)


@final
class DuelGauge:
    """Measures a network of a duel by searches of its own."""

    def __init__(self, simulator: Simulator) -> None:
        """Prepare two searches."""
        self._start = simulator.initial_state().bits
        self._search, self._rival = (Search(simulator, 0, 1) for _ in range(2))

    def expected(self, networks: Sequence[Network]) -> float:
        """Return the goal, 0 to 100, that the first role may expect at the start if goals add up to 100."""
        self._search.install(networks[0])
        self._search.forget()
        value = self._search.run(self._start, lambda: inf, _NODES, _EXPECTING).value
        if abs(value) >= WON:
            return 100.0 if value > 0 else 0.0
        return min(100.0, max(0.0, 50 + value / POINT / 2))

    def points(self, networks: Sequence[Network], earlier: Weights, seed: int, turn: int) -> list[float]:
        """Play some games, in which the earlier self plays the first role in every other turn."""
        self._search.install(networks[0])
        self._rival.install(network_of(earlier))
        role = turn % 2
        plan = Plan(seed % 2**40, _MEASURED, OPENING, 1 << 40, 256, role, GAMES)
        results = self._search.play(self._start, _ROOM, plan, self._rival).results
        own = results if role else -results
        return [float(points) for points in (np.sign(own) + 1) / 2]
