"""Evaluate states and count the choices of roles, in compiled loops. This module loads Numba."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from gdl.codegen.array_types import Int
from gdl.codegen.compiled_functions import part
from gdl.simulator.bits import lowest_one
from ggp.players.alphabeta.search_memory import (
    COLUMNS,
    GOALS_WORD,
    HEADS,
    LEGAL_WORD,
    MOVE_WORDS,
    START,
    STATE_WORDS,
    UNIT,
    Memory,
)
from ggp.players.alphabeta.values import UNDEFINED
from ggp.players.learned_values.units import MOST

#: Neither a goal value nor -1, which stands for several of them.
_NOTHING: Final = -2


@part
def _change(memory: Memory, ply: Int, fact: Int, sign: Int) -> None:
    """Add a fact to the sums at a ply, or take it away (`sign` 1 or -1)."""
    summed, patterns, entries, links = memory.summed, memory.patterns, memory.entries, memory.links
    for column in range(COLUMNS):
        summed[ply, column] += sign * memory.sums[fact, column]
    added: Any = 0
    for k in range(memory.starts[fact], memory.starts[fact + 1]):
        number = links[k, 0]
        place = patterns[ply, number]
        after = place + sign * links[k, 1]
        added += np.int64(entries[after]) - np.int64(entries[place])
        patterns[ply, number] = after
    summed[ply, COLUMNS - 1] += added


@part
def _change_all(memory: Memory, ply: Int, word: Int, bits: np.uint64, sign: Int) -> None:
    while bits:
        _change(memory, ply, 64 * word + np.int64(lowest_one(bits)), sign)
        bits &= bits - np.uint64(1)


@part
def _sum_anew(memory: Memory, ply: Int) -> None:
    """Sum up the facts of the state at a ply."""
    setup, patterns, entries = memory.setup, memory.patterns, memory.entries
    for column in range(COLUMNS):
        memory.summed[ply, column] = setup[START + column]
    for number in range(patterns.shape[1]):
        patterns[ply, number] = memory.places[number]
        memory.summed[ply, COLUMNS - 1] += entries[memory.places[number]]
    for word in range(setup[STATE_WORDS]):
        _change_all(memory, ply, word, memory.states[ply, word], 1)
    memory.sums_of[ply] = memory.hashes[ply]


@part
def _sum_from(memory: Memory, before: Int, ply: Int) -> None:
    """Sum up the facts of the state at a ply from the sums at an earlier one, by the facts in which they differ."""
    setup, states, patterns = memory.setup, memory.states, memory.patterns
    for column in range(COLUMNS):
        memory.summed[ply, column] = memory.summed[before, column]
    for number in range(patterns.shape[1]):
        patterns[ply, number] = patterns[before, number]
    # First what no longer holds, so that no cell ever holds two things.
    for word in range(setup[STATE_WORDS]):
        _change_all(memory, ply, word, states[before, word] & ~states[ply, word], -1)
    for word in range(setup[STATE_WORDS]):
        _change_all(memory, ply, word, states[ply, word] & ~states[before, word], 1)
    memory.sums_of[ply] = memory.hashes[ply]


@part
def estimate(memory: Memory, ply: Int) -> Any:
    """Return the estimated value of the state at a ply for the first role, by the network (see `network`).

    Sums are kept by ply, so a state is summed up from that of the ply before: children of the same state share that.
    Four 16-bit numbers are packed into a 64-bit one and added at once. As long as no sum leaves its range, the borrows
    between them are undone at the end.
    """
    setup, summed, hashes, sums_of = memory.setup, memory.summed, memory.hashes, memory.sums_of
    before = ply - 1
    while before >= 0 and sums_of[before] != hashes[before]:
        before -= 1
    if before < ply - 1:
        # The state of the ply before is not summed up yet.
        if before >= 0:
            _sum_from(memory, before, ply - 1)
        else:
            _sum_anew(memory, ply - 1)
    if ply > 0:
        _sum_from(memory, ply - 1, ply)
    else:
        _sum_anew(memory, ply)
    one = setup[UNIT]
    hidden: Any = 0
    for column in range(COLUMNS - 1):
        rest = summed[ply, column]
        for lane in range(4):
            unit = (rest << 48) >> 48
            rest = (rest - unit) >> 16
            hidden += min(max(unit, 0), one) * setup[HEADS + 4 * column + lane]
    return min(max(summed[ply, COLUMNS - 1] + (hidden >> 16), -MOST), MOST)


@part
def difference(memory: Memory, row: Int) -> Any:
    """Return the first role's goal minus the second's; without exactly one goal value, a role has `UNDEFINED`."""
    setup, outs, goals = memory.setup, memory.outs, memory.goals
    first: Any = _NOTHING
    second: Any = _NOTHING
    for number in range(len(goals)):
        word = outs[row, setup[GOALS_WORD] + (number >> 6)]
        if (word >> np.uint64(number & 63)) & np.uint64(1):
            value = np.int64(goals[number, 1])
            if goals[number, 0]:
                second = value if second == _NOTHING else -1
            else:
                first = value if first == _NOTHING else -1
    return (first if first >= 0 else UNDEFINED) - (second if second >= 0 else UNDEFINED)


@part
def choices(memory: Memory, row: Int, role: Int) -> Any:
    """Return the number of a role's legal moves: 0, 1, or 2 for two or more."""
    setup, outs = memory.setup, memory.outs
    found = 0
    first = setup[LEGAL_WORD + role]
    for word in range(first, first + setup[MOVE_WORDS + role]):
        bits = outs[row, word]
        if bits:
            found += 2 if bits & (bits - np.uint64(1)) else 1
    return min(found, 2)
