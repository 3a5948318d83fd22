"""Training in rounds: while games of one round are played in several threads, the network learns from the last one.

A round is a fixed number of tasks, whatever the number of threads, and each task has a seed of its own. A round depends
on nothing but the state at its beginning. So the same seed and number of rounds give the same network, and a training
that goes on from a file gives what an uninterrupted one would have given. The amount of games in a task depends on the
number of nodes that the search needed for the last ones, not on seconds.

The network and the search are those of `ggp.players.alphabeta`, and so are the targets: TD(lambda) on the values that
the search returns (Sutton 1988; with search, Baxter et al. 2000). Of the tasks, some are played against earlier selves,
so that what once worked against them is not unlearned.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from gdl.simulator.seeds import derive
from ggp.players.alphabeta.lessons import RARELY, TRUST
from ggp.players.alphabeta.network import Network
from ggp.players.alphabeta.replay import Replay
from ggp.players.alphabeta.search import Games, Plan, Search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl.simulator.simulator import Simulator
    from ggp.players.alphabeta.search import Examples

    #: What a network has learned: its arrays by name.
    Weights = Mapping[str, NDArray[Any]]

#: By task of a round: the most random plies at the beginning of a game. The last two tasks are against earlier selves.
_OPENINGS: Final = (4, 8, 8, 12, 16, 24, 8, 12)
_AGAINST_EARLIER: Final = 2

#: States from random playouts, from which the network learns before the first round.
_PLAYOUTS: Final = 40_000

#: The number of latest states of games that are kept.
_REMEMBERED: Final = 200_000

#: The number of nodes that a task should take, and the limits of the number of its states.
_NODES: Final = 300_000
_FEW: Final = 50
_FIRST: Final = 500
_MANY: Final = 5_000

#: The depth of the search at first and at most; the number of states after which it may grow by a ply, and the number
#: of states of a task at the present depth from which on it does: deeper games would be too few to learn from.
_DEPTH: Final = 2
_DEEPEST: Final = 6
_DEEPER: Final = 250_000
_ENOUGH: Final = 1_000

#: The number of earlier selves that are kept: those after 1, 2, 4, 8, ... rounds, the latest ones.
_SELVES: Final = 8

#: Megabytes for the table of a search, which need not be large in games of a few plies of depth.
_TABLE: Final = 1


@final
@dataclass(slots=True)
class Progress:
    """The numbers of a training so far: all that it needs besides arrays to go on."""

    seed: int
    rounds: int = 0
    states: int = 0
    nodes: int = 0
    #: The states of each task of the next round, and the depth of its searches.
    room: int = _FIRST
    depth: int = _DEPTH
    #: The root of the mean squared error of the last round, in points.
    error: float = 0.0


@final
class Trainer:
    """A training. Not thread-safe, but it uses threads of its own; a context manager that ends them."""

    def __init__(self, simulator: Simulator, seed: int, jobs: int) -> None:
        """Prepare a training of a game of two roles, with `jobs` threads. Raises CircuitSizeError."""
        self.simulator = simulator
        self.progress = Progress(seed)
        self.network = Network(len(simulator.all_facts), derive(seed, "network"))
        self.replay = Replay(_REMEMBERED)
        #: The games of the last round, from which the network has not learned yet.
        self.pending: list[Examples] = []
        #: Earlier selves, the oldest first, with the number of rounds after which they were kept.
        self.selves: list[tuple[int, Weights]] = []
        self._start = simulator.initial_state().bits
        self._searches = [Search(simulator, 0, _TABLE) for _ in _OPENINGS]
        self._rivals = [Search(simulator, 0, _TABLE) for _ in range(_AGAINST_EARLIER)]
        self._threads = ThreadPoolExecutor(jobs, "training")

    def __enter__(self) -> Trainer:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the threads, as soon as they have finished their tasks."""
        self._threads.shutdown(cancel_futures=True)

    def round(self) -> None:
        """Play a round of games, and learn from those of the last round. The first one also learns from playouts."""
        progress = self.progress
        if not progress.rounds:
            found = self._searches[0].playouts(self._start, _PLAYOUTS, derive(progress.seed, "playouts") >> 1)
            self.network.fit(*found)
        playing = [self._threads.submit(*self._task(number)) for number in range(len(_OPENINGS))]
        self._learn()
        self._take([one.result() for one in playing])
        if progress.rounds & (progress.rounds - 1) == 0:
            copies = {name: array.copy() for name, array in self.network.arrays().items()}
            self.selves = [*self.selves, (progress.rounds, copies)][-_SELVES:]

    def earlier(self) -> tuple[int, Weights] | None:
        """Return the latest self that has at most half the rounds; None if there is none."""
        old = [one for one in self.selves if 2 * one[0] <= self.progress.rounds]
        return old[-1] if old else None

    def _task(self, number: int) -> tuple[Any, ...]:
        """Return a function and its arguments that play the games of a task of this round."""
        progress, search = self.progress, self._searches[number]
        seed = derive(progress.seed, "task", str(progress.rounds), str(number))
        self.network.install(search)
        rival, role = None, number - (len(_OPENINGS) - _AGAINST_EARLIER)
        if role >= 0 and self.selves:
            rival = self._rivals[role]
            network_of(self.selves[seed % len(self.selves)][1]).install(rival)
        plan = Plan(seed % 2**40, progress.depth, _OPENINGS[number], RARELY, TRUST, role if rival is not None else -1)
        return _play, search, self._start, progress.room, plan, rival

    def _learn(self) -> None:
        """Learn from the games of the last round."""
        if not self.pending:
            return
        states, values = (np.concatenate([games[part] for games in self.pending]) for part in (0, 1))
        random = np.random.default_rng(derive(self.progress.seed, "learning", str(self.progress.rounds)))
        self.progress.error = sqrt(self.replay.teach(self.network, (states, values), random))
        self.pending = []

    def _take(self, played: list[tuple[Games, int]]) -> None:
        """Take the games of a round, and plan the next one."""
        progress = self.progress
        self.pending = [(games.states, games.values) for games, _ in played]
        states, nodes = sum(len(games.states) for games, _ in played), sum(nodes for _, nodes in played)
        progress.rounds += 1
        progress.states += states
        progress.nodes += nodes
        fitting = int(len(played) * _NODES * progress.room / max(nodes, 1))
        progress.room = max(_FEW, min(_MANY, 2 * progress.room, fitting))
        grown = progress.states >= _DEEPER * (progress.depth - _DEPTH + 1)
        if grown and progress.depth < _DEEPEST and progress.room >= _ENOUGH:
            progress.depth += 1


def network_of(weights: Weights) -> Network:
    """Return a network with weights that were learned before."""
    network = Network(len(weights["weights"]), 0)
    network.restore(weights)
    return network


def _play(search: Search, start: bytes, room: int, plan: Plan, rival: Search | None) -> tuple[Games, int]:
    """Play the games of a task; return them, and the number of nodes that were visited."""
    search.shuffle(plan.seed)  # so that a search knows nothing of earlier rounds
    before = search.nodes
    return search.play(start, room, plan, rival), search.nodes - before
