"""Solved games: all states with their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from ggp.solver.graph import Graph
from ggp.solver.retrograde import analyse, parents_of
from ggp.solver.worth import Worth


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
