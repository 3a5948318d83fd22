"""The table of the search by depth: what has been found out about states, compiled by Numba; this module loads Numba.

A row has the words of a state, compared whole, and a word with what is known of it for one question: from the highest
bit on, the question's number + 1 (8 bits), within how many plies it is proved (16), within how many it failed (16),
and the best move (24).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from gdl.codegen.compiled_functions import compiled, part
from gdl.simulator.hashing import hash_row, hash_with, same_row

#: A number of plies that stands for any number.
ANY: Final = 0xFFFF

#: No move, in 24 bits.
NO_MOVE_KEPT: Final = 0xFFFFFF


@part
def proved_within(known: Any) -> Any:
    """The plies within which a state is proved, by the last word of its row: ANY if it is not."""
    return np.int64((known >> np.uint64(40)) & np.uint64(0xFFFF))


@part
def failed_within(known: Any) -> Any:
    """The plies within which a state failed, by the last word of its row: 0 if it did not, ANY for all numbers."""
    return np.int64((known >> np.uint64(24)) & np.uint64(0xFFFF))


@part
def best_move(known: Any) -> Any:
    """The best move of a state, by the last word of its row, or NO_MOVE_KEPT."""
    return np.int64(known & np.uint64(0xFFFFFF))


@part
def _bucket(table: Any, states: Any, row: Any, question: Any) -> Any:
    """The first of the two rows of the table in which a row of states may be kept."""
    hashed = hash_with(hash_row(states, row, table.shape[1] - 1), question)
    return np.int64(hashed & np.uint64(len(table) - 2))


@part
def _find(table: Any, bucket: Any, states: Any, row: Any, question: Any) -> Any:
    words = table.shape[1] - 1
    for place in range(bucket, bucket + 2):
        same_question = np.int64(table[place, words] >> np.uint64(56)) == question + 1
        if same_question and same_row(table, place, states, row, words):
            return place
    return -1


@part
def find(table: Any, states: Any, row: Any, question: Any) -> Any:
    """The row of the table in which a row of states is kept, -1 if it is not."""
    return _find(table, _bucket(table, states, row, question), states, row, question)


@part
def keep(table: Any, states: Any, row: Any, question: Any, proved: Any, failed: Any, best: Any) -> None:
    """Keep that a state is proved within so many plies (ANY if it is not), or failed within so many (0 if not)."""
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
        # The first of the two is for what took most plies to find out, the second for what is newest.
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
    table[place, words] = known | np.uint64(failed) << np.uint64(24) | np.uint64(best)


@compiled("void(uint64[:,::1], uint64[:,::1])")
def refill(table: Any, old: Any) -> None:
    """Keep in a table that is empty what was kept in a smaller one."""
    words = table.shape[1] - 1
    for row in range(len(old)):
        known = old[row, words]
        if known:
            bucket = _bucket(table, old, row, np.int64(known >> np.uint64(56)) - 1)
            if table[bucket, words]:
                bucket += 1
            for word in range(words + 1):
                table[bucket, word] = old[row, word]
