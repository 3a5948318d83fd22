"""The training loop for a small network over the facts of a state, compiled by Numba. This module loads Numba.

The value of a state is the sum of a base value, a weight for each fact that holds, one for the pattern of each tuple,
and the outputs of `HIDDEN` units. A unit sums its own weights over the facts, clips the sum to 0 .. 1, and multiplies
it by its head. The network is trained by stochastic gradient descent on the squared error, with a learning rate for
each weight, because many facts hold in few states: Adagrad (Duchi et al. 2011), and temporal coherence for patterns
(Beal and Smith 1999), whose rates fall when errors change their sign.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from gdl.codegen.array_types import F32_1, F32_2, I32_1, I32_2, I64_1, U64_2_READ, Int
from gdl.codegen.compiled_functions import compiled, part
from gdl.simulator.bits import lowest_one
from ggp.players.learned_values.units import HIDDEN

#: Columns of weights: those of the hidden units, then the facts' own.
COLUMNS: Final = HIDDEN + 1


class Weights(NamedTuple):
    """The arrays that are trained, all in place.

    `weights`: (facts, columns). `heads`: the output weight of each unit, their thresholds, the base value. `grown` and
    `grown_heads`: the sums of squared gradients so far, in the same shapes. `patterns`: the weights of patterns, tuple
    by tuple, and the sums of their errors so far, with and without signs: (patterns, 3).
    """

    weights: F32_2
    heads: F32_1
    grown: F32_2
    grown_heads: F32_1
    patterns: F32_2
    #: By fact: the first of its links; the tuple of each link, and what the fact adds to the place in `patterns`.
    starts: I32_1
    links: I32_2
    #: By tuple: the place of its first pattern.
    places: I32_1
    #: Room for the facts of a state, (64 * words,); for the places of its patterns, (tuples,); and for what units sum
    #: up and how their sums should change, (2, columns).
    active: I64_1
    now: I64_1
    units: F32_2


@part
def _facts_of(states: U64_2_READ, number: Int, active: I64_1) -> Any:
    """List the facts of a state in `active`; return their number."""
    count = 0
    for word in range(states.shape[1]):
        rest = states[number, word]
        while rest:
            active[count] = 64 * word + np.int64(lowest_one(rest))
            rest &= rest - np.uint64(1)
            count += 1
    return count


@part
def _patterns_of(given: Weights, active: I64_1, count: Int, now: I64_1) -> Any:
    """Put the place of the pattern of each tuple in `now`; return the sum of their weights."""
    total = np.float32(0)
    for number in range(len(now)):
        now[number] = given.places[number]
    for i in range(count):
        fact = active[i]
        for k in range(given.starts[fact], given.starts[fact + 1]):
            now[given.links[k, 0]] += given.links[k, 1]
    for number in range(len(now)):
        total += given.patterns[now[number], 0]
    return total


@part
def _learn_patterns(given: Weights, now: I64_1, step: np.float32, error: np.float32) -> None:
    """Take a step for the weights of the patterns `now`."""
    patterns = given.patterns
    size = np.abs(error)
    for number in range(len(now)):
        place = now[number]
        patterns[place, 0] -= step * error * np.abs(patterns[place, 1]) / patterns[place, 2]
        patterns[place, 1] += error
        patterns[place, 2] += size


@compiled(fastmath=True)
def train(
    states: U64_2_READ, targets: F32_1, order: I64_1, given: Weights, rate: np.float32, step: np.float32
) -> float:
    """Take one training step for each state, in the given order; return the mean squared error.

    `rate` is the learning rate of weights, and `step` the largest one of the weights of patterns together.
    """
    weights, heads, grown, grown_heads = given.weights, given.heads, given.grown, given.grown_heads
    active, now, hidden, pull = given.active, given.now, given.units[0], given.units[1]
    step /= np.float32(max(1, len(now)))
    error_sum = 0.0
    for number in order:
        count = _facts_of(states, number, active)
        for unit in range(HIDDEN):
            hidden[unit] = heads[HIDDEN + unit]
        hidden[HIDDEN] = heads[2 * HIDDEN]
        for i in range(count):
            fact = active[i]
            for column in range(COLUMNS):
                hidden[column] += weights[fact, column]
        value = hidden[HIDDEN] + _patterns_of(given, active, count, now)
        for unit in range(HIDDEN):
            value += heads[unit] * min(max(hidden[unit], np.float32(0)), np.float32(1))
        error = value - targets[number]
        error_sum += error * error
        for unit in range(HIDDEN):
            inside = np.float32(0) < hidden[unit] < np.float32(1)
            pull[unit] = error * heads[unit] if inside else np.float32(0)
        pull[HIDDEN] = error
        for unit in range(HIDDEN):
            slope = error * min(max(hidden[unit], np.float32(0)), np.float32(1))
            grown_heads[unit] += slope * slope
            heads[unit] -= rate * slope / np.sqrt(grown_heads[unit])
            slope = pull[unit]
            grown_heads[HIDDEN + unit] += slope * slope
            heads[HIDDEN + unit] -= rate * slope / np.sqrt(grown_heads[HIDDEN + unit])
        grown_heads[2 * HIDDEN] += error * error
        heads[2 * HIDDEN] -= rate * error / np.sqrt(grown_heads[2 * HIDDEN])
        for i in range(count):
            fact = active[i]
            for column in range(COLUMNS):
                slope = pull[column]
                grown[fact, column] += slope * slope
                weights[fact, column] -= rate * slope / np.sqrt(grown[fact, column])
        _learn_patterns(given, now, step, error)
    return error_sum / max(1, len(order))
