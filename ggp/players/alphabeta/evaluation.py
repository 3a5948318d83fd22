"""Evaluate states and count the choices of roles, in compiled loops. This module loads Numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdl.codegen.compiled_functions import part
from ggp.players.alphabeta.search_memory import GOALS_WORD, HEADS, LEGAL_WORD, MOVE_WORDS, START, STATE_WORDS, UNIT
from ggp.players.alphabeta.values import MOST


@part
def estimate(memory: Any, row: Any) -> Any:
    """Return the estimated value of a state for the first role, by the network over its facts (see `network`).

    `sums` has the columns for each half byte of a state and each of its values. Four 16-bit numbers are packed into a
    64-bit one and added at once. As long as no sum leaves its range, the borrows between them are undone at the end.
    """
    setup, states, sums = memory.setup, memory.states, memory.sums
    first, second, third = setup[START], setup[START + 1], setup[START + 2]
    fourth, found = setup[START + 3], setup[START + 4]
    for word in range(setup[STATE_WORDS]):
        bits = states[row, word]
        place = 256 * word
        while bits:
            at = place + np.int64(bits & np.uint64(15))
            first += sums[at, 0]
            second += sums[at, 1]
            third += sums[at, 2]
            fourth += sums[at, 3]
            found += sums[at, 4]
            bits >>= np.uint64(4)
            place += 16
    one = setup[UNIT]
    hidden: Any = 0
    for column, packed in enumerate((first, second, third, fourth)):
        rest = packed
        for lane in range(4):
            unit = (rest << 48) >> 48
            rest = (rest - unit) >> 16
            hidden += min(max(unit, 0), one) * setup[HEADS + 4 * column + lane]
    return min(max(found + (hidden >> 16), -MOST), MOST)


@part
def difference(memory: Any, row: Any) -> Any:
    """Return the first role's goal minus the second's; a missing goal counts as 0."""
    setup, outs, goals = memory.setup, memory.outs, memory.goals
    found: Any = 0
    for number in range(len(goals)):
        word = outs[row, setup[GOALS_WORD] + (number >> 6)]
        if (word >> np.uint64(number & 63)) & np.uint64(1):
            found += -goals[number, 1] if goals[number, 0] else goals[number, 1]
    return found


@part
def choices(memory: Any, row: Any, role: Any) -> Any:
    """Return the number of a role's legal moves: 0, 1, or 2 for two or more."""
    setup, outs = memory.setup, memory.outs
    found = 0
    first = setup[LEGAL_WORD + role]
    for word in range(first, first + setup[MOVE_WORDS + role]):
        bits = outs[row, word]
        if bits:
            found += 2 if bits & (bits - np.uint64(1)) else 1
    return min(found, 2)
