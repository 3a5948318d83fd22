"""The graph of all states that are reachable from one, with the moves between them; solved, with their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

from ggp.solver.budget import Stop
from ggp.solver.retrograde import analyse, parents_of
from ggp.solver.worth import Worth

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: In `Graph.mover`: nobody moves, as the game is over or the state has not been visited.
NOBODY: Final = -1


@final
@dataclass(frozen=True, slots=True)
class Graph:
    """States in the order of a breadth-first search, which begins at number 0.

    The first `expanded` of them have been visited; the graph is whole if these are all.
    """

    roles: tuple[str, ...]
    #: The facts, as KIF, in the order of the bits of a state.
    facts: tuple[str, ...]
    #: (states, words), uint64: bit `i % 64` of word `i // 64` is fact `i`.
    states: NDArray[np.uint64]
    expanded: int
    #: (expanded + 1,), int64: the states after state `i` are `children[first[i] : first[i + 1]]`, one per joint move.
    first: NDArray[np.int64]
    #: int32
    children: NDArray[np.int32]
    #: (states,), int32: the role that has a choice, 0 if there is only one joint move, NOBODY at the end of the game.
    mover: NDArray[np.int32]
    #: (states,), int32: in terminal states, the index of the goal values in `outcomes`; otherwise -1.
    outcome: NDArray[np.int32]
    #: Goal values in the order of the roles.
    outcomes: tuple[tuple[int, ...], ...]
    #: The reason why some states have not been visited; None if there are none.
    stop: Stop | None

    @property
    def whole(self) -> bool:
        """True if all reachable states are known."""
        return self.stop is None

    @property
    def levels(self) -> int:
        """The number of plies within which all reachable states have been visited; 0 if only the first has, or none."""
        begin, end, levels = 0, 1, 0
        while end > begin and end <= self.expanded:
            after = 1 + int(self.children[: self.first[end]].max(initial=0))
            begin, end, levels = end, max(end, after), levels + 1
        return max(0, levels - 1)

    def after(self, state: int) -> NDArray[np.int32]:
        """Return the states after a state, one per joint move."""
        return self.children[self.first[state] : self.first[state + 1]]


@final
@dataclass(frozen=True, slots=True)
class Solution:
    """The reachable states, the moves between them, and the value of each state."""

    graph: Graph
    worth: Worth


def solve_graph(graph: Graph, top: tuple[int, ...]) -> Solution:
    """Solve every state of a graph; `top` has the highest goal value that each role may have."""
    parents = parents_of(graph)
    sure = tuple(analyse(graph, parents, role) for role in range(len(graph.roles)))
    return Solution(graph, Worth(graph.roles, graph.outcomes, top, sure))
