"""Search by depth: bounds of what can be forced, for positions with too many states to know them all.

With one limit of plies after another, the search finds out what each side can force within the limit. All results are
proved, whenever the search is stopped. As the limit grows by one, the first end that is found is the quickest.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from gdl.errors import GoalError, NoLegalMoveError
from gdl.simulator.kernel_calls import address_of
from ggp.solver import search_loop as loop
from ggp.solver.bounds import Bounds, unknown
from ggp.solver.budget import SolverBudget, Stop
from ggp.solver.errors import simultaneous, without_move
from ggp.solver.goals import declared_goals
from ggp.solver.search_table import refill

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl import PackedState, Simulator
    from gdl.terms import Term

#: The maximum depth of a search.
MOST_PLIES: Final = 1_000

#: The number of nodes searched between two looks at the clock; some tenths of a second.
_NODES: Final = 100_000

#: The maximum number of questions, which have 8 bits in the table.
_QUESTIONS: Final = 255

#: The initial number of rows of the table.
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
    """A search from one state, with its working memory."""

    def __init__(self, simulator: Simulator, root: PackedState, budget: SolverBudget) -> None:
        """Allocate the memory. Raises CompileError if the game has no kernels."""
        kernels = self._kernels = simulator.kernels
        self._simulator, self._root, self._budget = simulator, root, budget
        roles, words = len(simulator.roles), kernels.state_words
        sizes = [len(simulator.all_moves(role)) for role in simulator.roles]
        self._values = simulator.goal_table
        self._goal_words = -(-len(kernels.goals) // 64)
        plies = MOST_PLIES + 2
        self._memory = loop.Memory(
            setup=np.zeros(loop.SETUP, np.int64),
            registers=np.zeros(loop.REGISTERS, np.int64),
            roles=np.array(
                list(zip(kernels.legal_words, kernels.move_words, kernels.first_moves, strict=True)), np.int64
            ),
            good=np.zeros(2 * self._goal_words, np.uint64),
            states=np.zeros((plies, words), np.uint64),
            frames=np.zeros((plies, loop.FRAME), np.int64),
            moves=np.zeros((plies, max(sizes)), np.int32),
            singles=np.zeros((plies, roles), np.int32),
            table=np.zeros((_FIRST_ROWS, words + 1), np.uint64),
            history=np.zeros((2, sum(sizes)), np.int64),
            out=np.zeros(kernels.out_words, np.uint64),
            after=np.zeros(kernels.out_words, np.uint64),
            work=np.zeros(kernels.work_words, np.uint64),
            listed=np.zeros(max(sizes) + 64, np.int32),
            joint=np.zeros(roles, np.int32),
        )
        self._memory.states[0] = np.frombuffer(root.bits, np.uint64)
        self._fill_setup()
        self._numbers: dict[_Question, int] = {}

    def _fill_setup(self) -> None:
        """Set the addresses and sizes for `search_loop`."""
        memory, kernels = self._memory, self._kernels
        setup = memory.setup
        functions = {loop.LOOK: kernels.look, loop.LEGAL: kernels.legal, loop.MOVE: kernels.move}
        for place, function in functions.items():
            setup[place] = address_of(function)
        arrays: dict[int, NDArray[Any]] = {
            loop.OUT: memory.out,
            loop.WORK: memory.work,
            loop.NEXT: memory.after,
            loop.LIST: memory.listed,
            loop.JOINT: memory.joint,
        }
        for place, array in arrays.items():
            setup[place] = array.ctypes.data
        setup[loop.GOALS_WORD] = kernels.goals_word
        setup[loop.GOAL_WORDS] = self._goal_words

    @property
    def nodes(self) -> int:
        """The number of positions visited; states that are visited again count again."""
        return int(self._memory.registers[loop.NODES])

    def run(self, bounds: Bounds) -> tuple[Bounds, Stop | None]:
        """Improve bounds until nothing is open or the budget is spent.

        Returns the last bounds, and the reason why the search ended; None if everything is known. Raises
        NotSolvableError and GoalError for states that cannot be handled.
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
        """Return the joint moves by which a role forces a value.

        The role hurries, and the others delay. The line is cut off if the time runs out.
        """
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
                    self._memory.states[0] = np.frombuffer(after.bits, np.uint64)
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
        """Return the next question about a role: can it force the next better value?"""
        value = bounds.next_value(attacker)
        if value is None or bounds.closed:
            return None
        role, below = bounds.about(attacker)
        return _Question(attacker, role, value, below)

    def _ask(self, question: _Question, depth: int) -> tuple[bool, bool]:
        """Answer a question: True if proved within `depth` plies, and True if refuted for any number of plies."""
        memory = self._memory
        if question not in self._numbers and len(self._numbers) == _QUESTIONS:
            self._numbers.clear()
            memory.table[:] = 0
        memory.setup[loop.QUESTION] = self._numbers.setdefault(question, len(self._numbers))
        memory.setup[loop.ATTACKER] = question.attacker
        memory.setup[loop.DEPTH] = depth
        memory.good[:] = 0
        for place, (role, value) in enumerate(self._values):
            bit = np.uint64(1 << place % 64)
            if role == question.role:
                memory.good[self._goal_words + place // 64] |= bit
                if value is not None and question.good(value):
                    memory.good[place // 64] |= bit
        memory.registers[loop.PLY], memory.registers[loop.VERDICT] = 0, loop.OPEN
        while True:
            status = loop.run(self._memory, _NODES)
            self._budget.progress(f"{depth} plies deep, {self.nodes:,} positions")
            self._grow()
            if status == loop.DONE:
                verdict = memory.registers[loop.VERDICT]
                return bool(verdict == loop.PROVED), bool(verdict == loop.REFUTED)
            if status != loop.PAUSED:
                self._refuse(status, question)
            if self._budget.left <= 0:
                raise _BudgetSpent(Stop.TIME)

    def _grow(self) -> None:
        """Double the table while it has fewer rows than positions were visited, as far as memory allows."""
        old = self._memory.table
        rows, words = old.shape
        while rows < self.nodes and 3 * rows * words * 8 <= self._budget.memory:
            rows *= 2
        if rows > len(old):
            self._memory = self._memory._replace(table=np.zeros((rows, words), np.uint64))
            refill(self._memory.table, old)

    def _refuse(self, status: int, question: _Question) -> None:
        """Raise the error for the current state, which cannot be handled."""
        row = self._memory.states[self._memory.registers[loop.PLY]]
        state = self._simulator.arrays.unpack(row[None])[0]
        if status == loop.SIMULTANEOUS:
            raise simultaneous(str(state))
        name = self._simulator.roles[question.role]
        if status == loop.NO_GOAL:
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
