"""Read a search for people who analyse a position: expected goals of all roles, best moves with lines. Loads Numba."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from ggp.players.mcts.tree import MAX_OUTCOMES, OUTCOMES, ROOT, SEVERAL, Edge, Node

if TYPE_CHECKING:
    from gdl.terms import Term
    from ggp.players.mcts.move_statistics import MoveStatistics
    from ggp.players.mcts.search import Search

#: The most plies of a line, and of the way to a position whose values are known.
_LONGEST_LINE: Final = 10
_DEEPEST: Final = 16

#: A child with fewer visits says too little about a chance node.
_FEW: Final = 8

#: A move with fewer visits than the most visited one divided by this is ranked after the others.
_SELDOM: Final = 50


def best_moves(
    search: Search, role: int, most: int, first: Term | None = None
) -> list[tuple[MoveStatistics, tuple[str, ...]]]:
    """Return the best moves of a role at the root, each with a line that begins with it, the best first.

    If the move `first` is one of them, it is the best. There are none for a role without a choice.
    """
    node = _root(search)
    if node.choices[role] < 2:
        return []
    ranked = search.statistics(role)
    best = first if any(one.move == first for one in ranked) else search.best_move(role)
    most_visits = ranked[0].visits
    # The goals of moves that were hardly tried say little.
    ranked.sort(key=lambda one: (one.move != best, not one.proven and one.visits * _SELDOM < most_visits, -one.goal))
    edges = {search.world.term(edge.move): edge for edge in node.edges(role)}
    found = []
    for one in ranked[:most]:
        edge = edges.get(one.move)
        rest = tuple(_line(search, edge.child)) if edge is not None and node.mover == role else ()
        found.append((one, (one.move.text, *rest)))
    return found


def choosing(search: Search) -> int:
    """Return the number of roles, chance among them, that have a choice at the root."""
    return sum(moves > 1 for moves in _root(search).choices)


def chooser(search: Search) -> int | None:
    """Return the role that alone has a choice at the root; None if there is none, or if it is chance."""
    several = [role for role, moves in enumerate(_root(search).choices) if moves > 1]
    return several[0] if len(several) == 1 and several[0] != int(search.tree.nature[0]) else None


def expected_goals(search: Search) -> list[float | None]:
    """Return the goal that each role expects at the root, 0 to 100; None if the search does not say."""
    node = _root(search)
    goals = [_expected(search, node, role, 0) for role in range(len(node.choices))]
    total = _constant_sum(search)
    if total is not None and node.mover not in (SEVERAL, int(search.tree.nature[0])) and goals[node.mover] is not None:
        # What the mover expects is based on more visits than what the other role expects later.
        for role in range(len(goals)):
            if role not in (node.mover, int(search.tree.nature[0])):
                goals[role] = max(0.0, total - (goals[node.mover] or 0.0))
    return goals


def _constant_sum(search: Search) -> float | None:
    """Return the sum of the goals at every end that the search has met, if it is always the same for two roles."""
    tree = search.tree
    nature = int(tree.nature[0])
    roles = [role for role in range(tree.limits.shape[1]) if role != nature]
    sums = {
        round(100 * float(sum(one[role] for role in roles)), 3) for one in tree.outcomes[: int(tree.counts[OUTCOMES])]
    }
    return sums.pop() if len(roles) == 2 and len(sums) == 1 else None


def _root(search: Search) -> Node:
    return Node(search.tree, int(search.tree.counts[ROOT]))


def _expected(search: Search, node: Node, role: int, depth: int) -> float | None:
    """Return a role's expected goal in a position: what it expects there, or where it has its next choice."""
    tree = search.tree
    if node.proof >= 0:
        return 100 * float(tree.outcomes[node.proof % MAX_OUTCOMES, role])
    if depth > _DEEPEST:
        return None
    own = [edge for edge in node.edges(role) if edge.visits]
    if node.mover == role and own:
        return _goal(search, max(own, key=lambda edge: edge.visits), role)
    if node.mover == SEVERAL:
        visits = sum(edge.visits for edge in own)
        return 100 * sum(edge.value for edge in own) / visits if visits else None
    edges = [edge for edge in node.edges(node.mover) if edge.visits]
    if not edges:
        return None
    if node.mover == int(tree.nature[0]):
        return _mean(search, edges, role, depth)
    top = max(edges, key=lambda edge: edge.visits)
    if top.proof >= 0:
        return _goal(search, top, role)
    return _expected(search, Node(tree, top.child), role, depth + 1) if top.child >= 0 else None


def _mean(search: Search, edges: list[Edge], role: int, depth: int) -> float | None:
    """Return the mean of a role's expected goals after the moves of chance, which are equally likely."""
    goals = [
        _goal(search, edge, role)
        if edge.proof >= 0
        else _expected(search, Node(search.tree, edge.child), role, depth + 1)
        for edge in edges
        if edge.proof >= 0 or (edge.child >= 0 and edge.visits >= _FEW)
    ]
    known = [goal for goal in goals if goal is not None]
    return sum(known) / len(known) if known else None


def _goal(search: Search, edge: Edge, role: int) -> float:
    if edge.proof >= 0:
        return 100 * float(search.tree.outcomes[edge.proof % MAX_OUTCOMES, role])
    return 100 * edge.value / edge.visits


def _line(search: Search, number: int) -> Iterator[str]:
    """Yield the moves that were visited most, of one role at a time."""
    for _ in range(_LONGEST_LINE - 1):
        if number < 0:
            return
        node = Node(search.tree, number)
        if node.mover == SEVERAL:
            return
        edges = [edge for edge in node.edges(node.mover) if edge.visits]
        if not edges:
            return
        # Where the outcome is proven, the move that leads to it.
        edge = max(edges, key=lambda edge: (node.proof >= 0 and _leads(edge, node), edge.visits))
        yield search.world.term(edge.move).text
        number = edge.child


def _leads(edge: Edge, node: Node) -> bool:
    return edge.proof >= 0 and edge.proof == node.proof - MAX_OUTCOMES
