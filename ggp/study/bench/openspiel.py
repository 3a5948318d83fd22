"""A runner that times random playouts in OpenSpiel's C++ code, to compare engines with."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final, final

from ggp.study.bench.playouts import Speed, Stopwatch

if TYPE_CHECKING:
    from ggp.players.openspiel.games import Rollouts

#: Seconds that the C++ code plays at a time; interrupts are only noticed in between.
PORTION: Final = 0.05


@final
class ByOpenSpiel:
    """A runner for a game of OpenSpiel, played by its own C++ code."""

    engine: Final = "openspiel"

    def __init__(self, rollouts: Rollouts) -> None:
        """Measure the game of these rollouts."""
        self._rollouts = rollouts
        self._portion = 16

    @property
    def setup_seconds(self) -> float:
        """Wall-clock seconds from loading the game to the end of a first playout."""
        return self._rollouts.setup_seconds

    def run(self, seconds: float, seed: int) -> Speed:
        """Play for about this many seconds; the number of plies is estimated."""
        seeds = random.Random(seed)
        length = self._rollouts.sample.length
        playouts = 0
        stopwatch = Stopwatch()
        while not playouts or stopwatch.seconds < seconds:
            before = stopwatch.seconds
            self._rollouts.outcome(self._portion, seeds.getrandbits(31))
            playouts += self._portion
            if stopwatch.seconds - before < PORTION:
                self._portion = min(2 * self._portion, 2**20)
        return stopwatch.speed(playouts, round(playouts * length))
