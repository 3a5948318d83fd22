"""Find all reachable states, many at a time, by the Simulator."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from gdl.errors import GoalError
from ggp.solver.budget import SolverBudget, Stop
from ggp.solver.errors import simultaneous, without_move
from ggp.solver.graph import NOBODY, Graph
from ggp.solver.table import StateTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl import PackedState, Simulator

#: The maximum and minimum number of states visited together.
BATCH: Final = 1 << 14
LEAST: Final = 1 << 9

#: Batches that take longer than this are followed by smaller ones.
_BATCH_SECONDS: Final = 0.2

#: Bytes per state, besides the state itself and the table: first, mover and outcome; for the analysis, the first of its
#: parents, a counter and a place in a queue; and, for each role, a rank and a distance.
_STATE: Final = 8 + 4 + 4 + 8 + 4 + 4
_ROLE: Final = 2 + 4

#: Bytes per edge, in both directions.
_EDGE: Final = 4 + 4

#: The maximum number of states; their numbers have 31 bits.
_MOST: Final = 2**31 - 2


@final
class Explorer:
    """Breadth-first search in batches, for the graph of the states from `root` on, as far as time and memory allow."""

    def __init__(self, simulator: Simulator, root: PackedState, budget: SolverBudget) -> None:
        """Start with the root; the arrays are as large as the budget's memory allows."""
        arrays: Any = simulator.arrays
        self._simulator, self._arrays, self._budget = simulator, arrays, budget
        roles = len(simulator.roles)
        row: NDArray[np.uint64] = arrays.pack([root])
        size = 8 * row.shape[1] + _STATE + roles * _ROLE
        capacity = max(2, min(_MOST, budget.memory // size))
        # Arrays take up memory only as they are filled.
        self._table = StateTable(row.shape[1], capacity)
        self._children = np.empty(max(2, budget.memory // _EDGE), np.int32)
        self._first = np.zeros(capacity + 1, np.int64)
        self._mover = np.empty(capacity, np.int32)
        self._outcome = np.empty(capacity, np.int32)
        self._outcomes: dict[tuple[int, ...], int] = {}
        self._expanded = 0
        self._extra = _STATE + roles * _ROLE
        self._table.add(row)

    def run(self, budget: SolverBudget) -> Graph:
        """Search until the graph is whole, or the budget is spent; the memory is that of the first budget.

        Raises NotSolvableError if several roles have a choice at once or one cannot move, and GoalError if a goal is
        missing.
        """
        self._budget = budget
        stop = None
        batch = LEAST
        try:
            while stop is None and self._expanded < len(self._table):
                begun = time.monotonic()
                stop = self._expand(min(len(self._table), self._expanded + batch))
                # Batches are small at first, and if they take long, so that the budget is not exceeded.
                slow = time.monotonic() - begun > _BATCH_SECONDS
                batch = max(LEAST, batch // 2) if slow else min(BATCH, 2 * batch)
        except KeyboardInterrupt:
            stop = Stop.INTERRUPTED
        return self._graph(stop)

    def _expand(self, end: int) -> Stop | None:
        """Visit the states up to `end`, and add their successors."""
        begin = self._expanded
        states = self._table.states[begin:end]
        looked = self._arrays.look(states)
        over = (looked[:, 0] & np.uint64(1)) != 0
        self._mover[begin:end] = self._movers(states, looked, over)
        self._outcome[begin:end] = self._ends(states, looked, over)
        parents, moves = self._arrays.joint_moves(looked)
        known, edges = len(self._table), int(self._first[begin])
        if known + len(parents) > self._table.capacity or edges + len(parents) > len(self._children):
            return Stop.MEMORY
        following = self._arrays.move(states[parents], moves)
        self._children[edges : edges + len(parents)] = self._table.add(following)
        counts = np.bincount(parents, minlength=end - begin)
        self._first[begin + 1 : end + 1] = edges + np.cumsum(counts)
        self._expanded = end
        return self._exhausted(edges + len(parents))

    def _exhausted(self, edges: int) -> Stop | None:
        """Return the resource that is used up, if any."""
        budget, known = self._budget, len(self._table)
        budget.progress(f"{known:,} states, {self._expanded:,} of them visited")
        if self._expanded == known:
            return None
        if self._table.bytes + known * self._extra + edges * _EDGE > budget.memory:
            return Stop.MEMORY
        return Stop.TIME if budget.left <= 0 else None

    def _movers(self, states: NDArray[np.uint64], looked: NDArray[np.uint64], over: NDArray[np.bool_]) -> Any:
        """Return the role that has a choice in each state. Raises NotSolvableError."""
        arrays = self._arrays
        movers = np.zeros(len(states), np.int32)
        choosing = np.zeros(len(states), np.int32)
        for role, name in enumerate(self._simulator.roles):
            first, words = arrays.legal_words[role], arrays.move_words[role]
            legal = np.bitwise_count(looked[:, first : first + words]).sum(axis=1, dtype=np.int64)
            stuck = (legal == 0) & ~over
            if stuck.any():
                raise without_move(name, str(self._state(states[stuck][0])))
            movers[legal > 1] = role
            choosing += legal > 1
        several = (choosing > 1) & ~over
        if several.any():
            raise simultaneous(str(self._state(states[several][0])))
        movers[over] = NOBODY
        return movers

    def _ends(self, states: NDArray[np.uint64], looked: NDArray[np.uint64], over: NDArray[np.bool_]) -> Any:
        """Return the number of each state's outcome, -1 if it is not terminal. Raises GoalError."""
        ends = np.full(len(states), -1, np.int32)
        if not over.any():
            return ends
        values = self._arrays.goal_values(looked[over])
        if (values < 0).any():
            place = int((values < 0).any(axis=1).argmax())
            self._simulator.goals(self._state(states[over][place]))  # raises
            raise GoalError(self._simulator.roles[int((values[place] < 0).argmax())], ())
        different, which = np.unique(values, axis=0, return_inverse=True)
        numbers = [self._number(tuple(map(int, row))) for row in different]
        ends[over] = np.array(numbers, np.int32)[which.reshape(-1)]
        return ends

    def _number(self, outcome: tuple[int, ...]) -> int:
        return self._outcomes.setdefault(outcome, len(self._outcomes))

    def _state(self, row: NDArray[np.uint64]) -> PackedState:
        states: list[PackedState] = self._arrays.unpack(row[None])
        return states[0]

    def _graph(self, stop: Stop | None) -> Graph:
        known, expanded = len(self._table), self._expanded
        # The results of an interrupted batch are dropped.
        self._mover[expanded:known] = NOBODY
        self._outcome[expanded:known] = -1
        edges = int(self._first[expanded])
        return Graph(
            roles=self._simulator.roles,
            facts=tuple(fact.text for fact in self._simulator.all_facts),
            states=self._table.states,
            expanded=expanded,
            first=self._first[: expanded + 1],
            children=self._children[:edges],
            mover=self._mover[:known],
            outcome=self._outcome[:known],
            outcomes=tuple(self._outcomes),
            stop=stop,
        )
