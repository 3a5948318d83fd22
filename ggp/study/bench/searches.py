"""The speed of tree searches in simulations per second, from the initial state with an empty tree, on one core.

A simulation evaluates a leaf by random playouts and backs up the result. In a plain search, such as OpenSpiel's
`MCTSBot` with a `RandomRolloutEvaluator`, each simulation has its own walk from the root and one playout. Our search
evaluates all moves of a new node after one walk, with one playout each, and other leaves with several playouts. So
walks and playouts are counted as well. Times are processor times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, Final, Protocol, final

from gdl.simulator.seeds import SEEDS
from ggp.players.clock import Deadline
from ggp.study.bench.playouts import Stopwatch

if TYPE_CHECKING:
    from gdl import Simulator

#: A number of simulations that no time limit allows.
_NO_LIMIT: Final = 10**9
_MEGABYTES: Final = 4000

#: Maximum seconds for touching memory before the clock starts.
_TOUCHING: Final = 10.0

#: Simulations before the first run, so that all code is compiled and loaded.
_WARM: Final = 2000


@dataclass(frozen=True, slots=True)
class SearchSpeed:
    """A search: its simulations, walks from the root and random playouts, and its processor time in seconds.

    `proven` is true if the search ended early because it had proved the outcome of the game.
    """

    simulations: int
    walks: int
    playouts: int
    seconds: float
    proven: bool = False

    @property
    def rate(self) -> float:
        """Simulations per second."""
        return self.simulations / self.seconds


@dataclass(frozen=True, slots=True)
class SearchMeasurement:
    """Several runs of one search in one game. Rates are medians."""

    search: str
    speeds: tuple[SearchSpeed, ...]

    @property
    def rate(self) -> float:
        """Simulations per second."""
        return median(speed.rate for speed in self.speeds)

    @property
    def walk_rate(self) -> float:
        """Walks from the root per second."""
        return median(speed.walks / speed.seconds for speed in self.speeds)

    @property
    def playout_rate(self) -> float:
        """Playouts per second."""
        return median(speed.playouts / speed.seconds for speed in self.speeds)

    @property
    def spread(self) -> float:
        """The difference between the fastest and the slowest run, as a share of the median."""
        rates = [speed.rate for speed in self.speeds]
        return (max(rates) - min(rates)) / self.rate

    @property
    def proven(self) -> bool:
        """True if any run proved the outcome."""
        return any(speed.proven for speed in self.speeds)


class Searcher(Protocol):
    """A search that is set up for one game."""

    @property
    def search(self) -> str:
        """The name shown for the search."""
        ...

    def run(self, seconds: float, seed: int) -> SearchSpeed:
        """Search for this many wall-clock seconds."""
        ...


@final
class OwnSearch:
    """The search of the player `mcts` with a compiled game."""

    search: Final = "mcts"

    def __init__(self, simulator: Simulator) -> None:
        """Run a short search to warm up. Raises CompileError for a game that has no kernels."""
        self._simulator = simulator
        self._searched(0, simulations=_WARM)

    def run(self, seconds: float, seed: int) -> SearchSpeed:
        """Search for this many wall-clock seconds, with an empty tree."""
        return self._searched(seed, seconds=seconds)

    def _searched(self, seed: int, *, seconds: float | None = None, simulations: int | None = None) -> SearchSpeed:
        from ggp.players.mcts.search import Search
        from ggp.players.mcts.world import LanesWorld

        search = Search(LanesWorld(self._simulator, seed), seed)
        search.advance(self._simulator.initial_state())
        # As the player does during its start clock.
        search.touch_memory(_TOUCHING)
        stopwatch = Stopwatch()
        search.run(deadline=Deadline.after(seconds), simulations=simulations)
        return SearchSpeed(search.simulations, search.walks, search.playouts, stopwatch.seconds, search.proven)


@final
class PeerSearch:
    """OpenSpiel's `MCTSBot`, with one random playout per simulation."""

    search: Final = "openspiel"

    def __init__(self, name: str) -> None:
        """Load the game with this name in OpenSpiel. Raises MissingOpenSpielError."""
        from ggp.players.openspiel.games import load_clocked

        self._pyspiel = load_clocked()
        self._game = self._pyspiel.load_game(name)

    def run(self, seconds: float, seed: int) -> SearchSpeed:
        """Search for this many wall-clock seconds, with an empty tree."""
        bot: Any = self._pyspiel.MCTSBot(
            self._game,
            self._pyspiel.RandomRolloutEvaluator(1, seed),
            uct_c=1.0,
            max_simulations=_NO_LIMIT,
            max_memory_mb=_MEGABYTES,
            solve=True,
            seed=seed,
            verbose=False,
            max_wall_clock_time=seconds,
        )
        state = self._game.new_initial_state()
        stopwatch = Stopwatch()
        root = bot.mcts_search(state)
        taken = stopwatch.seconds
        count = root.explore_count
        return SearchSpeed(count, count, count, taken, bool(root.outcome))


def compare(searchers: Sequence[Searcher], *, seconds: float, repeat: int, seed: int) -> list[SearchMeasurement]:
    """Run all searches in turn, `repeat` times each, and return their measurements."""
    speeds: list[list[SearchSpeed]] = [[] for _ in searchers]
    for turn in range(repeat):
        for searcher, found in zip(searchers, speeds, strict=True):
            found.append(searcher.run(seconds, (seed + turn) % SEEDS))
    return [SearchMeasurement(searcher.search, tuple(found)) for searcher, found in zip(searchers, speeds, strict=True)]
