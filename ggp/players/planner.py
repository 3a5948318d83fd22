"""The player `planner`, for single-player games: searches for a plan, and plays it.

It searches from the beginning of the start clock until it finds a plan with the highest possible goal, or until just
before the deadline. Without such a plan it follows the best one found so far, and searches for a better one before each
move. Learned values, if there are any, say which states look best. In a game with several roles or hidden states it
plays at random.
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

from gdl.codegen.ahead import import_ahead
from gdl.engine import Engine, State
from gdl.errors import DerivationLimitError, GoalError
from gdl.terms import Term
from ggp.players.background import Background
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation
from ggp.players.daemon import DaemonThread
from ggp.players.learned_values.array_file import ArrayFileError
from ggp.players.learned_values.value import Learned, read_value
from ggp.players.margin import Margin
from ggp.players.player import End, Start, Turn
from ggp.solver.planner import Plan, Values, plan
from ggp.solver.planner.plain_search import Course, Plain
from ggp.solver.planner.puzzle import UNDEFINED

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator

#: The longest search, in seconds, if no clock is running.
PATIENCE: Final = 30.0

#: Seconds of the clock held in reserve; this share of a short clock.
MARGIN: Final = 0.25
SHARE: Final = 0.25

#: With fewer seconds than this left, it stops looking for a move that does not end the game.
LAST: Final = 0.1

#: The compiled functions of plans, and of learned values.
_CODE: Final = "ggp.solver.planner.state_keys"
_NETWORKS: Final = "ggp.players.learned_values.role_evaluation"

#: The longest single wait for the compiled game, in seconds: with a clock, and without.
WAIT: Final = 2.0
UNHURRIED: Final = 10.0

#: The longest single wait for the search thread, in seconds.
GLANCE: Final = 0.1

#: Memory for the search, in bytes.
MEMORY: Final = 1 << 30


class PlannerPlayer:
    """Searches for a plan and plays it, as the module describes."""

    name = "planner"
    compiles = True
    functions = (_CODE, _NETWORKS)
    plans = True

    def __init__(self, file: str = "") -> None:
        """Start without a plan. Take learned values from a file, if one is given. Raises ArrayFileError."""
        self._learned = Learned(read_value(file), file) if file else None
        if file:
            self.name = f"planner({Path(file).name})"
        self._random = Random(0)
        self._thinking: _Thinking | None = None
        self._start: Start | None = None
        self._margin = Margin()
        #: The remaining moves of the best plan, its goal, and True if no plan has a higher goal.
        self._left: list[Term] = []
        self._goal = -1
        self._proven = False

    def refusal(self, game: Engine) -> str:
        """Return why its values are of no use for a game, in one line; empty if it has none, or they are."""
        if self._learned is None:
            return ""
        reason = self._learned.value.refusal(game)
        if not reason and len(self._learned.value.roles) != 1:
            reason = "its values are not those of one role"
        return f"{self._learned.file}: {reason}" if reason else ""

    def start(self, start: Start, deadline: Deadline) -> None:
        """Search for a plan from the initial state. Raises ArrayFileError if its values are of no use for the game."""
        if self._learned is not None and (reason := self.refusal(start.game)):
            raise ArrayFileError(self._learned.file, reason.removeprefix(f"{self._learned.file}: "))
        self._random = Random(start.seed)
        self._start, self._margin = start, Margin()
        self._left, self._goal, self._proven = [], -1, False
        if len(start.game.roles) == 1 and not start.hidden:
            self._think(start.game.initial_state(), deadline)

    def move(self, turn: Turn) -> Term:
        """Return the next move of the plan, after a further search unless the plan is proven best."""
        if self._start is None:
            raise RuntimeError("move() called before start()")
        if turn.state is None or len(self._start.game.roles) > 1:
            return self._random.choice(turn.legal)
        if turn.moves is not None and (not self._left or self._left.pop(0) != turn.moves[0]):
            # Another move was made for this player, so the plan is void.
            self._left, self._goal, self._proven = [], -1, False
        if not (self._proven and self._left):
            self._think(turn.state, turn.deadline)
        if not self._left or self._left[0] not in turn.legal:
            self._left, self._goal, self._proven = [self._open_move(turn)], -1, False
        return self._left[0]

    def _open_move(self, turn: Turn) -> Term:
        """Return a random move that does not end the game at once, if there is time to find one."""
        assert self._start is not None
        game, moves = self._start.game, list(turn.legal)
        self._random.shuffle(moves)
        for move in moves:
            if turn.deadline.left() < LAST or not game.is_terminal(game.next_state(turn.state, [move])):
                return move
        return moves[0]

    def stop(self, end: End) -> None:  # noqa: ARG002
        """Stop the search and forget the match."""
        if self._thinking is not None:
            self._thinking.stopped.set()
        self._thinking = self._start = None

    def _think(self, state: State, deadline: Deadline) -> None:
        """Search for a better plan from a state until shortly before the deadline."""
        assert self._start is not None
        left = deadline.left()
        reserve = min(MARGIN, SHARE * left)
        # The reserve for delays is part of the fixed one, which is much longer than those of other players.
        deadline = self._margin.begin(deadline, max(0.0, reserve - self._margin.delay(left)))
        seconds = PATIENCE if math.isinf(left) else deadline.left()
        until = time.monotonic() + seconds
        if self._thinking is not None:
            # A search from an earlier state must end before another begins.
            self._thinking.stopped.set()
            _wait(self._thinking.thread, deadline.until(until))
            if self._thinking.thread.is_alive():
                self._margin.end()
                return
        self._thinking = thinking = _Thinking(self._start, state, until, self._learned)
        thinking.thread.start()
        _wait(thinking.thread, deadline.until(until))
        thinking.stopped.set()
        self._margin.end()
        if thinking.error is not None:
            raise thinking.error
        goal, moves, proven = thinking.best
        # Ignore a plan with goal 0, unless that is proven best: a better one may still be found.
        if moves and (goal > self._goal or not self._left) and (goal > 0 or proven):
            self._left, self._goal = list(moves), goal
        self._proven = proven or self._proven


def _wait(thread: Thread, deadline: Deadline) -> None:
    """Wait until a thread ends, or the deadline passes or is called off."""
    while thread.is_alive() and (left := deadline.left()) > 0:
        thread.join(min(left, GLANCE))


def _load_search(*, learned: bool) -> bool:
    import_ahead(_CODE)
    if learned:
        import_ahead(_NETWORKS)
    return True


def _values(learned: Learned, simulator: Simulator) -> Values:
    """Return what learned values say of states. Raises ArrayFileError if they do not fit the compiled game."""
    from ggp.players.learned_values.role_networks import RoleNetworks

    networks = RoleNetworks(learned.value.networks(simulator, learned.file), simulator.layout.state_words)
    return lambda states: 100 * networks.values(states)[:, 0]


class _Stopped(Exception):
    """The answer is no longer needed."""


class _Thinking:
    """One search in its own thread, so that a long step cannot make a move late."""

    def __init__(self, start: Start, state: State, until: float, learned: Learned | None) -> None:
        self._start = start
        self._learned = learned
        #: Why learned values cannot be used after all.
        self.error: ArrayFileError | None = None
        #: The goal and the moves of the best plan, and True if no plan has a higher goal.
        self.best: tuple[int, tuple[Term, ...], bool] = (-1, (), False)
        self.stopped = Event()
        self.thread = DaemonThread(self._run, state, until, name="planner")

    def _run(self, state: State, until: float) -> None:
        # Beyond the budget of derivations, the best plan so far is what remains; so it is if its end has no goal value.
        with suppress(_Stopped, DerivationLimitError, GoalError):
            try:
                self._search(state, until)
            except ArrayFileError as error:
                self.error = error

    def _search(self, state: State, until: float) -> None:
        making = compilation(self._start)
        # Other processes make the circuit and, after an installation, what Numba compiles, side by side.
        learned = self._learned
        loading = (
            Background(lambda: _load_search(learned=learned is not None), "compiled functions of plans")
            if self._start.timed
            else None
        )
        patience = WAIT if self._start.timed else UNHURRIED
        simulator = making.result(Deadline(min(until, time.monotonic() + patience)), margin=0.0)
        # A game that takes long to compile may not compile at all, so search without the Simulator meanwhile.
        plain = Plain(self._start.game, state, self._start.seed, self._improved)
        while simulator is None and time.monotonic() < until:
            pause = until if making.over else min(until, time.monotonic() + WAIT)
            course = plain.run(pause, enough=lambda: making.ready() is not None)
            self._checked("")
            if course.goal == 100 or (course.over and making.over):
                return
            simulator = making.result(Deadline(until), margin=0.0) if course.over else making.ready()
        if simulator is not None and (loading is None or loading.result(Deadline(until), margin=0.0)):
            packed = simulator.state(state)
            self._improved(
                plan(
                    simulator,
                    packed,
                    seconds=until - time.monotonic(),
                    memory=MEMORY,
                    shortest=False,
                    values=None if learned is None else _values(learned, simulator),
                    progress=self._checked,
                    improved=self._improved,
                )
            )

    def _checked(self, _: str) -> None:
        if self.stopped.is_set():
            raise _Stopped

    def _improved(self, found: Plan | Course) -> None:
        """Keep a plan if it is no worse than the best so far. Raises `_Stopped` if it comes too late."""
        self._checked("")
        goal = found.goal
        if goal is None:
            goal = UNDEFINED if found.moves else -1
        if goal >= self.best[0]:
            self.best = (goal, found.moves, found.proven if isinstance(found, Plan) else goal == 100)
