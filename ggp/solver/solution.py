"""A game of which everything is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from ggp.solver.graph import Graph
from ggp.solver.retrograde import analyse, parents_of
from ggp.solver.worth import Worth


@final
@dataclass(frozen=True, slots=True)
class Solution:
    """All states that can be reached, the moves between them, and what each state is worth."""

    graph: Graph
    worth: Worth


def solve_graph(graph: Graph, top: tuple[int, ...]) -> Solution:
    """What each role can be sure of, everywhere in a graph; `top` is the highest value that the rules may give each."""
    parents = parents_of(graph)
    sure = tuple(analyse(graph, parents, role) for role in range(len(graph.roles)))
    return Solution(graph, Worth(graph.roles, graph.outcomes, top, sure))
