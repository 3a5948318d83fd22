"""Loops over packed states, their legal moves and goals. Compiled by Numba, which this module loads."""

from __future__ import annotations

import numpy as np

from gdl.codegen.array_types import B_1, F32_1, F32_2, I32_1, I64_1, I64_2, U64_2, U64_2_READ
from gdl.codegen.compiled_functions import compiled
from gdl.simulator.bits import count_ones, lowest_one


@compiled(allocates=True)
def legal_moves(looked: U64_2_READ, places: I64_2) -> tuple[I64_1, I32_1]:
    """Return the legal moves of states, role by role: offsets (states * roles + 1), and moves.

    `places` has, for each role, the first word of its legal moves, the number of words, and the number of its first
    move: (3, roles).
    """
    roles = places.shape[1]
    offsets = np.empty(len(looked) * roles + 1, np.int64)
    offsets[0] = 0
    total = np.int64(0)
    for i in range(len(looked)):
        over = looked[i, 0] & np.uint64(1)
        for role in range(roles):
            if not over:
                for word in range(places[0, role], places[0, role] + places[1, role]):
                    total += np.int64(count_ones(looked[i, word]))
            offsets[i * roles + role + 1] = total
    moves = np.empty(total, np.int32)
    at = 0
    for i in range(len(looked)):
        if looked[i, 0] & np.uint64(1):
            continue
        for role in range(roles):
            for word in range(places[1, role]):
                bits = looked[i, places[0, role] + word]
                while bits:
                    moves[at] = places[2, role] + 64 * word + np.int64(lowest_one(bits))
                    at += 1
                    bits &= bits - np.uint64(1)
    return offsets, moves


@compiled
def repeat_rows(rows: U64_2_READ, count: int, found: U64_2) -> None:
    """Fill `found` with each row `count` times. NumPy takes longer, and keeps other threads waiting."""
    for i in range(len(rows)):
        for k in range(i * count, (i + 1) * count):
            for word in range(rows.shape[1]):
                found[k, word] = rows[i, word]


@compiled
def put_rows(rows: F32_2, flags: B_1, target: F32_2) -> None:
    """Put rows where a flag is set, one after another."""
    at = 0
    for i in range(len(flags)):
        if flags[i]:
            for k in range(rows.shape[1]):
                target[i, k] = rows[at, k]
            at += 1


@compiled(allocates=True)
def mean_goals(
    words: U64_2_READ, count: int, owners: I64_1, values: F32_1, roles: int, unknown: np.float32, cut: np.float32
) -> F32_2:
    """Return the mean goals (n, roles) over each run of `count` rows of goal bits.

    A role without exactly one goal in a row gets `unknown` there. If the bit after the goals is set in a row, the
    differences of its goals from `unknown` are multiplied by `cut`.
    """
    found = np.zeros((len(words) // count, roles), np.float32)
    own = np.empty(roles, np.float32)
    for i in range(len(found)):
        for k in range(i * count, (i + 1) * count):
            own[:] = -2
            share = np.float32(1)
            for word in range(words.shape[1]):
                bits = words[k, word]
                while bits:
                    goal = 64 * word + np.int64(lowest_one(bits))
                    bits &= bits - np.uint64(1)
                    if goal == len(owners):
                        share = cut
                        break
                    role = owners[goal]
                    own[role] = values[goal] if own[role] == -2 else np.float32(-1)
            for role in range(roles):
                value = own[role] if own[role] >= 0 else unknown
                found[i, role] += unknown + share * (value - unknown)
        for role in range(roles):
            found[i, role] /= count
    return found
