"""Best responses and expected goals, computed node by node on the tree, apart from the search for plans.

A strategy has a probability for each slot of a player; slot 0, which stands for no choice, does not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ggp.solver.extensive.tree import Tree, edges_by_level

if TYPE_CHECKING:
    from numpy.typing import NDArray

    #: The probability of each slot of a player.
    Strategy = NDArray[np.float64]


def expected_goals(tree: Tree, strategies: Sequence[Strategy]) -> tuple[float, ...]:
    """Return the goal that each player can expect if all follow their strategies."""
    reach = _reach(tree, strategies, None)[tree.ends]
    return tuple(float(goal) for goal in reach @ tree.goals)


def best_response(tree: Tree, strategies: Sequence[Strategy], player: int) -> tuple[float, Strategy]:
    """Return the highest goal that a player can expect if it alone leaves its strategy, and how it gets that.

    Among moves that are equally good, it chooses the first.
    """
    # The weight of a node is the goal expected there times the probability that the others lead there.
    weight = np.zeros(tree.nodes)
    weight[tree.ends] = _reach(tree, strategies, player)[tree.ends] * tree.goals[:, player]
    slots = len(strategies[player])
    first = np.zeros(slots, np.int64)
    for own in tree.sets[player]:
        first[own.first : own.first + len(own.moves)] = own.first
    total, highest = np.zeros(slots), np.full(slots, -np.inf)
    choice = np.full(slots, slots, np.int64)
    for nodes in reversed(edges_by_level(tree)):
        parents, by = tree.parent[nodes], tree.slot[nodes]
        if tree.player[parents[0]] != player:
            np.add.at(weight, parents, weight[nodes])
            continue
        np.add.at(total, by, weight[nodes])
        np.maximum.at(highest, first[by], total[by])
        best = total[by] == highest[first[by]]
        np.minimum.at(choice, first[by[best]], by[best])
        chosen = by == choice[first[by]]
        weight[parents[chosen]] = weight[nodes[chosen]]
    return float(weight[0]), (choice[first] == np.arange(slots)).astype(np.float64)


def _reach(tree: Tree, strategies: Sequence[Strategy], without: int | None) -> NDArray[np.float64]:
    """Return the probability that each node is reached, as far as it does not depend on the player `without`."""
    step = tree.chance.copy()
    for player, strategy in enumerate(strategies):
        if player != without:
            below = np.flatnonzero(tree.player[tree.parent] == player)
            below = below[below > 0]
            step[below] = strategy[tree.slot[below]]
    reach = np.ones(tree.nodes)
    for nodes in edges_by_level(tree):
        reach[nodes] = step[nodes] * reach[tree.parent[nodes]]
    return reach
