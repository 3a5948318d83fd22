"""Search by depth: bounds of what can be forced, where there are too many states to know them all.

For one limit of plies after another, the search asks what each side can force within so many. What is found out is
proved, whenever it is stopped: the limit grows by one, so an end that is found is the quickest.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from gdl.errors import GoalError, NoLegalMoveError
from gdl.reasoner.joint_moves import WHOLE_NUMBER
from ggp.solver import search_loop as machine
from ggp.solver.bounds import Bounds, unknown
from ggp.solver.budget import SolverBudget, Stop
from ggp.solver.errors import simultaneous, without_move
from ggp.solver.goals import declared_goals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl import PackedState, Simulator
    from gdl.terms import Term

#: No search goes deeper.
MOST_PLIES: Final = 1_000

#: So many nodes are searched before the clock is looked at; some tenths of a second.
_NODES: Final = 100_000

#: So many questions have a number of 8 bits in the table.
_QUESTIONS: Final = 255

#: The table of what is known grows from so many rows on.
_FIRST_ROWS: Final = 1 << 14


@final
@dataclass(frozen=True, slots=True)
class _Question:
    """Can `attacker` force a goal value of `role` that is at least (or, if `below`, at most) `value`?"""

    attacker: int
    role: int
    value: int
    below: bool

    def good(self, value: int) -> bool:
        return value <= self.value if self.below else value >= self.value


@final
class DepthSearch:
    """A search from one state, with the memory that it works in. Raises CircuitSizeError where it has no kernels."""

    def __init__(self, simulator: Simulator, root: PackedState, budget: SolverBudget) -> None:
        kernels = self._kernels = simulator.kernels
        self._simulator, self._root, self._budget = simulator, root, budget
        roles, words = len(simulator.roles), kernels.state_words
        sizes = [len(simulator.moves(role)) for role in simulator.roles]
        self._values = [
            (role, int(value.text) if WHOLE_NUMBER.fullmatch(value.text) else None) for role, value in kernels.goals
        ]
        self._roles = np.array(
            list(zip(kernels.legal_words, kernels.move_words, kernels.first_moves, strict=True)), np.int64
        )
        self._states = np.zeros((MOST_PLIES + 2, words), np.uint64)
        self._states[0] = np.frombuffer(root.bits, np.uint64)
        self._frames = np.zeros((MOST_PLIES + 2, machine.FRAME), np.int64)
        self._moves = np.zeros((MOST_PLIES + 2, max(sizes)), np.int32)
        self._singles = np.zeros((MOST_PLIES + 2, roles), np.int32)
        self._registers = np.zeros(machine.REGISTERS, np.int64)
        self._history = np.zeros((2, sum(sizes)), np.int64)
        self._out = np.zeros(kernels.out_words, np.uint64)
        self._after = np.zeros(kernels.out_words, np.uint64)
        self._work = np.zeros(kernels.work_words, np.uint64)
        self._listed = np.zeros(max(sizes) + 64, np.int32)
        self._joint = np.zeros(roles, np.int32)
        self._goal_words = -(-len(kernels.goals) // 64)
        self._table = np.zeros((_FIRST_ROWS, words + 1), np.uint64)
        self._setup = self._made_setup()
        self._numbers: dict[_Question, int] = {}

    def _made_setup(self) -> Any:
        """Addresses and sizes, as `machine` says."""
        setup = np.zeros(machine.SETUP, np.int64)
        kernels = self._kernels
        functions = {machine.LOOK: kernels.look, machine.LEGAL: kernels.legal, machine.MOVE: kernels.move}
        for place, function in functions.items():
            setup[place] = ctypes.cast(function, ctypes.c_void_p).value or 0
        memory: dict[int, NDArray[Any]] = {
            machine.OUT: self._out,
            machine.WORK: self._work,
            machine.NEXT: self._after,
            machine.LIST: self._listed,
            machine.JOINT: self._joint,
        }
        for place, array in memory.items():
            setup[place] = array.ctypes.data
        setup[machine.ROLES] = len(self._roles)
        setup[machine.WORDS] = kernels.state_words
        setup[machine.GOALS_WORD] = kernels.goals_word
        setup[machine.GOAL_WORDS] = self._goal_words
        return setup

    @property
    def nodes(self) -> int:
        """How many states have been come upon, each as often as that was."""
        return int(self._registers[machine.NODES])

    def run(self, bounds: Bounds) -> tuple[Bounds, Stop | None]:
        """Better and better bounds, until nothing is open or the budget is spent.

        Returns the last bounds, and why the search ended; None where all is known. Raises NotSolvableError
        and GoalError for states that do not fit.
        """
        depth = 0
        try:
            while not bounds.closed and depth < MOST_PLIES:
                for attacker in range(len(bounds.roles)):
                    while (question := self._next_question(bounds, attacker)) is not None:
                        proved, forever = self._ask(question, depth)
                        if proved:
                            bounds = bounds.forced(question.attacker, question.value, depth)
                        elif forever:
                            bounds = bounds.refuted(question.attacker, question.value)
                        if not proved:
                            break
                bounds = bounds.searched(depth)
                depth += 1
        except _BudgetSpent as spent:
            return bounds, spent.stop
        except KeyboardInterrupt:
            return bounds, Stop.INTERRUPTED
        return bounds, None if bounds.closed else Stop.DEPTH

    def line(self, attacker: int, plies: int, value: int) -> list[tuple[Term, ...]]:
        """How a role forces a value: joint moves, quickest for it, longest for the others; cut where time runs out."""
        game, state = self._simulator, self._root
        bounds = unknown(game.roles, declared_goals(game))
        role, below = bounds.about(attacker)
        question = _Question(attacker, role, value, below)
        found: list[tuple[Term, ...]] = []
        try:
            for left in range(plies, 0, -1):
                legal = [game.legal_moves(state, name) for name in game.roles]
                hurries = len(legal[attacker]) > 1
                for moves in product(*legal):
                    after = game.next_state(state, moves)
                    self._states[0] = np.frombuffer(after.bits, np.uint64)
                    if hurries and self._ask(question, left - 1)[0]:
                        break
                    if not hurries and (left < 2 or not self._ask(question, left - 2)[0]):
                        break
                found.append(moves)
                state = after
        except (_BudgetSpent, KeyboardInterrupt):
            pass
        return found

    def _next_question(self, bounds: Bounds, attacker: int) -> _Question | None:
        """What is to be found out next about a role: whether it can force the next better value."""
        value = bounds.next_value(attacker)
        if value is None or bounds.closed:
            return None
        role, below = bounds.about(attacker)
        return _Question(attacker, role, value, below)

    def _ask(self, question: _Question, depth: int) -> tuple[bool, bool]:
        """Whether it is proved within so many plies; and if not, whether it is refuted for any number of plies."""
        if question not in self._numbers and len(self._numbers) == _QUESTIONS:
            self._numbers.clear()
            self._table[:] = 0
        self._setup[machine.QUESTION] = self._numbers.setdefault(question, len(self._numbers))
        self._setup[machine.ATTACKER] = question.attacker
        self._setup[machine.DEPTH] = depth
        good = np.zeros(2 * self._goal_words, np.uint64)
        for place, (role, value) in enumerate(self._values):
            bit = np.uint64(1 << place % 64)
            if role == question.role:
                good[self._goal_words + place // 64] |= bit
                if value is not None and question.good(value):
                    good[place // 64] |= bit
        registers = self._registers
        registers[machine.PLY] = registers[machine.RETURNING] = 0
        while True:
            status = machine.run(
                self._setup,
                self._roles,
                good,
                self._states,
                self._frames,
                self._moves,
                self._singles,
                registers,
                self._table,
                self._history,
                self._out,
                self._after,
                self._listed,
                self._joint,
                _NODES,
            )
            self._budget.progress(f"{depth} plies deep, {self.nodes:,} positions")
            self._grow()
            if status == machine.DONE:
                return bool(registers[machine.PROVED]), bool(registers[machine.FOREVER])
            if status != machine.PAUSED:
                self._refuse(status, question)
            if self._budget.left <= 0:
                raise _BudgetSpent(Stop.TIME)

    def _grow(self) -> None:
        """Double the table until more states have been come upon than it holds, as far as there is memory."""
        rows, words = self._table.shape
        while rows < self.nodes and 3 * rows * words * 8 <= self._budget.memory:
            rows *= 2
        if rows > len(self._table):
            old, self._table = self._table, np.zeros((rows, words), np.uint64)
            machine.refill(self._table, old)

    def _refuse(self, status: int, question: _Question) -> None:
        """Raise what is wrong with the state that the search has come to."""
        row = self._states[self._registers[machine.PLY]]
        state = self._simulator.arrays.unpack(row[None])[0]
        if status == machine.SIMULTANEOUS:
            raise simultaneous(str(state))
        name = self._simulator.roles[question.role]
        if status == machine.NO_GOAL:
            self._simulator.goal(state, name)  # raises
            raise GoalError(name, ())
        for role in self._simulator.roles:
            try:
                self._simulator.legal_moves(state, role)
            except NoLegalMoveError:
                name = role
        raise without_move(name, str(state))


class _BudgetSpent(Exception):
    def __init__(self, stop: Stop) -> None:
        self.stop = stop
        super().__init__(stop)
