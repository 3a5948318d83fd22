"""Scores of a network in training: against an earlier self, and against `auto`. They do not change what is learned."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, final

from gdl.simulator.seeds import derive
from ggp.learning.matches import auto_match
from ggp.learning.messages import text_of
from ggp.learning.trainer import Trainer
from ggp.tournament.ratings import wilson
from ggp.work.job import Job, Lost, WorkError

if TYPE_CHECKING:
    from ggp.players.learned_values.value import LearnedValue
    from ggp.work.job import Executor

#: The share of the time of training that each kind of games and matches may take.
SHARE: Final = 0.1

#: Games against an earlier self: the distributions of roles that are played at a time, and the number of latest games
#: that count.
_TURNS: Final = 2
_LATEST: Final = 320

#: Matches against `auto`: the nodes or simulations of both for a move, and the number of latest matches that count.
#: A training run ends with at most `_ENOUGH` of them.
NODES: Final = 2_000
_MATCHES: Final = 40
_ENOUGH: Final = 200

#: Matches between the two searches that can play with the values of a duel: the seconds for a move, and the number from
#: which on they end as soon as one search is clearly better.
PLAY_CLOCK: Final = 0.1
_CLEAR: Final = 10


@final
@dataclass(frozen=True, slots=True)
class Score:
    """Points of a number of games, 1 for a win and half for a draw; `rounds` is the age of the other, if it has one."""

    points: float
    games: int
    rounds: int = 0

    @property
    def share(self) -> float:
        """The share of the points."""
        return self.points / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the share (Wilson)."""
        return wilson(self.points, self.games)


@final
class Measuring:
    """Scores of a training run so far. The matches against `auto` are played in a thread, one after another."""

    def __init__(self, trainer: Trainer) -> None:
        """Measure nothing yet."""
        self._trainer = trainer
        self._gauge = trainer.method.gauge()
        self._games = 0
        self._other = 0
        self._results: deque[float] = deque(maxlen=_LATEST)
        self._points: deque[float] = deque(maxlen=_MATCHES)
        self._match: Future[float | None] | None = None
        self._matches = 0
        self._began = monotonic()
        self._spent = self._waited = 0.0
        self._stopped = threading.Event()
        # A thread of its own: otherwise, a long match would hold up the rounds of a training run with few threads.
        self._thread = ThreadPoolExecutor(1, "measuring")

    def __enter__(self) -> Measuring:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Break off a match that is being played, and end the thread; an error, such as an interrupt, does not wait."""
        self._stopped.set()
        self._thread.shutdown(wait=kind is None, cancel_futures=True)

    def expected(self) -> float:
        """Return the goal, 0 to 100, that the first role may expect at the start."""
        return self._gauge.expected(self._trainer.networks)

    def against_earlier(self) -> Score | None:
        """Return the score against an earlier self so far, None without one, after some more games if there is time.

        They hold up the training run, so they may take a share of its time only, apart from the first ones.
        """
        earlier = self._trainer.earlier()
        if earlier is None:
            return None
        rounds, weights = earlier
        if rounds != self._other:
            self._other = rounds
            self._results.clear()
        began = monotonic()
        in_time = self._waited <= SHARE * (began - self._began)
        for _ in range(_TURNS if in_time or not self._results else 0):
            turn = self._games
            self._games += 1
            seed = derive(self._trainer.progress.seed, "earlier", str(self._games))
            self._results += self._gauge.points(self._trainer.networks, weights, seed, turn)
        self._waited += monotonic() - began
        return Score(sum(self._results), len(self._results), rounds) if self._results else None

    def against_auto(self, value: LearnedValue) -> Score | None:
        """Return the score against `auto` so far, None without one; start the next match if it is time for one."""
        if self._match is not None and self._match.done():
            points = self._match.result()
            if points is not None:
                self._points.append(points)
            self._match = None
        if self._match is None and self._spent <= SHARE * (monotonic() - self._began):
            self._match = self._thread.submit(self._play, value, self._matches)
            self._matches += 1
        return Score(sum(self._points), len(self._points)) if self._points else None

    def _play(self, value: LearnedValue, number: int) -> float | None:
        """Play a match against `auto`; return the points, or None if it was broken off."""
        began = monotonic()
        points = auto_match(
            self._trainer.simulator,
            value,
            number=number,
            seed=derive(self._trainer.progress.seed, "auto", str(number)),
            nodes=NODES,
            stopped=self._stopped.is_set,
        )
        self._spent += monotonic() - began
        return points


def search_scores(trainer: Trainer, value: LearnedValue, executor: Executor, seconds: float) -> Iterator[Score]:
    """Play matches between `mcts` and `alphabeta` with the values of a duel, and yield the score of `mcts` so far.

    They have clocks, since a node of one search takes less time than a simulation of the other. Raises WorkError.
    """
    for score in _scores(trainer, value, executor, seconds, "search_match", {"play_clock": PLAY_CLOCK}):
        yield score
        low, high = score.interval
        if score.games >= _CLEAR and not low <= 0.5 <= high:
            return


def final_scores(trainer: Trainer, value: LearnedValue, executor: Executor, seconds: float) -> Iterator[Score]:
    """Play matches of the values at the end of a training run against `auto`, and yield the score so far.

    Raises WorkError if the matches cannot be played.
    """
    return _scores(trainer, value, executor, seconds, "auto_match", {"nodes": NODES})


def _scores(
    trainer: Trainer, value: LearnedValue, executor: Executor, seconds: float, kind: str, limits: Mapping[str, float]
) -> Iterator[Score]:
    """Play matches of a kind in all processes, and yield the score so far.

    There are as many at a time as the executor has cores, and further ones until `seconds` have passed or the matches
    are `_ENOUGH`. Those that were begun are played to the end, as short ones may be won more often than long ones.
    """
    until = monotonic() + seconds
    progress = trainer.progress
    about: dict[str, Any] = {"weights": text_of(value.arrays), "roles": list(value.roles), **limits}
    about |= {"search": value.search, "exploration": value.exploration}
    points: list[float] = []

    def job(number: int) -> Job:
        seed = derive(progress.seed, kind, str(progress.rounds), str(number))
        settings = {**about, "number": number, "seed": seed}
        return Job(kind, settings, trainer.simulator.rulesheet.source, label=f"match {number + 1}")

    while len(points) < _ENOUGH and (not points or monotonic() < until):
        tasks = range(len(points), min(_ENOUGH, len(points) + max(1, executor.progress.cores)))
        for result in executor.run(tasks, job):
            if isinstance(result, Lost):
                raise WorkError(f"match {result.task + 1} at the end of the training run: {result.reason}")
            points.append(float(result.answer["points"]))
        yield Score(sum(points), len(points))
