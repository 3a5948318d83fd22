"""The player for games of one role: `planner`. It looks for a plan, and plays it.

It thinks from the start of the start clock until a plan has the highest goal there is, else until just before the
deadline. Without such a plan it follows the best one that it has, and looks for a better one before each move. In a
game of several roles, or one that hides its states, it plays at random.
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from random import Random
from threading import Event, Thread
from typing import Final

from gdl.engine import State
from gdl.terms import Term
from ggp.planner import Plan, plan
from ggp.planner.plain_search import Course, Plain
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation
from ggp.players.player import End, Start, Turn

#: Seconds that it thinks at most where no clock runs.
PATIENCE: Final = 30.0

#: Seconds kept back from the clock; from a short one, this share.
MARGIN: Final = 0.25
SHARE: Final = 0.25

#: Seconds in which it looks no further for a move that does not end the game.
LAST: Final = 0.1

#: Seconds that it waits for the game to be compiled, at a time.
WAIT: Final = 2.0

#: Seconds that it waits for its own thread, at a time.
GLANCE: Final = 0.1

#: Bytes of memory for the search.
MEMORY: Final = 1 << 30


class PlannerPlayer:
    """Plans, and plays the plan; the module says how."""

    name = "planner"
    compiles = True

    def __init__(self) -> None:
        self._random = Random(0)
        self._thinking: _Thinking | None = None
        self._start: Start | None = None
        #: The moves of the best plan that are still to be played, its goal, and whether no other has a higher one.
        self._left: list[Term] = []
        self._goal = -1
        self._proven = False

    def start(self, start: Start, deadline: Deadline) -> None:
        self._random = Random(start.seed)
        self._start = start
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
            self._left, self._goal, self._proven = [self._open_move(turn)], -1, False
        return self._left[0]

    def _open_move(self, turn: Turn) -> Term:
        """Any move that does not end the game at once, if there is time to look for one."""
        assert self._start is not None
        game, moves = self._start.game, list(turn.legal)
        self._random.shuffle(moves)
        for move in moves:
            if turn.deadline.left() < LAST or not game.is_terminal(game.next_state(turn.state, [move])):
                return move
        return moves[0]

    def stop(self, end: End) -> None:  # noqa: ARG002
        if self._thinking is not None:
            self._thinking.stopped.set()
        self._thinking = self._start = None

    def _think(self, state: State, deadline: Deadline) -> None:
        """Look for a better plan from a state until the deadline, as far as the clock is felt to allow."""
        assert self._start is not None
        left = deadline.left()
        seconds = PATIENCE if math.isinf(left) else left - min(MARGIN, SHARE * left)
        until = time.monotonic() + seconds
        if self._thinking is not None:
            # What is still busy with an earlier state comes to its end before another begins.
            self._thinking.stopped.set()
            _wait(self._thinking.thread, deadline.until(until))
            if self._thinking.thread.is_alive():
                return
        self._thinking = thinking = _Thinking(self._start, state, until)
        thinking.thread.start()
        _wait(thinking.thread, deadline.until(until))
        thinking.stopped.set()
        goal, moves, proven = thinking.best
        # A plan that is worth nothing is none: something may still turn up.
        if moves and (goal > self._goal or not self._left) and (goal > 0 or proven):
            self._left, self._goal = list(moves), goal
        self._proven = proven or self._proven


def _wait(thread: Thread, deadline: Deadline) -> None:
    """Until a thread ends, or the deadline, or that is called off."""
    while thread.is_alive() and (left := deadline.left()) > 0:
        thread.join(min(left, GLANCE))


class _Stopped(Exception):
    """Nobody waits for an answer any more."""


class _Thinking:
    """One search, in a thread of its own, so that nothing that takes long can make a move late."""

    def __init__(self, start: Start, state: State, until: float) -> None:
        self._start = start
        #: Goal, moves, and whether no plan has a higher goal.
        self.best: tuple[int, tuple[Term, ...], bool] = (-1, (), False)
        self.stopped = Event()
        self.thread = Thread(target=self._run, args=(state, until), name="planner", daemon=True)

    def _run(self, state: State, until: float) -> None:
        with suppress(_Stopped):
            self._search(state, until)

    def _search(self, state: State, until: float) -> None:
        making = compilation(self._start)
        simulator = making.result(Deadline(min(until, time.monotonic() + WAIT)), margin=0.0)
        # What takes long to be compiled, perhaps cannot be: something is done meanwhile.
        plain = Plain(self._start.game, state, self._start.seed, self._improved)
        while simulator is None and time.monotonic() < until:
            course = plain.run(until if making.over else min(until, time.monotonic() + WAIT))
            self._checked("")
            if course.goal == 100 or (course.over and making.over):
                return
            simulator = making.result(Deadline(until), margin=0.0) if course.over else making.ready()
        if simulator is not None:
            packed = simulator.state(state)
            self._improved(
                plan(
                    simulator,
                    packed,
                    seconds=until - time.monotonic(),
                    memory=MEMORY,
                    shortest=False,
                    progress=self._checked,
                    improved=self._improved,
                )
            )

    def _checked(self, _: str) -> None:
        if self.stopped.is_set():
            raise _Stopped

    def _improved(self, found: Plan | Course) -> None:
        """Keep a plan, unless it came too late."""
        self._checked("")
        goal = -1 if found.goal is None else found.goal
        if goal >= self.best[0]:
            self.best = (goal, found.moves, found.proven if isinstance(found, Plan) else goal == 100)
