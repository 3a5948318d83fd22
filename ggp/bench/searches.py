"""How many simulations a second a tree search does, from the initial state with an empty tree, on one core.

A simulation is the evaluation of a leaf by random playouts, and the backing up of what came of it. In a plain search,
as in OpenSpiel's `MCTSBot` with a `RandomRolloutEvaluator`, each has a walk from the root of its own, and one playout.
Ours evaluates all moves of a new node after one walk, with a playout each, and other leaves with several. So walks and
playouts are counted as well. Seconds are those of the processor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, Final, Protocol, final

from ggp.bench.playouts import Stopwatch
from ggp.players.clock import Deadline

if TYPE_CHECKING:
    from gdl import Simulator

#: More simulations than there is time for.
_NO_LIMIT: Final = 10**9
_MEGABYTES: Final = 4000

#: At most so many seconds go into having memory at hand before the clock runs.
_TOUCHING: Final = 10.0

#: Simulations before the first run, so that all code is there.
_WARM: Final = 2000


@dataclass(frozen=True, slots=True)
class SearchSpeed:
    """One search: simulations, the walks from the root and the random playouts for them, and seconds of computing.

    `proven` says that it ended early, as it had found the outcome of the game.
    """

    simulations: int
    walks: int
    playouts: int
    seconds: float
    proven: bool = False

    @property
    def rate(self) -> float:
        """Simulations a second."""
        return self.simulations / self.seconds


@dataclass(frozen=True, slots=True)
class SearchMeasurement:
    """Several searches of one kind in one game: rates are medians."""

    search: str
    speeds: tuple[SearchSpeed, ...]

    @property
    def rate(self) -> float:
        """Simulations a second."""
        return median(speed.rate for speed in self.speeds)

    @property
    def walk_rate(self) -> float:
        """Walks from the root a second."""
        return median(speed.walks / speed.seconds for speed in self.speeds)

    @property
    def playout_rate(self) -> float:
        """Playouts a second."""
        return median(speed.playouts / speed.seconds for speed in self.speeds)

    @property
    def spread(self) -> float:
        """How far the fastest and the slowest are apart, as a share of the median."""
        rates = [speed.rate for speed in self.speeds]
        return (max(rates) - min(rates)) / self.rate

    @property
    def proven(self) -> bool:
        """Whether any ended early."""
        return any(speed.proven for speed in self.speeds)


class Searcher(Protocol):
    """Something that searches one game."""

    @property
    def search(self) -> str:
        """What it is called."""
        ...

    def run(self, seconds: float, seed: int) -> SearchSpeed:
        """Search for so long by the clock."""
        ...


@final
class OwnSearch:
    """The search of the player `mcts`, as it is when it has a compiled game."""

    search: Final = "mcts"

    def __init__(self, simulator: Simulator) -> None:
        """Raises CircuitSizeError for a game that is too large for it."""
        self._simulator = simulator
        self._searched(0, simulations=_WARM)

    def run(self, seconds: float, seed: int) -> SearchSpeed:
        return self._searched(seed, seconds=seconds)

    def _searched(self, seed: int, *, seconds: float | None = None, simulations: int | None = None) -> SearchSpeed:
        from ggp.players.mcts.search import Search
        from ggp.players.mcts.world import LanesWorld

        search = Search(LanesWorld(self._simulator, seed), seed)
        search.advance(self._simulator.initial_state())
        # As the player does in its start clock.
        search.touch_memory(_TOUCHING)
        stopwatch = Stopwatch()
        search.run(deadline=Deadline.after(seconds), simulations=simulations)
        return SearchSpeed(search.simulations, search.walks, search.playouts, stopwatch.seconds, search.proven)


@final
class PeerSearch:
    """OpenSpiel's `MCTSBot`, with one random playout a simulation."""

    search: Final = "openspiel"

    def __init__(self, name: str) -> None:
        """Search the game that OpenSpiel calls so. Raises MissingOpenSpielError."""
        from ggp.players.openspiel.games import load_clocked

        self._pyspiel = load_clocked()
        self._game = self._pyspiel.load_game(name)

    def run(self, seconds: float, seed: int) -> SearchSpeed:
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
    """Let all search in turn, so many times."""
    speeds: list[list[SearchSpeed]] = [[] for _ in searchers]
    for turn in range(repeat):
        for searcher, found in zip(searchers, speeds, strict=True):
            found.append(searcher.run(seconds, seed + turn))
    return [SearchMeasurement(searcher.search, tuple(found)) for searcher, found in zip(searchers, speeds, strict=True)]
