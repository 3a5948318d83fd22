"""The player for games of one role: `planner`. It looks for a plan, and plays it.

It thinks from the start of the start clock until a plan has the highest goal there is, else until just before the
deadline. Without such a plan it follows the best one that it has, and looks for a better one before each move. In a
game of several roles, or one that hides its states, it plays at random.
"""

from __future__ import annotations

import math
import time
from random import Random
from threading import Event, Thread
from typing import Final

from gdl.errors import GdlError
from gdl.simulator import Simulator
from gdl.terms import Term
from ggp.clock import Deadline
from ggp.engine import Engine, State
from ggp.planner import Plan, plan
from ggp.planner.plain import Course, plain_plan
from ggp.players.player import End, Start, Turn

#: Seconds that it thinks at most where no clock runs.
PATIENCE: Final = 30.0

#: Seconds kept back from the clock; from a short one, this share.
MARGIN: Final = 0.25
SHARE: Final = 0.25

#: Bytes of memory for the search.
MEMORY: Final = 1 << 30


class PlannerPlayer:
    """Plans, and plays the plan; the module says how."""

    name = "planner"

    def __init__(self) -> None:
        self._random = Random(0)
        self._thinking: _Thinking | None = None
        self._start: Start | None = None
        self._game: Engine | None = None
        #: The moves of the best plan that are still to be played, its goal, and whether no other has a higher one.
        self._left: list[Term] = []
        self._goal = -1
        self._proven = False

    def start(self, start: Start, deadline: Deadline) -> None:
        self._random = Random(start.seed)
        self._start = start
        self._game = None
        self._left, self._goal, self._proven = [], -1, False
        if len(start.game.roles) == 1 and not start.hidden:
            self._think(start.game.initial_state(), deadline)

    def move(self, turn: Turn) -> Term:
        if self._start is None:
            raise RuntimeError("move asked for before start")
        if turn.state is None or len(self._start.game.roles) > 1:
            return self._random.choice(turn.legal)
        if turn.moves is not None and (not self._left or self._left.pop(0) != turn.moves[0]):
            # Another move was made for this player: the plan is not worth anything any more.
            self._left, self._goal, self._proven = [], -1, False
        if not (self._proven and self._left):
            self._think(turn.state, turn.deadline)
        if not self._left or self._left[0] not in turn.legal:
            self._left, self._goal, self._proven = [self._random.choice(turn.legal)], -1, False
        return self._left[0]

    def stop(self, end: End) -> None:  # noqa: ARG002
        if self._thinking is not None:
            self._thinking.stopped.set()
        self._thinking = self._start = self._game = None

    def _think(self, state: State, deadline: Deadline) -> None:
        """Look for a better plan from a state until the deadline, as far as the clock is felt to allow."""
        assert self._start is not None
        left = deadline.left()
        seconds = PATIENCE if math.isinf(left) else left - min(MARGIN, SHARE * left)
        until = time.monotonic() + seconds
        if self._thinking is not None:
            # What is still busy with an earlier state comes to its end before another begins.
            self._thinking.stopped.set()
            self._thinking.thread.join(max(0.0, until - time.monotonic()))
            if self._thinking.thread.is_alive():
                return
            self._game = self._thinking.game
        self._thinking = thinking = _Thinking(self._game or self._start.game, state, until, self._start.seed)
        thinking.thread.start()
        thinking.thread.join(max(0.0, until - time.monotonic()))
        thinking.stopped.set()
        goal, moves, proven = thinking.best
        if moves and (goal > self._goal or not self._left):
            self._left, self._goal = list(moves), goal
        self._proven = proven or self._proven


class _Stopped(Exception):
    """Nobody waits for an answer any more."""


class _Thinking:
    """One search, in a thread of its own, so that nothing that takes long can make a move late."""

    def __init__(self, game: Engine, state: State, until: float, seed: int) -> None:
        #: The engine; the compiled one as soon as there is one.
        self.game = game
        self.best: tuple[int, tuple[Term, ...], bool] = (-1, (), False)
        self.stopped = Event()
        self.thread = Thread(target=self._run, args=(state, until, seed), name="planner", daemon=True)

    def _run(self, state: State, until: float, seed: int) -> None:
        try:
            self._search(state, until, seed)
        except _Stopped:
            pass

    def _search(self, state: State, until: float, seed: int) -> None:
        simulator = self._compiled()
        if simulator is None:
            plain_plan(self.game, state, deadline=until, seed=seed, improved=self._improved)
            return
        self.game = simulator
        seconds = until - time.monotonic()
        packed = simulator.state(state)
        best = plan(
            simulator,
            packed,
            seconds=seconds,
            memory=MEMORY,
            shortest=False,
            progress=self._checked,
            improved=self._improved,
        )
        self._improved(best)

    def _compiled(self) -> Simulator | None:
        """The game compiled, if it can be."""
        if isinstance(self.game, Simulator):
            return self.game
        rulesheet = getattr(self.game, "rulesheet", None)
        if rulesheet is None:
            return None
        from gdl.simulator import compile  # noqa: A004

        try:
            return compile(rulesheet)
        except GdlError:
            return None

    def _checked(self, _: str) -> None:
        if self.stopped.is_set():
            raise _Stopped

    def _improved(self, found: Plan | Course) -> None:
        """Keep a plan, unless it came too late."""
        self._checked("")
        goal = -1 if found.goal is None else found.goal
        proven = found.proven if isinstance(found, Plan) else goal == 100
        self.best = (goal, found.moves, proven)
