"""The table of the search by depth, with results for states, compiled by Numba; this module loads Numba.

A row has the words of a state, compared whole, and a word with the results for one question. From the highest bit on,
these are the question's number + 1 (8 bits), the number of plies within which the state is proved (16), the number
within which it failed (16), and the best move (24).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from gdl.codegen.array_types import U64_2, Int
from gdl.codegen.compiled_functions import compiled, part
from gdl.simulator.hashing import hash_row, hash_with, same_row

#: A number of plies that stands for any number.
ANY: Final = 0xFFFF

#: No move, in 24 bits.
NO_MOVE_KEPT: Final = 0xFFFFFF


@part
def proved_within(known: np.uint64) -> Any:
    """Return the plies within which a state is proved, given the last word of its row; ANY if it is not."""
    return np.int64((known >> np.uint64(40)) & np.uint64(0xFFFF))


@part
def failed_within(known: np.uint64) -> Any:
    """Return the plies within which a state failed, given the last word of its row; 0 if it did not."""
    return np.int64((known >> np.uint64(24)) & np.uint64(0xFFFF))


@part
def best_move(known: np.uint64) -> Any:
    """Return the best move of a state, given the last word of its row, or NO_MOVE_KEPT."""
    return np.int64(known & np.uint64(0xFFFFFF))


@part
def _bucket(table: U64_2, states: U64_2, row: Int, question: Int) -> Any:
    """Return the first of the two rows of the table for a row of states."""
    hashed = hash_with(hash_row(states, row, table.shape[1] - 1), question)
    return np.int64(hashed & np.uint64(len(table) - 2))


@part
def _find(table: U64_2, bucket: Int, states: U64_2, row: Int, question: Int) -> Any:
    words = table.shape[1] - 1
    for place in range(bucket, bucket + 2):
        same_question = np.int64(table[place, words] >> np.uint64(56)) == question + 1
        if same_question and same_row(table, place, states, row, words):
            return place
    return -1


@part
def find(table: U64_2, states: U64_2, row: Int, question: Int) -> Any:
    """Return the row of the table that has a row of states, -1 if none has."""
    return _find(table, _bucket(table, states, row, question), states, row, question)


@part
def keep(table: U64_2, states: U64_2, row: Int, question: Int, proved: Int, failed: Int, best: Int) -> None:
    """Store that a state is proved within `proved` plies (ANY if not), or failed within `failed` (0 if not)."""
    words = table.shape[1] - 1
    bucket = _bucket(table, states, row, question)
    place = _find(table, bucket, states, row, question)
    if place >= 0:
        known = table[place, words]
        proved = min(proved, proved_within(known))
        failed = max(failed, failed_within(known))
        if best == NO_MOVE_KEPT:
            best = best_move(known)
    else:
        # The first of the two rows is for the deepest result, the second for the newest.
        place = bucket + 1
        old = table[bucket, words]
        depth = failed_within(old)
        within = proved_within(old)
        if within != ANY:
            depth = max(depth, within)
        if old == 0 or max(failed, proved if proved != ANY else 0) >= depth:
            for word in range(words + 1):
                table[place, word] = table[bucket, word]
            place = bucket
        for word in range(words):
            table[place, word] = states[row, word]
    known = np.uint64(question + 1) << np.uint64(56) | np.uint64(proved) << np.uint64(40)
    # A move with a larger number is not kept.
    table[place, words] = known | np.uint64(failed) << np.uint64(24) | np.uint64(min(best, NO_MOVE_KEPT))


@compiled
def refill(table: U64_2, old: U64_2) -> None:
    """Copy the contents of a smaller table into an empty one."""
    words = table.shape[1] - 1
    for row in range(len(old)):
        known = old[row, words]
        if known:
            bucket = _bucket(table, old, row, int(np.int64(known >> np.uint64(56))) - 1)
            if table[bucket, words]:
                bucket += 1
            for word in range(words + 1):
                table[bucket, word] = old[row, word]
