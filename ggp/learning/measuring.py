"""Scores of a network in training: against an earlier self, and against `auto`. They do not change what is learned."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from statistics import fmean
from time import monotonic
from typing import TYPE_CHECKING, Final, final

from gdl.engine import player_roles
from gdl.simulator.seeds import derive
from ggp.learning.roles import split
from ggp.learning.trainer import Trainer
from ggp.match.match import Match
from ggp.match.settings import Settings
from ggp.players.alphabeta.learned_value import Learned, LearnedValue
from ggp.players.auto import AutoPlayer
from ggp.players.learned import learned_player
from ggp.tournament.ratings import wilson
from ggp.tournament.scoring import points_of

if TYPE_CHECKING:
    from ggp.players.player import Player

#: Games against an earlier self: the distributions of roles that are played at a time, and the number of latest games
#: that count.
_TURNS: Final = 2
_LATEST: Final = 320

#: Matches against `auto`: the nodes or simulations of both for a move, the number of latest matches that count, the
#: share of the time of training that they may take, and the longest match.
NODES: Final = 2_000
_MATCHES: Final = 40
_SHARE: Final = 0.1
_PLIES: Final = 500


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
        self._gauge = trainer.method.gauge()
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
        """Return the goal, 0 to 100, that the first role may expect at the start."""
        return self._gauge.expected(self._trainer.networks)

    def against_earlier(self) -> Score | None:
        """Play some games against an earlier self, and return the score against it so far; None if there is none."""
        earlier = self._trainer.earlier()
        if earlier is None:
            return None
        rounds, weights = earlier
        if rounds != self._other:
            self._other = rounds
            self._results.clear()
        for _ in range(_TURNS):
            turn = self._games
            self._games += 1
            seed = derive(self._trainer.progress.seed, "earlier", str(self._games))
            self._results += self._gauge.points(self._trainer.networks, weights, seed, turn)
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
        roles = player_roles(simulator)
        # The roles that auto plays. A game of one role is played twice.
        rivals = [0, 1] if len(roles) == 1 else [split(number + 1, len(roles))]
        goals: tuple[list[float | None], ...] = ([], [])
        for mask in rivals:
            theirs = {role: bool(mask >> place & 1) for place, role in enumerate(roles)}
            players = {role: self._player(value, theirs[role]) for role in roles}
            with Match(simulator, players, Settings(seed, max_plies=_PLIES)) as match:
                for _ in match.plies():
                    if self._stopped.is_set():
                        return None
            for role, goal in zip(simulator.roles, match.record.goals or (), strict=False):
                if role in theirs:
                    goals[theirs[role]].append(goal)
        self._spent += monotonic() - began
        return points_of(*(_mean(side) for side in goals))

    def _player(self, value: LearnedValue, other: bool) -> Player:
        """Return a player with the values, or the other player."""
        if other:
            return AutoPlayer(NODES, learned=0)
        return learned_player(Learned(value, "the network"), NODES)


def _mean(goals: list[float | None]) -> float | None:
    """Return the mean of some goals; None if one of them is unknown, or there are none."""
    known = [goal for goal in goals if goal is not None]
    return fmean(known) if known and len(known) == len(goals) else None
