"""Retrograde analysis: from the ends of a game back to the values that each role can force; this module loads Numba.

One role plays against all others, and its goal values are taken one after another, from the highest down. The role can
force an end with at least that value in a terminal state with it, in a state in which the role moves and can reach such
a state, and in a state in which another role moves and can only reach such states. These states are found level by
level; the level is the number of plies, as the role hurries and the others delay. In all remaining states, the others
can make the game go on for ever.

Each edge is followed once (Thompson, "Retrograde Analysis of Certain Endgames", ICCA Journal 9(3), 1986).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from gdl.codegen.array_types import I16_1, I32_1, I64_1
from gdl.codegen.compiled_functions import compiled
from ggp.solver.worth import NOTHING, Sure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ggp.solver.graph import Graph


def analyse(graph: Graph, parents: Parents, role: int, worth: Sequence[int] | None = None) -> Sure:
    """Return the value that a role can force in each state; if the graph is not whole, a lower bound.

    `worth` has the value of each of `graph.outcomes` for the role, by default its own goal.
    """
    own = [outcome[role] for outcome in graph.outcomes] if worth is None else worth
    values = tuple(sorted(set(own)))
    ranks = np.array([values.index(value) for value in own] + [NOTHING], np.int16)
    rank = np.full(len(graph.states), NOTHING, np.int16)
    distance = np.full(len(graph.states), -1, np.int32)
    counts = np.zeros(len(graph.states), np.int32)
    counts[: graph.expanded] = np.diff(graph.first)
    ends = ranks[graph.outcome]  # -1, for no outcome, selects the last one
    queue = np.empty(len(graph.states), np.int32)
    _spread(parents.first, parents.edges, graph.mover, role, ends, len(values), counts, queue, rank, distance)
    return Sure(values, rank, distance)


@final
@dataclass(frozen=True, slots=True)
class Parents:
    """The edges of a graph backwards: the predecessors of state `i` are `edges[first[i] : first[i + 1]]`."""

    first: NDArray[np.int64]
    edges: NDArray[np.int32]


def parents_of(graph: Graph) -> Parents:
    """Return the edges of a graph backwards."""
    first = np.zeros(len(graph.states) + 2, np.int64)
    edges = np.empty(len(graph.children), np.int32)
    _turn_around(graph.first, graph.children, graph.expanded, first, edges)
    return Parents(first[:-1], edges)


@compiled
def _turn_around(first: I64_1, children: I32_1, expanded: int, starts: I64_1, edges: I32_1) -> None:
    """Sort edges by the states they lead to. `starts` has two more entries than there are states, all zero at first."""
    for edge in range(first[expanded]):
        starts[children[edge] + 2] += 1
    for state in range(2, len(starts)):
        starts[state] += starts[state - 1]
    for state in range(expanded):
        for edge in range(first[state], first[state + 1]):
            child = children[edge]
            edges[starts[child + 1]] = state
            starts[child + 1] += 1


@compiled
def _spread(
    first: I64_1,
    parents: I32_1,
    mover: I32_1,
    role: int,
    ends: I16_1,
    ranks: int,
    left: I32_1,
    queue: I32_1,
    rank: I16_1,
    distance: I32_1,
) -> None:
    """Compute ranks and distances of all states. `left` counts the edges of a state that may still avoid the value."""
    begin, end = 0, 0
    for target in range(ranks - 1, -1, -1):
        for state in range(len(ends)):
            if ends[state] == target:
                rank[state] = target
                distance[state] = 0
                queue[end] = state
                end += 1
        while begin < end:
            state = queue[begin]
            begin += 1
            for edge in range(first[state], first[state + 1]):
                parent = parents[edge]
                if rank[parent] >= 0:
                    continue
                if mover[parent] != role:
                    left[parent] -= 1
                    if left[parent] > 0:
                        continue
                rank[parent] = target
                distance[parent] = distance[state] + 1
                queue[end] = parent
                end += 1
