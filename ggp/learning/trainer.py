"""Training in rounds: while the games of one round are played, the network learns from those of the last one.

A round is a fixed number of jobs for other processes, on this machine or on a cluster, whatever the number of these.
Each job has a seed of its own, and depends only on it and on the weights at the beginning of the round. So the same
seed and number of rounds give the same network, and a training run that is resumed from a file gives what an
uninterrupted one would have given. The number of games in a job depends on the number of nodes that the search needed
for the last ones, not on seconds.

How games are played depends on their kind: see `method`. Of the jobs, some are played against earlier selves, so that
what once worked against them is not unlearned.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import sqrt
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from gdl.engine import hides_states
from gdl.simulator.seeds import derive
from ggp.learning.duels import Duels
from ggp.learning.errors import NotTrainableError
from ggp.learning.messages import arrays_of, text_of
from ggp.learning.roles import Roles
from ggp.learning.tuples import find_tuples
from ggp.players.learned_values.images import Images, find_images
from ggp.players.learned_values.network import Network
from ggp.players.learned_values.replay import Replay
from ggp.players.learned_values.role_networks import stacked
from ggp.players.learned_values.tuples import NONE
from ggp.players.learned_values.value import ALPHABETA, HIDDEN, MCTS, players_of
from ggp.rules.game_type import classify_game
from ggp.work.job import Job, Lost, WorkError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl.simulator.simulator import Simulator
    from ggp.learning.method import Method, Weights
    from ggp.players.learned_values.replay import Examples
    from ggp.work.job import Executor

#: By job of a round, repeated for more jobs: the most random plies at the beginning of a game. The last two of these
#: are played against earlier selves.
_OPENINGS: Final = (4, 8, 8, 12, 16, 24, 8, 12)
_AGAINST_EARLIER: Final = 2

#: The number of jobs of a round, unless another is asked for, and at most.
TASKS: Final = len(_OPENINGS)
MOST_TASKS: Final = 10_000

#: States from random playouts, from which the network learns before the first round.
_PLAYOUTS: Final = 40_000

#: The number of latest states of games that are kept.
_REMEMBERED: Final = 200_000

#: The number of nodes that a job should take, and the limits of the number of its states.
_NODES: Final = 300_000
_FEW: Final = 50
_FIRST: Final = 500
MANY: Final = 5_000

#: The number of earlier selves that are kept: those after 1, 2, 4, 8, ... rounds, the latest ones.
MOST_SELVES: Final = 8


@final
@dataclass(slots=True)
class Progress:
    """The numbers of a training run so far: all that it needs besides arrays to go on."""

    seed: int
    rounds: int = 0
    states: int = 0
    nodes: int = 0
    #: The jobs of a round.
    tasks: int = TASKS
    #: The states of each job of the next round, and the depth of its searches.
    room: int = _FIRST
    depth: int = 1
    #: The largest depth at which there were enough states, 0 if that is not known.
    deepest: int = 0
    #: The root of the mean squared error of the last round, in points.
    error: float = 0.0


@final
class Trainer:
    """A training run. Not thread-safe; a context manager that ends its thread."""

    def __init__(
        self, simulator: Simulator, seed: int, executor: Executor, tasks: int = TASKS, *, goes_on: bool = False
    ) -> None:
        """Prepare a training run of a game, whose games an executor of `self_play_process` plays.

        `tasks` is the number of jobs of a round: as many can be played at the same time. With `goes_on`, networks have
        no tuples, and states no images: both are to be replaced by those of a file (`read_checkpoint`). Raises
        NotTrainableError if the game is of a kind that cannot be trained, and CompileError if its method needs kernels
        that fail.
        """
        self.simulator = simulator
        self.method = method_for(simulator)
        #: The search that the values are meant for, and its exploration; what is learned does not depend on them.
        self.search = MCTS if self.method.roles else ALPHABETA
        self.exploration = 0.0
        self.progress = Progress(seed, tasks=tasks, depth=self.method.depth)
        tuples = NONE if goes_on else find_tuples(simulator, derive(seed, "tuples"))
        facts = len(simulator.all_facts)
        #: The network of each role, or the one of a duel.
        self.networks = [Network(facts, derive(seed, "network", own), tuples) for own in self.method.roles] or [
            Network(facts, derive(seed, "network"), tuples)
        ]
        #: By which examples are replaced at random.
        self.images = (
            Images.none(facts, len(players_of(simulator)))
            if goes_on
            else find_images(simulator, duel=not self.method.roles)
        )
        self.replay = Replay(_REMEMBERED)
        #: The games of the last round, from which the network has not learned yet.
        self.pending: list[Examples] = []
        #: Earlier selves, the oldest first, with the number of rounds after which they were kept.
        self.selves: list[tuple[int, Weights]] = []
        self._executor = executor
        self._thread = ThreadPoolExecutor(1, "learning")

    def __enter__(self) -> Trainer:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the thread, as soon as it has learned from a round; an error, such as an interrupt, does not wait."""
        self._thread.shutdown(wait=kind is None, cancel_futures=True)

    def round(self) -> None:
        """Play a round of games, and learn from those of the last round. The first one also learns from playouts.

        Raises WorkError if the games cannot be played.
        """
        progress = self.progress
        if not progress.rounds:
            seed = derive(progress.seed, "playouts") >> 1
            job = self._job(self.method.jobs[0], "playouts", count=_PLAYOUTS, seed=seed)
            playouts = _examples(*self._done([job]))
            random = np.random.default_rng(derive(progress.seed, "images"))
            states, values = self.images.of(playouts, random)
            for network, own in zip(self.networks, values.reshape(len(states), -1).T.copy(), strict=True):
                network.fit(states, own)
        # All jobs are made before the network changes.
        jobs = self._games()
        learning = self._thread.submit(self._learn)
        played = self._done(jobs)
        learning.result()
        self._take(played)
        if progress.rounds & (progress.rounds - 1) == 0:
            self.selves = [*self.selves, (progress.rounds, self.arrays())][-MOST_SELVES:]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is learned, by the names of arrays in files."""
        return stacked(self.networks) if self.method.roles else self.networks[0].arrays()

    def earlier(self) -> tuple[int, Weights] | None:
        """Return the latest self that has at most half the rounds; None if there is none."""
        old = [one for one in self.selves if 2 * one[0] <= self.progress.rounds]
        return old[-1] if old else None

    def _games(self) -> list[Job]:
        """Return the jobs of this round."""
        progress, weights = self.progress, text_of(self.arrays())
        jobs = []
        for number in range(progress.tasks):
            seed = derive(progress.seed, "task", str(progress.rounds), str(number))
            place = number % len(_OPENINGS)
            role, rival = place - (len(_OPENINGS) - _AGAINST_EARLIER), None
            if role >= 0 and self.selves and self.method.contested:
                rival = text_of(self.selves[seed % len(self.selves)][1])
            plan = self.method.plan(progress, seed, _OPENINGS[place], -1 if rival is None else role)
            label = f"round {progress.rounds + 1}, job {number + 1}"
            settings = {"room": progress.room, "plan": plan, "weights": weights, "rival": rival}
            jobs.append(self._job(self.method.jobs[1], label, **settings))
        return jobs

    def _job(self, kind: str, label: str, **settings: Any) -> Job:
        return Job(kind, settings, self.simulator.rulesheet.source, label=label)

    def _done(self, jobs: list[Job]) -> list[dict[str, Any]]:
        """Return the answers to jobs, in their order. Raises WorkError."""
        answers = {}
        for result in self._executor.run(range(len(jobs)), jobs.__getitem__):
            if isinstance(result, Lost):
                raise WorkError(f"{jobs[result.task].label}: {result.reason}")
            answers[result.task] = result.answer
        return [answers[number] for number in range(len(jobs))]

    def _learn(self) -> None:
        """Learn from the games of the last round."""
        if not self.pending:
            return
        states, values = (np.concatenate([games[part] for games in self.pending]) for part in (0, 1))
        random = np.random.default_rng(derive(self.progress.seed, "learning", str(self.progress.rounds)))
        self.progress.error = sqrt(self.replay.teach(self.networks, (states, values), random, self.images.of))
        self.pending = []

    def _take(self, played: list[dict[str, Any]]) -> None:
        """Take the games of a round, and plan the next one."""
        progress = self.progress
        self.pending = [_examples(answer) for answer in played]
        states, nodes = sum(len(games) for games, _ in self.pending), sum(answer["nodes"] for answer in played)
        progress.rounds += 1
        progress.states += states
        progress.nodes += nodes
        fitting = int(len(played) * _NODES * progress.room / max(nodes, 1))
        progress.room = max(_FEW, min(MANY, 2 * progress.room, fitting))
        self.method.deepen(progress)


def _examples(answer: Mapping[str, Any]) -> Examples:
    """Return the states and values of an answer."""
    arrays = arrays_of(answer["games"])
    return arrays["states"], arrays["values"]


#: The time for random playouts that show the kind of a game: much more than they take on a machine with other work,
#: since a training run must find the same kind whenever it goes on.
_SECONDS: Final = 60.0


def method_for(simulator: Simulator) -> Method:
    """Return the method for a game. Raises NotTrainableError, and CompileError if it needs kernels that fail."""
    if hides_states(simulator):
        raise NotTrainableError(HIDDEN)
    if not players_of(simulator):
        raise NotTrainableError("this game has no role but chance")
    kind = classify_game(simulator, seconds=_SECONDS)
    if not kind.ends:
        raise NotTrainableError("no random playout of this game has come to an end")
    if kind.plies < 1:
        raise NotTrainableError("this game is over at its start")
    if kind.duel:
        return Duels(simulator)
    return Roles(simulator)
