"""Scores of a network in training: against an earlier self, and against `auto`. They do not change what is learned."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from gdl.simulator.seeds import derive
from ggp.learning.trainer import Trainer
from ggp.match.match import Match
from ggp.match.settings import Settings
from ggp.players.alphabeta.alphabeta import AlphaBetaPlayer, Learned
from ggp.players.alphabeta.learned_value import LearnedValue
from ggp.players.alphabeta.network import network_of
from ggp.players.alphabeta.search import Plan, Search
from ggp.players.alphabeta.values import POINT, WON
from ggp.players.auto import AutoPlayer
from ggp.tournament.ratings import wilson
from ggp.tournament.scoring import points_of

if TYPE_CHECKING:
    from ggp.players.player import Player

#: Games against an earlier self: the depth of both, the number of games in each role, the random plies at the beginning
#: of a game, and the number of latest games that count.
_DEPTH: Final = 3
_GAMES: Final = 8
_OPENING: Final = 8
_LATEST: Final = 320

#: Room for the states of these games, which are not used.
_ROOM: Final = 20_000

#: Matches against `auto`: the nodes or simulations of both for a move, the number of latest matches that count, the
#: share of the time of training that they may take, and the longest match.
NODES: Final = 2_000
_MATCHES: Final = 40
_SHARE: Final = 0.1
_PLIES: Final = 500

#: The depth of the search that says what is expected at the start.
_EXPECTING: Final = 4


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
    """Scores of a training so far. The matches against `auto` are played in a thread, one after another."""

    def __init__(self, trainer: Trainer) -> None:
        """Measure nothing yet."""
        self._trainer = trainer
        self._search, self._rival = (Search(trainer.simulator, 0, 1) for _ in range(2))
        self._games = 0
        self._other = 0
        self._results: deque[float] = deque(maxlen=_LATEST)
        self._points: deque[float] = deque(maxlen=_MATCHES)
        self._match: Future[float | None] | None = None
        self._matches = 0
        self._began = monotonic()
        self._spent = 0.0
        self._stopped = threading.Event()
        # A thread of its own: otherwise, a long match would hold up the rounds of a training with few threads.
        self._thread = ThreadPoolExecutor(1, "measuring")

    def stop(self) -> None:
        """Break off a match that is being played, and end the thread."""
        self._stopped.set()
        self._thread.shutdown(cancel_futures=True)

    def expected(self) -> float:
        """Return the goal, 0 to 100, that the first role may expect at the start if goals add up to 100."""
        self._trainer.network.install(self._search)
        self._search.forget()
        value = self._search.at_depth(self._trainer.simulator.initial_state().bits, _EXPECTING)
        if abs(value) >= WON:
            return 100.0 if value > 0 else 0.0
        return min(100.0, max(0.0, 50 + value / POINT / 2))

    def against_earlier(self) -> Score | None:
        """Play some games against an earlier self, and return the score against it so far; None if there is none."""
        earlier = self._trainer.earlier()
        if earlier is None:
            return None
        rounds, weights = earlier
        if rounds != self._other:
            self._other = rounds
            self._results.clear()
        self._trainer.network.install(self._search)
        network_of(weights).install(self._rival)
        start = self._trainer.simulator.initial_state().bits
        for role in (0, 1):
            self._games += 1
            seed = derive(self._trainer.progress.seed, "earlier", str(self._games)) % 2**40
            plan = Plan(seed, _DEPTH, _OPENING, 1 << 40, 256, role, _GAMES)
            results = self._search.play(start, _ROOM, plan, self._rival).results
            own = results if role else -results
            self._results += [float(points) for points in (np.sign(own) + 1) / 2]
        return Score(sum(self._results), len(self._results), rounds) if self._results else None

    def against_auto(self, value: LearnedValue) -> Score | None:
        """Return the score against `auto` so far, None without one; start the next match if it is time for one."""
        if self._match is not None and self._match.done():
            points = self._match.result()
            if points is not None:
                self._points.append(points)
            self._match = None
        if self._match is None and self._spent <= _SHARE * (monotonic() - self._began):
            self._match = self._thread.submit(self._play, value, self._matches)
            self._matches += 1
        return Score(sum(self._points), len(self._points)) if self._points else None

    def _play(self, value: LearnedValue, number: int) -> float | None:
        """Play a match against `auto`; return the points, or None if it was broken off."""
        began = monotonic()
        simulator = self._trainer.simulator
        seed = derive(self._trainer.progress.seed, "auto", str(number))
        own: Any = AlphaBetaPlayer(NODES, learned=Learned(value, "the network"))
        players: Sequence[Player] = (own, AutoPlayer(NODES, learned=0))
        if number % 2:
            players = players[::-1]
        with Match(
            simulator, dict(zip(simulator.roles, players, strict=True)), Settings(seed, max_plies=_PLIES)
        ) as match:
            for _ in match.plies():
                if self._stopped.is_set():
                    return None
        self._spent += monotonic() - began
        goals = match.record.goals or (None, None)
        return points_of(goals[number % 2], goals[1 - number % 2])
