"""The exact distribution of the state given what a role did and saw, by going through all lines of play."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import erfc, exp, lgamma, log, prod, sqrt
from random import Random
from typing import Any

from gdl.terms import Term

#: A role's move in one ply, and its percepts.
Lived = tuple[Term, tuple[Term, ...]]


def posterior(game: Any, role: str, lived: list[Lived]) -> dict[frozenset[Term], Fraction]:
    """Return the probability of each state (its facts), if the others draw their moves uniformly.

    The game goes on in these states.
    """
    place = game.roles.index(role)
    found: dict[Any, Fraction] = {game.initial_state(): Fraction(1)}
    for move, percepts in lived:
        after: dict[Any, Fraction] = {}
        for state, odds in found.items():
            if game.is_terminal(state):
                continue
            choices = [game.legal_moves(state, other) for other in game.roles]
            if move not in choices[place]:
                continue
            choices[place] = (move,)
            share = odds / prod(map(len, choices))
            for joint in product(*choices):
                if game.percepts(state, joint)[role] == percepts:
                    following = game.next_state(state, joint)
                    after[following] = after.get(following, Fraction(0)) + share
        found = after
    found = {state: odds for state, odds in found.items() if not game.is_terminal(state)}
    total = sum(found.values(), Fraction(0))
    return {frozenset(state): odds / total for state, odds in found.items()}


def random_lives(game: Any, role: str, seed: int) -> list[list[Lived]]:
    """Return what a role did and saw up to each ply of a random playout, but the last."""
    random, state, lived = Random(seed), game.initial_state(), list[Lived]()
    found = []
    while True:
        joint = [random.choice(game.legal_moves(state, other)) for other in game.roles]
        lived.append((joint[game.roles.index(role)], game.percepts(state, joint)[role]))
        state = game.next_state(state, joint)
        if game.is_terminal(state):
            return found
        found.append(list(lived))


def is_likely(counts: dict[frozenset[Term], int], expected: dict[frozenset[Term], Fraction]) -> bool:
    """Return True if a sample may be from a distribution: Pearson's chi-squared is below its mean + 5 deviations."""
    if not counts.keys() <= expected.keys():
        return False
    statistic, freedom = chi_squared(counts, expected)
    return statistic <= freedom + 5 * (2 * freedom) ** 0.5


def chi_squared(counts: dict[frozenset[Term], int], expected: dict[frozenset[Term], Fraction]) -> tuple[float, int]:
    """Return Pearson's statistic of a sample of possible states, and its degrees of freedom."""
    total = sum(counts.values())
    means = {state: float(odds) * total for state, odds in expected.items()}
    return sum((counts.get(state, 0) - mean) ** 2 / mean for state, mean in means.items()), len(expected) - 1


def chi_squared_tail(statistic: float, freedom: int) -> float:
    """Return the probability that chi-squared with so many degrees of freedom is at least as large, exactly."""
    half = statistic / 2
    if freedom == 0 or half == 0:
        return 1.0
    # The upper incomplete gamma function goes from a to a + 1 by one more term; it begins at 1/2 or 1.
    found, order = (erfc(sqrt(half)), 0.5) if freedom % 2 else (exp(-half), 1.0)
    while order < freedom / 2:
        found += exp(order * log(half) - half - lgamma(order + 1))
        order += 1
    return found
