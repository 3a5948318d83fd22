"""Search by depth: bounds of what can be forced, for positions with too many states to know them all.

With one limit of plies after another, the search finds out what each side can force within the limit. All results are
proved, whenever the search is stopped. If the limit grows by one, the first end that is found is the quickest. If only
the value matters, the limit grows fourfold, which takes less time in games whose lines all end.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from gdl.errors import GoalError, NoLegalMoveError
from gdl.simulator.kernel_calls import address_of
from ggp.solver import search_loop
from ggp.solver import search_memory as names
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

#: The limits of plies of a search for the value alone.
_FAST_DEPTHS: Final = (2, 8, 32, 128, 512, MOST_PLIES - 1)

#: The number of nodes searched between two looks at the clock; some tenths of a second.
_NODES: Final = 100_000

#: The maximum number of questions, which have 8 bits in the table.
_QUESTIONS: Final = 255

#: With so few plies left, any move of the others nearly always refutes, so their moves are made one by one; and the
#: table is asked about a state only when its turn comes, since searching takes hardly longer.
_FEW: Final = 3
_WORTH_ASKING: Final = 6

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
        listed = max(sizes) + 64
        self._memory = names.Memory(
            setup=np.zeros(names.SETUP, np.int64),
            registers=np.zeros(names.REGISTERS, np.int64),
            roles=np.array(
                list(zip(kernels.legal_words, kernels.move_words, kernels.first_moves, strict=True)), np.int64
            ),
            good=np.zeros((2 + roles) * self._goal_words, np.uint64),
            frames=np.zeros((plies, names.FRAME), np.int64),
            enders=np.full((plies, 2), -1, np.int32),
            singles=np.zeros((plies, roles), np.int32),
            rows=np.zeros((4 * listed, words + kernels.out_words), np.uint64),
            moves=np.zeros(4 * listed, np.int32),
            weights=np.zeros(4 * listed, np.int64),
            table=np.zeros((_FIRST_ROWS, words + 1), np.uint64),
            history=np.zeros((2, 64 * words), np.int64),
            habits=np.zeros((2, sum(sizes)), np.int64),
            work=np.zeros(kernels.work_words, np.uint64),
            listed=np.zeros(listed, np.int32),
            joint=np.zeros(roles, np.int32),
        )
        self._fill_setup()
        self._numbers: dict[_Question, int] = {}
        self._go_to(root)

    def _fill_setup(self) -> None:
        """Set the addresses and sizes for `search_loop`."""
        memory, kernels = self._memory, self._kernels
        setup = memory.setup
        functions = {names.LOOK: kernels.look, names.LEGAL: kernels.legal, names.MOVE: kernels.move}
        for place, function in functions.items():
            setup[place] = address_of(function)
        arrays: dict[int, NDArray[Any]] = {
            names.WORK: memory.work,
            names.LIST: memory.listed,
            names.JOINT: memory.joint,
        }
        for place, array in arrays.items():
            setup[place] = array.ctypes.data
        setup[names.GOALS_WORD] = kernels.goals_word
        setup[names.GOAL_WORDS] = self._goal_words
        setup[names.STATE_WORDS] = kernels.state_words
        setup[names.FEW], setup[names.WORTH_ASKING] = _FEW, _WORTH_ASKING

    @property
    def nodes(self) -> int:
        """The number of positions visited; states that are visited again count again."""
        return int(self._memory.registers[names.NODES])

    def run(self, bounds: Bounds, *, only_value: bool = False) -> tuple[Bounds, Stop | None]:
        """Improve bounds until nothing is open or the budget is spent.

        Returns the last bounds, and the reason why the search ended; None if everything is known. With `only_value`,
        the numbers of plies within which values can be forced are left unknown. Raises NotSolvableError and GoalError
        for states that cannot be handled.
        """
        try:
            for depth in _FAST_DEPTHS if only_value else range(MOST_PLIES):
                if bounds.closed:
                    break
                for attacker in range(len(bounds.roles)):
                    while (question := self._next_question(bounds, attacker)) is not None:
                        proved, forever = self._ask(question, depth)
                        if proved:
                            bounds = bounds.forced(question.attacker, question.value, None if only_value else depth)
                        elif forever:
                            bounds = bounds.refuted(question.attacker, question.value)
                        if not proved:
                            break
                bounds = bounds.searched(depth)
        except _BudgetSpent as spent:
            return bounds, spent.stop
        except KeyboardInterrupt:
            return bounds, Stop.INTERRUPTED
        return bounds, None if bounds.closed else Stop.DEPTH

    def can_force(self, state: PackedState, role: int, value: int) -> bool | None:
        """Return True if a role can force a value from another state on; None if that is not found out.

        The value is one of those of `Bounds.values`. Results of searches from other states are reused. Raises
        NotSolvableError and GoalError.
        """
        game = self._simulator
        about, below = unknown(game.roles, declared_goals(game)).about(role)
        question = _Question(role, about, value, below)
        self._go_to(state)
        try:
            for depth in _FAST_DEPTHS:
                proved, forever = self._ask(question, depth)
                if proved or forever:
                    return proved
        except _BudgetSpent:
            pass
        finally:
            self._go_to(self._root)
        return None

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
                    self._go_to(after)
                    if hurries and self._ask(question, left - 1)[0]:
                        break
                    if not hurries and (left < 2 or not self._ask(question, left - 2)[0]):
                        break
                found.append(moves)
                state = after
        except (_BudgetSpent, KeyboardInterrupt):
            pass
        finally:
            self._go_to(self._root)
        return found

    def _go_to(self, state: PackedState) -> None:
        """Let the search begin at a state."""
        self._memory.rows[0, : self._kernels.state_words] = np.frombuffer(state.bits, np.uint64)

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
        memory.setup[names.QUESTION] = self._numbers.setdefault(question, len(self._numbers))
        memory.setup[names.ATTACKER] = question.attacker
        memory.setup[names.DEPTH] = depth
        memory.good[:] = 0
        for place, (role, value) in enumerate(self._values):
            bit = np.uint64(1 << place % 64)
            memory.good[(2 + role) * self._goal_words + place // 64] |= bit
            if value is None:
                memory.good[self._goal_words + place // 64] |= bit
            elif role == question.role and question.good(value):
                memory.good[place // 64] |= bit
        for place, start in ((names.PLY, 0), (names.VERDICT, names.OPEN), (names.BEGUN, 0)):
            memory.registers[place] = start
        while True:
            status = search_loop.run(self._memory, _NODES)
            self._budget.progress(f"{depth} plies deep, {self.nodes:,} positions")
            self._grow()
            if status == names.DONE:
                verdict = memory.registers[names.VERDICT]
                return bool(verdict == names.PROVED), bool(verdict == names.REFUTED)
            if status == names.FULL:
                self._add_rows()
            elif status != names.PAUSED:
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

    def _add_rows(self) -> None:
        """Double the rows for the stack of states."""
        memory = self._memory
        rows, moves, weights = (
            np.concatenate([old, np.zeros_like(old)]) for old in (memory.rows, memory.moves, memory.weights)
        )
        self._memory = memory._replace(rows=rows, moves=moves, weights=weights)

    def _refuse(self, status: int, question: _Question) -> None:
        """Raise the error for the current state, which cannot be handled."""
        memory = self._memory
        row = memory.rows[memory.registers[names.FAULT], : self._kernels.state_words].copy()
        state = self._simulator.arrays.unpack(row[None])[0]
        if status == names.SIMULTANEOUS:
            raise simultaneous(str(state))
        name = self._simulator.roles[question.role]
        if status == names.NO_GOAL:
            self._simulator.goals(state)  # raises
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
