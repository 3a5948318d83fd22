"""Plans found with any engine, state by state, for games that cannot be compiled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Final, final

from gdl.engine import Engine, State
from gdl.errors import GdlError, GoalError
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Term, shape_of
from ggp.solver.planner.puzzle import UNDEFINED
from ggp.solver.planner.symmetry import runs_by_rules

#: The maximum number of states kept; they are Python objects of some kilobytes.
MOST: Final = 200_000


@final
@dataclass(frozen=True, slots=True)
class Course:
    """The best plan found: its worth (-1 if none) and moves; `over` is True if every reachable state has been seen."""

    goal: int
    moves: tuple[Term, ...]
    over: bool
    states: int


@final
class Plain:
    """The search for a plan from a state, in turns breadth-first and by random playouts; it can be continued.

    It ends at goal 100, the highest in the language, or when every state has been seen.
    """

    def __init__(self, game: Engine, state: State, seed: int, improved: Callable[[Course], None] | None) -> None:
        """Start at a state; `improved` is called with each plan that is better than all before."""
        self.game = game
        self.role = game.roles[0]
        self.improved = improved or (lambda _: None)
        self.random = Random(seed)
        self.clock = _clock(game, state)
        self.start = state
        self.best: Course = Course(-1, (), False, 0)
        # The number of each state by its key; for each number, the parent of the state, and the move that led to it.
        self.seen = {self._key(state): 0}
        self.came: list[tuple[int, Term | None]] = [(-1, None)]
        self.states: list[State | None] = [state]
        self.next = 0

    def run(self, deadline: float, enough: Callable[[], bool] = lambda: False) -> Course:
        """Continue until a deadline, or until it is `enough`, and return the best plan so far."""

        def going_on(until: float) -> bool:
            return time.monotonic() < until and not enough()

        while self.best.goal < 100 and self.next < len(self.states) and going_on(deadline):
            # Each gets half of the time: a playout takes as long as visiting several states.
            begun = time.monotonic()
            self._playout(lambda: going_on(deadline))
            until = min(deadline, 2 * time.monotonic() - begun)
            while self.next < len(self.states) and len(self.states) < MOST and going_on(until):
                self._look()
        over = self.next == len(self.states)
        return Course(self.best.goal, self.best.moves, over, len(self.states))

    def _key(self, state: State) -> frozenset[str]:
        return frozenset(fact.text for fact in state if shape_of(fact) not in self.clock)

    def _look(self) -> None:
        """Visit the next state."""
        number = self.next
        self.next += 1
        state = self.states[number]
        self.states[number] = None
        if self.game.is_terminal(state):
            self._end(state, self._path(number))
            return
        for move in self.game.legal_moves(state, self.role):
            following = self.game.next_state(state, [move])
            key = self._key(following)
            if key not in self.seen:
                self.seen[key] = len(self.states)
                self.states.append(following)
                self.came.append((number, move))

    def _path(self, number: int) -> list[Term]:
        path: list[Term] = []
        while number > 0:
            number, move = self.came[number]
            assert move is not None
            path.append(move)
        return path[::-1]

    def _playout(self, going_on: Callable[[], bool]) -> None:
        state, moves = self.start, list[Term]()
        while not self.game.is_terminal(state):
            if not going_on() or len(moves) > 1_000:
                return
            move = self.random.choice(self.game.legal_moves(state, self.role))
            moves.append(move)
            state = self.game.next_state(state, [move])
        self._end(state, moves)

    def _end(self, state: object, moves: Iterable[Term]) -> None:
        try:
            goal = self.game.goal(state, self.role)
        except GoalError:
            goal = UNDEFINED
        except GdlError:
            return
        if goal > self.best.goal:
            self.best = Course(goal, tuple(moves), False, len(self.states))
            self.improved(self.best)


def _clock(game: Engine, state: State) -> set[tuple[str, int]]:
    """Return the names of facts that are only a clock according to the rules, if there are any."""
    rulesheet = getattr(game, "rulesheet", None)
    if not isinstance(rulesheet, Rulesheet):
        return set()
    return {shape_of(fact) for fact in state if runs_by_rules(rulesheet, [fact])}
