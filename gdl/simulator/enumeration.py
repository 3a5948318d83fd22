"""Loops over the legal moves and goals of many states, compiled by Numba; this module loads Numba."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl.codegen.array_types import F64_2, I16_1, I16_2, I32_2, I64_1, I64_2, U64_1_READ, U64_2_READ, Int
from gdl.codegen.compiled_functions import compiled, part
from gdl.simulator.bits import bit_position, count_ones, lowest_one

#: The most joint moves of a state that are listed.
_MOST: Final = 2**40

#: Neither a goal value nor -1, which stands for several of them.
_NOTHING: Final = -(2**15)


def joint_moves(
    looked: NDArray[np.uint64], legal_words: Sequence[int], move_words: Sequence[int], first_moves: Sequence[int]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the joint moves in states that are not terminal: numbers of states (m,), and moves (m, roles).

    Raises ValueError for a state with more than 2^40 joint moves.
    """
    looked = np.ascontiguousarray(looked)
    places = np.array([legal_words, move_words, first_moves], np.int64)
    counts = _joint_counts(looked, places)
    if len(counts) and counts.min() < 0:
        raise ValueError(f"state {counts.argmin()} has more than 2^40 joint moves")
    parents = np.repeat(np.arange(len(looked)), counts)
    moves = np.empty((len(parents), len(first_moves)), np.int32)
    _fill_joint_moves(looked, places, counts, moves)
    return parents, moves


def drawn_moves(
    looked: NDArray[np.uint64],
    legal_words: Sequence[int],
    move_words: Sequence[int],
    first_moves: Sequence[int],
    draws: NDArray[np.float64],
) -> NDArray[np.int32]:
    """Return a legal move of each role in each state: (n, roles); -1 where a role has none.

    `draws` (n, roles) are from 0 to less than 1: the shares of the legal moves that come before the one to choose.
    """
    moves = np.empty(draws.shape, np.int32)
    _fill_drawn_moves(
        np.ascontiguousarray(looked), np.array([legal_words, move_words, first_moves], np.int64), draws, moves
    )
    return moves


def goal_values(
    goals: NDArray[np.uint64], roles: NDArray[np.int64], values: NDArray[np.int16], count: int
) -> NDArray[np.int16]:
    """Return the goal value of each role (n, count), given words of goals: -1 unless there is exactly one."""
    found = np.empty((len(goals), count), np.int16)
    _fill_values(np.ascontiguousarray(goals), roles, values, found)
    return found


@part
def _legal(looked: U64_1_READ, places: I64_2, role: Int) -> Any:
    """Return the number of a role's legal moves."""
    count = np.int64(0)
    for word in range(places[0, role], places[0, role] + places[1, role]):
        count += np.int64(count_ones(looked[word]))
    return count


@compiled(allocates=True)
def _joint_counts(looked: U64_2_READ, places: I64_2) -> I64_1:
    counts = np.zeros(len(looked), np.int64)
    for i in range(len(looked)):
        if looked[i, 0] & np.uint64(1):
            continue
        product = 1
        for role in range(places.shape[1]):
            own = _legal(looked[i], places, role)
            if own > 0 and product > _MOST // own:
                product = -1
                break
            product *= own
        counts[i] = product
    return counts


@compiled
def _fill_joint_moves(looked: U64_2_READ, places: I64_2, counts: I64_1, moves: I32_2) -> None:
    start = 0
    for i in range(len(looked)):
        total = counts[i]
        if total == 0:
            continue
        # Each move of a role is repeated for each joint move of the roles after it, and the whole sequence for each
        # joint move of the roles before it.
        repeat = total
        for role in range(places.shape[1]):
            own = _legal(looked[i], places, role)
            repeat //= own
            place = 0
            for word in range(places[1, role]):
                bits = looked[i, places[0, role] + word]
                while bits:
                    move = places[2, role] + 64 * word + np.int64(lowest_one(bits))
                    at = start + place * repeat
                    while at < start + total:
                        for k in range(at, at + repeat):
                            moves[k, role] = move
                        at += own * repeat
                    place += 1
                    bits &= bits - np.uint64(1)
        start += total


@compiled
def _fill_drawn_moves(looked: U64_2_READ, places: I64_2, draws: F64_2, moves: I32_2) -> None:
    for i in range(len(looked)):
        for role in range(places.shape[1]):
            rank = np.int64(draws[i, role] * _legal(looked[i], places, role))
            moves[i, role] = -1
            for word in range(places[1, role]):
                bits = looked[i, places[0, role] + word]
                ones = np.int64(count_ones(bits))
                if rank < ones:
                    moves[i, role] = places[2, role] + 64 * word + bit_position(bits, int(rank), 32)
                    break
                rank -= ones


@compiled
def _fill_values(goals: U64_2_READ, roles: I64_1, values: I16_1, found: I16_2) -> None:
    for i in range(len(goals)):
        for role in range(found.shape[1]):
            found[i, role] = _NOTHING
        for place in range(len(roles)):
            if goals[i, place >> 6] >> np.uint64(place & 63) & np.uint64(1):
                role = roles[place]
                found[i, role] = values[place] if found[i, role] == _NOTHING else -1
        for role in range(found.shape[1]):
            if found[i, role] == _NOTHING:
                found[i, role] = -1
