"""Counterfactual regret minimization (CFR+) in the sequence form.

The plan of a player has, for each slot, the probability that the player itself plays all the moves on the way to it and
the move of the slot. Expected goals are linear in each plan, so that an iteration costs one pass over the ends and one
over the information sets, not one over the tree.

Tammelin, O. (2014). Solving large imperfect information games using CFR+. arXiv:1407.5042.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from ggp.solver.extensive.tree import InformationSet, Tree, edges_by_level

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@final
@dataclass(frozen=True, slots=True)
class _Layer:
    """The information sets of a player that follow the same number of own choices."""

    #: The slots of these sets, one set after the other.
    slots: NDArray[np.int64]
    #: For each set, the place in `slots` where it begins, its number of moves, and the slot before it.
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    before: NDArray[np.int64]


class _Learner:
    """The regrets and the average plan of a player."""

    def __init__(self, sets: Sequence[InformationSet]) -> None:
        self.slots = 1 + sum(len(own.moves) for own in sets)
        self._layers = _layers(sets)
        self._regrets = np.zeros(self.slots)
        self._total = np.zeros(self.slots)
        self.strategy = self._matched(self._regrets)

    def plan(self) -> Floats:
        """Return the plan of the current strategy."""
        plan = np.ones(self.slots)
        for layer in self._layers:
            plan[layer.slots] = self.strategy[layer.slots] * np.repeat(plan[layer.before], layer.sizes)
        return plan

    def learn(self, gains: Floats) -> None:
        """Change the strategy, given what each slot gains at ends that have no later slot of the player."""
        gains = gains.copy()
        for layer in reversed(self._layers):
            own = gains[layer.slots]
            values = np.add.reduceat(self.strategy[layer.slots] * own, layer.starts)
            regrets = self._regrets[layer.slots] + own - np.repeat(values, layer.sizes)
            self._regrets[layer.slots] = np.maximum(regrets, 0)
            np.add.at(gains, layer.before, values)
        self.strategy = self._matched(self._regrets)

    def record(self, weight: float) -> None:
        """Let the current plan count in the average."""
        self._total += weight * self.plan()

    def average_plan(self) -> Floats:
        """Return the average of the recorded plans."""
        plan: Floats = self._total / self._total[0]
        return plan

    def average_strategy(self) -> Floats:
        """Return the strategy with the average plan."""
        return self._matched(self._total)

    def best(self, gains: Floats) -> float:
        """Return the most that the player can gain."""
        gains = gains.copy()
        for layer in reversed(self._layers):
            np.add.at(gains, layer.before, np.maximum.reduceat(gains[layer.slots], layer.starts))
        return float(gains[0])

    def _matched(self, weights: Floats) -> Floats:
        """Return the probabilities in proportion to weights; equal ones where all weights are 0."""
        strategy = np.ones(self.slots)
        for layer in self._layers:
            own = weights[layer.slots]
            sums = np.repeat(np.add.reduceat(own, layer.starts), layer.sizes)
            equal = 1 / np.repeat(layer.sizes, layer.sizes)
            strategy[layer.slots] = np.divide(own, sums, out=equal, where=sums > 0)
        return strategy


class RegretSolver:
    """CFR+ for two players with opposed goals: the more iterations, the smaller the exploitability."""

    def __init__(self, tree: Tree) -> None:
        """Begin with the strategies that choose each move with the same probability."""
        reach = np.ones(tree.nodes)
        for nodes in edges_by_level(tree):
            reach[nodes] = tree.chance[nodes] * reach[tree.parent[nodes]]
        middle = tree.goals[0].sum() / 2
        weights = reach[tree.ends] * (tree.goals[:, 0] - middle)
        self._learners = tuple(_Learner(own) for own in tree.sets)
        one, two = (learner.slots for learner in self._learners)
        # Ends with the same last slots count as one.
        pairs, place = np.unique(tree.last[:, 0].astype(np.int64) * two + tree.last[:, 1], return_inverse=True)
        self._last = (pairs // two, pairs % two)
        self._weights = np.bincount(place.ravel(), weights)
        self._slots = (one, two)
        self.iterations = 0

    def iterate(self) -> None:
        """Improve both strategies once, one after the other."""
        self.iterations += 1
        for player, learner in enumerate(self._learners):
            learner.learn(self._gains(player, self._learners[1 - player].plan()))
        for learner in self._learners:
            learner.record(self.iterations)

    def exploitability(self) -> float:
        """Return half of what both players together could gain against the average strategies."""
        plans = [learner.average_plan() for learner in self._learners]
        return sum(self._learners[i].best(self._gains(i, plans[1 - i])) for i in range(2)) / 2

    def strategies(self) -> tuple[Floats, ...]:
        """Return the average strategies."""
        return tuple(learner.average_strategy() for learner in self._learners)

    def _gains(self, player: int, other: Floats) -> Floats:
        """Return what each slot of a player gains at the ends that follow it directly, against a plan."""
        worth = self._weights if player == 0 else -self._weights
        gains = np.zeros(self._slots[player])
        np.add.at(gains, self._last[player], worth * other[self._last[1 - player]])
        return gains


def _layers(sets: Sequence[InformationSet]) -> list[_Layer]:
    depths: dict[int, int] = {0: 0}
    groups: list[list[InformationSet]] = []
    for own in sets:
        depth = depths[own.before]
        for slot in range(own.first, own.first + len(own.moves)):
            depths[slot] = depth + 1
        if depth == len(groups):
            groups.append([])
        groups[depth].append(own)
    layers = []
    for group in groups:
        sizes = np.array([len(own.moves) for own in group])
        slots = np.concatenate([np.arange(own.first, own.first + len(own.moves)) for own in group])
        before = np.array([own.before for own in group])
        layers.append(_Layer(slots, np.cumsum(sizes) - sizes, sizes, before))
    return layers
