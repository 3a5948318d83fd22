"""The transposition table, compiled as a part of the search. This module loads Numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdl.codegen.compiled_functions import part
from ggp.players.alphabeta.search_memory import BUCKET, ENDLESS, EXACT
from ggp.players.alphabeta.values import WON


@part
def known_value(data: Any) -> Any:
    """Return the value in an entry's data."""
    return (data & 0xFFFF) - 32768


@part
def known_depth(data: Any) -> Any:
    """Return the depth in an entry's data."""
    return (data >> 16) & 255


@part
def known_kind(data: Any) -> Any:
    """Return the kind of value in an entry's data: `AT_LEAST`, `AT_MOST` or `EXACT`."""
    return (data >> 24) & 3


@part
def known_move(data: Any) -> Any:
    """Return the best move in an entry's data, -1 for none."""
    return (data >> 32) - 1


@part
def find(table: Any, key: Any) -> Any:
    """Return the index of a state's entry in the table, -1 if there is none."""
    place = np.int64(key & np.uint64(len(table) // BUCKET - 1)) * BUCKET
    for entry in range(place, place + BUCKET):
        if table[entry, 0] == key:
            return entry
    return -1


@part
def keep(table: Any, key: Any, generation: Any, value: Any, depth: Any, kind: Any, best: Any) -> None:
    """Store the result of a node; `value` counts the plies to an end from the node.

    It replaces the entry of the same state, or else the shallowest and oldest entry of the bucket. A proved result for
    the same state is not replaced by an unproved one.
    """
    place = np.int64(key & np.uint64(len(table) // BUCKET - 1)) * BUCKET
    chosen: Any = place
    least: Any = 1 << 20
    for entry in range(place, place + BUCKET):
        data: Any = np.int64(table[entry, 1])
        if table[entry, 0] == key:
            won = abs(known_value(data)) >= WON and known_kind(data) == EXACT
            if (known_depth(data) == ENDLESS and depth != ENDLESS) or (won and abs(value) < WON):
                return
            chosen = entry
            if best < 0:
                best = known_move(data)
            break
        worth = known_depth(data) - 8 * ((generation - (data >> 26)) & 63)
        if worth < least:
            chosen, least = entry, worth
    data = (value + 32768) | (depth << 16) | (kind << 24) | (generation << 26) | ((best + 1) << 32)
    table[chosen, 0] = key
    table[chosen, 1] = np.uint64(data)
