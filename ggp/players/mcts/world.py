"""The search's interface to a game, for many states at once: the Simulator's lanes, or any engine one by one."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Final, Protocol, final

import numpy as np
from numpy.typing import NDArray

from gdl.codegen.llvm.playout_loop import LANES
from gdl.engine import Engine, State, is_nature
from gdl.errors import GoalError, NoLegalMoveError
from gdl.simulator.arrays import Arrays, Playouts
from gdl.simulator.seeds import derive
from gdl.terms import Term
from ggp.players.clock import NEVER, Deadline, StepTime
from ggp.players.finishing import PLAYOUTS, soonest
from ggp.players.mcts.signatures import Looked
from ggp.players.player import UNKNOWN

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator
    from ggp.players.mcts.learned_goals import LearnedGoals

States = NDArray[np.uint64]
Values = NDArray[np.float32]

#: Playouts longer than this multiple of the mean length are cut off. They count with the goals that hold then, weighted
#: by CUT, so that a role prefers to end the game with the same goals, and soon.
LONG: Final = 1.5
CUT: Final = 0.8


#: A state is made only if there is time for this many steps as slow as the slowest so far.
_CALLS: Final = 3

#: With more states than this in memory, they should be forgotten.
_MOST_STATES: Final = 200_000


class OutOfTimeError(Exception):
    """The answer would not be ready by the deadline, or there is no room to store it."""


class World(Protocol):
    """A game whose states are rows of words, and whose moves are numbered across all roles.

    Methods raise OutOfTimeError if they can foresee that the answer would be late.
    """

    words: int
    roles: tuple[str, ...]
    #: The number of moves that there is room for.
    moves: int
    #: The lowest and the highest goals of the roles, 0 to 1, and the number of the chance role, or -1.
    limits: tuple[tuple[float, ...], tuple[float, ...]]
    nature: int
    #: The number of playouts that cost as little as one.
    together: int
    #: The deadline for answers.
    deadline: Deadline

    def twin(self, number: int) -> World | None:
        """Return the same world for another thread, with its own memory and random numbers; None if there is none."""
        ...

    @property
    def full(self) -> bool:
        """True if the stored states should be forgotten."""
        ...

    def forget(self) -> None:
        """Forget all states and moves; earlier rows and move numbers become invalid."""
        ...

    def state(self, state: State) -> States:
        """Return a state of the match as a row (1, words)."""
        ...

    def term(self, move: int) -> Term:
        """Return the move with a number."""
        ...

    def move(self, states: States, moves: NDArray[np.int32]) -> States:
        """Return the states after joint moves (n, roles)."""
        ...

    def look(self, states: States) -> Looked:
        """Return the legal moves of states, or their goals if they are terminal."""
        ...

    def ends(self, states: States) -> tuple[NDArray[np.bool_], Values]:
        """Return a flag for each state, True if it is terminal (n,), and the goals (n, roles) of the terminal ones."""
        ...

    def playouts(self, states: States, count: int) -> Values:
        """Return the mean goals (n, roles), 0 to 1, of `count` random playouts from each state; none is terminal."""
        ...

    def soonest(self, states: States, role: int, left: float) -> int:
        """Return which of some states, all of which a role wins, is nearest to its end, as far as that is known.

        It takes a small part of `left` seconds. If nothing is known, it is the first one.
        """
        ...


@final
class LanesWorld:
    """A compiled game. Answers take little time, so the deadline is ignored here."""

    full: Final = False

    def __init__(self, simulator: Simulator, seed: int, learned: LearnedGoals | None = None) -> None:
        """Measure the length of random playouts, which sets the limit in plies.

        With learned goals, these are mixed with the goals of playouts, or replace them if they have all the weight.
        """
        import ggp.players.mcts.lane_loops as loops

        self._loops = loops
        self._arrays = arrays = Arrays(simulator)
        self.simulator = simulator
        self._playouts = Playouts(arrays, seed)
        self.words = arrays.state_words
        self.roles = simulator.roles
        self._learned = learned
        self.together = LANES if learned is None or learned.weight < 1 else 1
        self.deadline: Deadline = NEVER
        self._terms = tuple(term for role in simulator.roles for term in simulator.all_moves(role))
        self.moves = len(self._terms)
        self.nature = _nature(simulator.roles)
        self._may_be_stuck = len(simulator.circuit.always_moves) < len(self.roles)
        self._places = np.array([arrays.legal_words, arrays.move_words, arrays.first_moves], np.int64)
        owners, values = arrays.roles_of_goals, arrays.values_of_goals
        self._owners = owners
        self._values = np.where(values < 0, np.float32(-1), values / np.float32(100)).astype(np.float32)
        limits = []
        for role in range(len(self.roles)):
            own = [UNKNOWN if value < 0 else float(value) for value in self._values[self._owners == role]]
            if self._may_be_stuck or role not in simulator.circuit.one_goal or not own:
                own.append(UNKNOWN)
            limits.append((min(own), max(own)))
        self.limits = tuple(low for low, _ in limits), tuple(high for _, high in limits)
        # The limit is that of the game, whatever the seed is: exported pages have it, too.
        lengths = simulator.playouts(PLAYOUTS, seed=1)
        self.mean_length = lengths.mean_length
        self._seed, self._seconds = seed, lengths.seconds
        self.max_plies = int(min(lengths.max_length, LONG * lengths.mean_length)) + 8

    def twin(self, number: int) -> LanesWorld:
        """Return the same world for another thread, with its own memory and random numbers."""
        twin = copy(self)
        twin._arrays = Arrays(self.simulator)
        twin._playouts = Playouts(twin._arrays, derive(self._seed, "thread", str(number)))
        twin._learned = None if self._learned is None else self._learned.twin()
        return twin

    def forget(self) -> None:
        """Do nothing: no states are stored."""

    def state(self, state: State) -> States:
        """Return a state of the match, packed: (1, words)."""
        return self._arrays.pack([self.simulator.state(state)])

    def term(self, move: int) -> Term:
        """Return the move with a number."""
        return self._terms[move]

    def move(self, states: States, moves: NDArray[np.int32]) -> States:
        """Return the states after joint moves (n, roles)."""
        return self._arrays.move(states, moves)

    def look(self, states: States) -> Looked:
        """Return the legal moves of states, or their goals if they are terminal."""
        arrays = self._arrays
        looked = arrays.look(states)
        goals = self._goals(looked[:, arrays.goals_word :], 1)
        offsets, moves = self._loops.legal_moves(looked, self._places)
        terminal = arrays.terminal(looked)
        if self._may_be_stuck:
            stuck = (np.diff(offsets).reshape(goals.shape) == 0).any(axis=1) & ~terminal
            goals[stuck] = UNKNOWN
            terminal |= stuck
        return Looked(terminal, goals, offsets, moves)

    def ends(self, states: States) -> tuple[NDArray[np.bool_], Values]:
        """Return a flag for each state, True if it is terminal, and the goals of the terminal ones."""
        arrays = self._arrays
        looked = arrays.look(states)
        terminal = arrays.terminal(looked)
        goals = np.full((len(states), len(self.roles)), UNKNOWN, np.float32)
        if terminal.any():
            own = looked.compress(terminal, axis=0)
            self._loops.put_rows(self._goals(own[:, arrays.goals_word :], 1), terminal, goals)
        return terminal, goals

    def playouts(self, states: States, count: int) -> Values:
        """Return the mean goals of `count` random playouts from each state, mixed with learned ones."""
        learned = self._learned
        if learned is not None and learned.weight >= 1:
            return learned.goals(states)
        repeated = states
        if count > 1:
            repeated = np.empty((len(states) * count, self.words), np.uint64)
            self._loops.repeat_rows(np.ascontiguousarray(states), count, repeated)
        played = self._goals(self._playouts.run(repeated, self.max_plies), count)
        if learned is not None:
            played += np.float32(learned.weight) * (learned.goals(states) - played)
        return played

    def soonest(self, states: States, role: int, left: float) -> int:
        """Return from which of some states random playouts end soonest, among those that are best for a role."""
        packed = self._arrays.unpack(states)
        return soonest(self.simulator, packed, self.roles[role], self._seed, self._seconds, left)

    def _goals(self, words: States, count: int) -> Values:
        owners, values, unknown = self._owners, self._values, np.float32(UNKNOWN)
        goals: Values = self._loops.mean_goals(
            np.ascontiguousarray(words), count, owners, values, len(self.roles), unknown, np.float32(CUT)
        )
        return goals


@final
class EngineWorld:
    """A game on any engine: states and moves are stored in lists, and represented by their numbers there."""

    def __init__(self, engine: Engine, seed: int, *, max_plies: int = 200) -> None:
        """Take an engine; playouts are cut off after `max_plies` and count with the goals that hold then."""
        self._engine = engine
        self._random = random.Random(seed)
        self.words = 1
        self.roles = engine.roles
        self.together = 1
        self.deadline: Deadline = NEVER
        self._times = StepTime()
        #: The deadline of the search whose steps are counted.
        self._counted = NEVER
        self.moves = 2**16
        self.nature = _nature(engine.roles)
        self.limits = (0.0,) * len(engine.roles), (1.0,) * len(engine.roles)
        self.max_plies = max_plies
        self._states: list[State] = []
        self._numbers: dict[State, int] = {}
        self._terms: list[Term] = []
        self._term_numbers: dict[tuple[int, Term], int] = {}

    def state(self, state: State) -> States:
        """Return the number of a state as a row (1, 1)."""
        return self._rows([state])

    def term(self, move: int) -> Term:
        """Return the move with a number."""
        return self._terms[move]

    def move(self, states: States, moves: NDArray[np.int32]) -> States:
        """Return the states after joint moves (n, roles)."""
        following = []
        for row, joint in zip(states, moves, strict=True):
            terms = [self._terms[move] for move in joint]
            following.append(self._next(self._states[int(row[0])], terms))
        return self._rows(following)

    def look(self, states: States) -> Looked:
        """Return the legal moves of states, or their goals if they are terminal."""
        offsets, moves = [0], []
        terminal, goals = self.ends(states)
        for i, row in enumerate(states):
            state = self._states[int(row[0])]
            legal = [] if terminal[i] else self._legal(state)
            if not legal and not terminal[i]:
                terminal[i], goals[i] = True, UNKNOWN
            for number in range(len(self.roles)):
                moves += [self._move(number, term) for term in legal[number]] if legal else []
                offsets.append(len(moves))
        return Looked(terminal, goals, np.array(offsets, np.int64), np.array(moves, np.int32))

    def ends(self, states: States) -> tuple[NDArray[np.bool_], Values]:
        """Return a flag for each state, True if it is terminal, and the goals of the terminal ones."""
        own = [self._states[int(row[0])] for row in states]
        terminal = np.array([self._engine.is_terminal(state) for state in own], np.bool_)
        goals = np.full((len(states), len(self.roles)), UNKNOWN, np.float32)
        for i in np.flatnonzero(terminal):
            goals[i] = [self._goal(own[i], role) for role in self.roles]
        return terminal, goals

    def playouts(self, states: States, count: int) -> Values:
        """Return the mean goals of `count` random playouts from each state."""
        own = [self._states[int(row[0])] for row in states]
        means = [np.mean([self._playout(state) for _ in range(count)], axis=0) for state in own]
        return np.array(means, np.float32).reshape(len(states), len(self.roles))

    def soonest(self, states: States, role: int, left: float) -> int:  # noqa: ARG002
        """Return the first one, as playouts are too slow to compare them."""
        return 0

    def twin(self, number: int) -> None:
        """Return None, as engines that work state by state are written in Python, which has one thread at a time."""

    @property
    def full(self) -> bool:
        """True if the stored states should be forgotten."""
        return len(self._states) > _MOST_STATES or 2 * len(self._terms) > self.moves

    def forget(self) -> None:
        """Forget all states and moves."""
        for known in (self._states, self._numbers, self._terms, self._term_numbers):
            known.clear()

    def _playout(self, state: State) -> list[float]:
        engine, choose = self._engine, self._random.choice
        for _ in range(self.max_plies):
            if engine.is_terminal(state):
                break
            legal = self._legal(state)
            if not legal:
                return [UNKNOWN] * len(self.roles)
            state = self._next(state, [choose(moves) for moves in legal])
        over = self._engine.is_terminal(state)
        goals = [self._goal(state, role) for role in self.roles]
        return goals if over else [UNKNOWN + CUT * (goal - UNKNOWN) for goal in goals]

    def _legal(self, state: State) -> list[tuple[Term, ...]]:
        """Return the legal moves of each role in a state that is not terminal; an empty list if a role has none."""
        try:
            legal = [self._engine.legal_moves(state, role) for role in self.roles]
        except NoLegalMoveError:
            return []
        return legal if all(legal) else []

    def _next(self, state: State, moves: Sequence[Term]) -> State:
        if self.deadline is not self._counted:
            self._counted = self.deadline
            self._times.begin()
        if self.deadline.left() < _CALLS * self._times.slowest:
            raise OutOfTimeError
        start = time.monotonic()
        state = self._engine.next_state(state, moves)
        # Both calls are timed: making a state, and testing whether it is terminal.
        self._engine.is_terminal(state)
        self._times.add(time.monotonic() - start)
        return state

    def _goal(self, state: State, role: str) -> float:
        try:
            return self._engine.goal(state, role) / 100
        except GoalError:
            return UNKNOWN

    def _rows(self, states: Sequence[State]) -> States:
        numbers: list[int] = []
        for state in states:
            number = self._numbers.setdefault(state, len(self._states))
            if number == len(self._states):
                self._states.append(state)
            numbers.append(number)
        return np.array(numbers, np.uint64).reshape(len(states), 1)

    def _move(self, role: int, term: Term) -> int:
        number = self._term_numbers.setdefault((role, term), len(self._terms))
        if number == len(self._terms):
            if number == self.moves:
                del self._term_numbers[role, term]
                raise OutOfTimeError
            self._terms.append(term)
        return number


def _nature(roles: Sequence[str]) -> int:
    return next((number for number, role in enumerate(roles) if is_nature(role)), -1)
