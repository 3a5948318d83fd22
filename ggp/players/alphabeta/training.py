"""The training loop for a small network over the facts of a state, compiled by Numba. This module loads Numba.

The value of a state is the sum of a base value, a weight for each fact that holds, and the outputs of `HIDDEN` units.
A unit sums its own weights over the facts, clips the sum to 0 .. 1, and multiplies it by its head. The network is
trained by stochastic gradient descent on the squared error, with a learning rate for each weight (Adagrad, Duchi et al.
2011), because many facts hold in few states.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import types

from gdl.codegen.compiled_functions import F32_1, F32_2, I64_1, U64_2_READ, compiled
from ggp.players.alphabeta.search_memory import HIDDEN

#: Columns of weights: those of the hidden units, then the facts' own.
COLUMNS: Final = HIDDEN + 1


@compiled(
    types.float64(U64_2_READ, F32_1, I64_1, F32_2, F32_1, F32_2, F32_1, types.float32), allocates=True, fastmath=True
)
def train(
    states: Any, targets: Any, order: Any, weights: Any, heads: Any, grown: Any, grown_heads: Any, rate: Any
) -> Any:
    """Take one step for each state, in the given order; return the mean squared error.

    `weights`: (facts, columns). `heads`: the output weight of each unit, their thresholds, the base value. `grown` and
    `grown_heads`: the sums of squared gradients so far, in the same shapes. All four are updated in place.
    """
    active = np.empty(64 * states.shape[1], np.int64)
    hidden, pull = np.empty(COLUMNS, np.float32), np.empty(COLUMNS, np.float32)
    facts = len(weights)
    error_sum = 0.0
    for number in order:
        count = 0
        for fact in range(facts):
            if (states[number, fact >> 6] >> np.uint64(fact & 63)) & np.uint64(1):
                active[count] = fact
                count += 1
        for unit in range(HIDDEN):
            hidden[unit] = heads[HIDDEN + unit]
        hidden[HIDDEN] = heads[2 * HIDDEN]
        for i in range(count):
            fact = active[i]
            for column in range(COLUMNS):
                hidden[column] += weights[fact, column]
        value = hidden[HIDDEN]
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
    return error_sum / max(1, len(order))
