"""Evaluations of positions for people who analyse a match: expected goals, the best moves with lines, exact values.

    analyst = Analyst(game)                       # a Reasoner; the game is compiled in the background
    for evaluation in analyst.evaluate(state, 5.0, stopped):
        ...                                       # better and better ones

The search is that of the player `mcts`, which evaluates a position for all roles at once, also in games with
more than two roles, simultaneous moves or chance.
States that are hidden from roles in a match are searched like all others.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from gdl.engine import is_nature
from gdl.errors import GdlError
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation
from ggp.players.mcts import MctsPlayer
from ggp.players.player import Start
from ggp.players.resistance import Resistance, Resisting

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator
    from ggp.players.mcts.search import Search

#: The number of best moves with a line.
MOST_MOVES: Final = 3

#: Seconds between two evaluations of the same position, while the search goes on.
_PAUSE: Final = 0.5

#: Bytes for the tree of a search.
_MEMORY: Final = 1 << 28

#: The share of the time for the solver, the most seconds, and the memory of the process while it works, in GB.
_SOLVING: Final = 0.25
_LONGEST_SOLVING: Final = 3.0
_SOLVER_MEMORY: Final = 3.0

#: Simulations for comparing moves where a role cannot force more.
_RESISTING: Final = 100_000

#: Seconds after which a solver that keeps no time limit is not asked again.
_PATIENCE: Final = 10.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move of a role: the goal that it expects with it, and a line that begins with it, joint moves as far as known.

    `plies` is the number of plies to the end if the goal is proven.
    """

    move: str
    goal: float
    visits: int
    proven: bool = False
    plies: int | None = None
    line: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A position as seen by a search.

    `expected` has the expected goal of each role, 0 to 100, as far as it is known. `best` has the best moves of each
    role that has a choice, the best one first; `alone` is True if only one role has, and chance has none. `exact` is
    the value in words if the position is solved; `expected` is exact then, if the value settles the goals. `note` says
    how others may go wrong where a role cannot force more, and why an evaluation is slow.
    """

    expected: dict[str, float]
    best: dict[str, tuple[Candidate, ...]]
    alone: bool = False
    simulations: int = 0
    proven: bool = False
    exact: str = ""
    note: str = ""


class Analyst:
    """Evaluates positions of one game. Not thread-safe; `stop` may be called from any thread."""

    def __init__(self, game: Reasoner, threads: int = 1) -> None:
        """Begin to compile the game, and search in `threads` threads. Until it is compiled, searches are slower."""
        self._game = game
        self._player = MctsPlayer(memory=_MEMORY, threads=threads)
        # A Reasoner of its own, since the search uses it in other threads.
        self._start = Start("analysis", Reasoner(game.rulesheet), game.roles[0], 0, rules=game.rulesheet.source.text)
        self._player.start(self._start, Deadline.after(0.0))
        #: False once the solver was found not to suit the game.
        self._solvable = True

    def evaluate(
        self, state: State, seconds: float, stopped: Event, *, solve: bool = True, patient: bool = False
    ) -> Iterator[Evaluation]:
        """Yield evaluations of a state, the last one after about this many seconds or when it is proven.

        The iterator ends early when `stopped` is set. Preparing the search may take some seconds more. With `solve`,
        the solver is asked, too; with `patient`, a game that is still being compiled is waited for.
        """
        if self._game.is_terminal(state):
            yield self._ended(state)
            return
        search = self._ready(stopped, patient=patient)
        if search is None:
            return
        deadline = Deadline(time.monotonic() + seconds, stopped)
        search.advance(state)
        before = search.simulations
        exact, goals = "", dict[str, float]()
        solve = solve and self._solvable
        while not stopped.is_set():
            newer = self._player.search
            if newer is not None and newer is not search:  # that of the compiled game
                search = newer
                search.advance(state)
                before = search.simulations
            search.run(deadline=deadline.until(time.monotonic() + _PAUSE), stop=stopped.is_set)
            yield self._seen(search, search.simulations - before, exact, goals)
            if solve and not stopped.is_set():
                exact, goals = self._solved(state, min(_LONGEST_SOLVING, _SOLVING * seconds))
                solve = False
                if exact:
                    yield self._seen(search, search.simulations - before, exact, goals)
            if search.proven and not stopped.is_set():
                resisted = self._resisted(search, state, deadline)
                if resisted is not None:
                    yield self._seen(search, search.simulations - before, exact, goals, resisted)
            if search.proven or deadline.left() <= _PAUSE / 10:
                return

    def _resisted(self, search: Search, state: State, deadline: Deadline) -> Resisting | None:
        """Return the move that others are most likely to answer wrongly, where one role cannot force more."""
        from ggp.players.mcts.reading import chooser
        from ggp.players.mcts.world import LanesWorld

        role = chooser(search)
        candidates = None if role is None else search.resisting(role)
        if role is None or candidates is None or not isinstance(search.world, LanesWorld):
            return None
        resistance = Resistance(self._game.roles[role], 0)
        return resistance.choose(
            search.world, state, candidates, deadline, _RESISTING, partial(search.known, role=role)
        )

    def _ready(self, stopped: Event, *, patient: bool) -> Search | None:
        """Wait for a search, and if `patient` for that of the compiled game, if any; None if it is stopped first."""
        compiling = compilation(self._start)
        while not stopped.wait(0.02):
            search = self._player.search
            if search is not None and (not patient or not self._player.reason or compiling.reason):
                return search
        return None

    def _ended(self, state: State) -> Evaluation:
        goals: dict[str, float] = {}
        for role in self._game.roles:
            if not is_nature(role):
                goals[role] = float(self._game.goal(state, role))
        return Evaluation(goals, {}, proven=True, exact="the game is over")

    def _solved(self, state: State, seconds: float) -> tuple[str, dict[str, float]]:
        """Return the exact value of a state in words, and the goals that it settles; empty if it is not known."""
        simulator: Simulator | None = compilation(self._start).ready()
        if simulator is None:
            return "", {}
        from ggp.solver.errors import NotSolvableError
        from ggp.solver.position_value import value_of

        began = time.monotonic()
        try:
            value = value_of(simulator, simulator.state(state), seconds=seconds, memory=_SOLVER_MEMORY)
        except NotSolvableError:
            self._solvable = False
            return "", {}
        except GdlError:
            return "", {}
        # Its code for this game took longer to make than the search may wait for it.
        self._solvable = time.monotonic() - began < _PATIENCE
        goals = {role: float(goal) for role, goal in (value.goals or {}).items()} if value.proven else {}
        return (value.text if value.proven else ""), goals

    def _seen(
        self, search: Search, simulations: int, exact: str, goals: dict[str, float], resisted: Resisting | None = None
    ) -> Evaluation:
        from ggp.players.mcts.reading import best_moves, choosing, expected_goals

        roles = self._game.roles
        found: dict[str, Any] = {}
        for number, role in enumerate(roles):
            if not is_nature(role) and (moves := best_moves(search, number, MOST_MOVES, resisted and resisted.move)):
                found[role] = tuple(
                    Candidate(one.move.text, one.goal, one.visits, one.proven, one.length if one.proven else None, line)
                    for one, line in moves
                )
        known = {role: goal for role, goal in zip(roles, expected_goals(search), strict=True) if goal is not None}
        return Evaluation(
            {role: goal for role, goal in {**known, **goals}.items() if not is_nature(role)},
            found,
            choosing(search) == 1,
            simulations,
            search.proven or bool(goals),
            exact,
            "; ".join(filter(None, (resisted.note if resisted is not None else "", self._player.reason))),
        )


class MistakeKind(StrEnum):
    """The size of a mistake."""

    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


#: The least loss of expected goal (0 to 100) for each kind, the worst first.
LOSSES: Final = ((30.0, MistakeKind.BLUNDER), (20.0, MistakeKind.MISTAKE), (10.0, MistakeKind.INACCURACY))


@dataclass(frozen=True, slots=True)
class MoveMistake:
    """A mistake: the role, its loss of expected goal, and what would have been better."""

    role: str
    kind: MistakeKind
    loss: float
    better: str


def mistake_of(before: Evaluation, after: Evaluation, moves: dict[str, str]) -> MoveMistake | None:
    """Return the mistake in a joint move, given as the move of each role, or None.

    If several roles or chance had a choice, it is not known who is to blame, and there is none.
    """
    if not before.alone or not before.best:
        return None
    ((role, best),) = before.best.items()
    if moves.get(role) == best[0].move or role not in before.expected or role not in after.expected:
        return None
    loss = before.expected[role] - after.expected[role]
    kind = next((kind for least, kind in LOSSES if loss >= least), None)
    return None if kind is None else MoveMistake(role, kind, loss, best[0].move)
