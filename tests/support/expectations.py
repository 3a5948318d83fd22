"""Expected results of random playouts: exact distributions, and tests of samples against them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from itertools import product
from math import sqrt
from typing import TypeVar

import gdl

K = TypeVar("K", bound=Hashable)

#: How a playout ends: after so many plies, with these goals (None where there is none).
End = tuple[int, tuple[int | None, ...]]


def goals(game: gdl.Reasoner, state: gdl.State) -> tuple[int | None, ...]:
    """Each role's goal value."""
    values: list[int | None] = []
    for role in game.roles:
        try:
            values.append(game.goal(state, role))
        except gdl.GoalError:
            values.append(None)
    return tuple(values)


def distribution(game: gdl.Reasoner, state: gdl.State | None = None) -> dict[End, Fraction]:
    """The probability of each end of a game that is finite and never stuck, by enumeration of all its states."""
    known: dict[gdl.State, dict[End, Fraction]] = {}

    def ends(state: gdl.State) -> dict[End, Fraction]:
        found = known.get(state)
        if found is None:
            found = known[state] = {}
            if game.is_terminal(state):
                found[0, goals(game, state)] = Fraction(1)
                return found
            joint_moves = list(product(*(game.legal_moves(state, role) for role in game.roles)))
            for moves in joint_moves:
                for (plies, values), share in ends(game.next_state(state, moves)).items():
                    end = plies + 1, values
                    found[end] = found.get(end, Fraction(0)) + share / len(joint_moves)
        return found

    return ends(state or game.initial_state())


def deviation(counts: Mapping[K, int], shares: Mapping[K, Fraction | float]) -> float:
    """The distance of counts from expected shares (which sum to one), in standard deviations of a normal variable.

    Pearson's chi-squared, made normal as by Wilson and Hilferty (1931); infinite where what cannot be was counted.
    """
    total = sum(counts.values())
    if any(count and not shares.get(key) for key, count in counts.items()):
        return float("inf")
    expected = {key: float(share) * total for key, share in shares.items() if share}
    freedom = len(expected) - 1
    if not freedom:
        return 0.0
    chi2 = sum((counts.get(key, 0) - mean) ** 2 / mean for key, mean in expected.items())
    spread = 2 / (9 * freedom)
    root: float = (chi2 / freedom) ** (1 / 3)
    return (root - (1 - spread)) / sqrt(spread)


def uniform(keys: list[K]) -> dict[K, float]:
    return dict.fromkeys(keys, 1 / len(keys))


def difference(one: Mapping[K, int], other: Mapping[K, int]) -> float:
    """The distance of two samples from each other, in standard deviations of a normal variable.

    As in `deviation`, by the test of homogeneity; what was counted less than 20 times in both counts together.
    """
    first, second, rare = [], [], [0, 0]
    for key in {**one, **other}:
        pair = one.get(key, 0), other.get(key, 0)
        if sum(pair) < 20:
            rare = [rare[0] + pair[0], rare[1] + pair[1]]
        else:
            first.append(pair[0])
            second.append(pair[1])
    if sum(rare) >= 20:
        first.append(rare[0])
        second.append(rare[1])
    freedom = len(first) - 1
    if freedom < 1:
        return 0.0
    ratio = sqrt(sum(second) / sum(first)) if sum(first) and sum(second) else float("inf")
    if ratio == float("inf"):
        return ratio
    chi2 = sum((a * ratio - b / ratio) ** 2 / (a + b) for a, b in zip(first, second, strict=True))
    spread = 2 / (9 * freedom)
    root: float = (chi2 / freedom) ** (1 / 3)
    return (root - (1 - spread)) / sqrt(spread)
