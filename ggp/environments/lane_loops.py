"""Loops over the lanes of an environment, compiled by Numba; this module loads Numba.

Arrays have one row for each lane. `role` has the number of the role that is asked in a lane, or one of the constants
below. `places` (4, roles) has, for each role, its first word in `looked`, its number of words, the number of
its first move over all roles, and half of the power of two that is at least its number of moves.
`pending` (lanes, roles) has the moves that are chosen or the only legal ones, numbered over all roles, else -1.
`random` has one generator for each lane (splitmix64: Steele, Lea, Flood, 2014).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import types

from gdl.codegen.compiled_functions import F32_2, I32_1, I32_2, I64_1, I64_2, U64_1, U64_2_READ, compiled, part
from gdl.simulator.bits import bit_position, count_ones, lowest_one, store_bytes

#: Nobody is left to be asked, so the state advances.
READY: Final = -1
#: The game is over.
TERMINAL: Final = -2
#: The match is cut off after the largest number of plies.
TRUNCATED: Final = -3
#: A role has no legal move, although the game is not over.
STUCK: Final = -4
#: A new match begins.
BEGINS: Final = -5
#: The match is over since an agent chose an illegal move: this number, less the agent's role.
OFFENCE: Final = -6

_I8_1: Final = types.Array(types.int8, 1, "C")
_I16_1: Final = types.Array(types.int16, 1, "C")
_U8_2: Final = types.Array(types.uint8, 2, "C")
_BOOL_1: Final = types.Array(types.boolean, 1, "C")

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2: Final = np.uint64(0x94D049BB133111EB)


@part
def _below(random: Any, lane: Any, count: Any) -> Any:
    """Return a random number below a count of less than 2^32; the bias is below count / 2^32."""
    random[lane] += _GOLDEN
    z = random[lane]
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    z = z ^ (z >> np.uint64(31))
    return np.int64(((z >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))


@part
def _random_move(looked: Any, lane: Any, places: Any, role: Any, random: Any) -> Any:
    """Return the position of a random legal move in a role's list, -1 if there is none."""
    count = np.int64(0)
    for word in range(places[0, role], places[0, role] + places[1, role]):
        count += np.int64(count_ones(looked[lane, word]))
    rank = _below(random, lane, count)
    for word in range(places[1, role]):
        bits = looked[lane, places[0, role] + word]
        here = np.int64(count_ones(bits))
        if rank < here:
            return 64 * word + bit_position(bits, rank, places[3, role])
        rank -= here
    return np.int64(-1)


@part
def _only_move(looked: Any, lane: Any, places: Any, role: Any) -> Any:
    """Return the only legal move of a role, numbered over all roles, or -1 if there are none or several."""
    several = False
    found: Any = np.int64(-1)
    for word in range(places[1, role]):
        bits = looked[lane, places[0, role] + word]
        several |= ((bits & (bits - np.uint64(1))) != 0) | ((bits != 0) & (found >= 0))
        found = places[2, role] + 64 * word + np.int64(lowest_one(bits)) if bits else found
    return np.int64(-1) if several else found


@part
def _own_move(looked: Any, lane: Any, places: Any, role: Any, moves_of: Any, action: Any) -> Any:
    """Return the position of an action in a role's list of moves, -1 if it is not legal."""
    move = np.int64(moves_of[role, action]) if 0 <= action < moves_of.shape[1] else np.int64(-1)
    if move >= 0 and looked[lane, places[0, role] + (move >> 6)] >> np.uint64(move & 63) & np.uint64(1):
        return move
    return np.int64(-1)


@part
def _ask(looked: Any, lane: Any, places: Any, asked: Any, pending: Any, random: Any) -> Any:
    """Return the first role that is asked and has not chosen.

    If there is none, choose random legal moves for all other roles that have not chosen, and return READY, or STUCK if
    one of them has no legal move.
    """
    # Who is next differs from lane to lane, so jumps that depend on it would be mispredicted: there is none.
    found: Any = np.int64(READY)
    chances = False
    for other in range(len(asked)):
        role = len(asked) - 1 - other
        missing = pending[lane, role] < 0
        chances |= missing
        found = role if missing & asked[role] else found
    if chances and found == READY:
        for role in range(len(asked)):
            if pending[lane, role] < 0:
                move = _random_move(looked, lane, places, role, random)
                if move < 0:
                    return np.int64(STUCK)
                pending[lane, role] = places[2, role] + move
    return found


@compiled(types.boolean(_I8_1, U64_2_READ, I64_2, _BOOL_1, _BOOL_1, I32_1, types.int64, I32_2, U64_1, types.int64))
def survey(
    role: Any,
    looked: Any,
    places: Any,
    asked: Any,
    always: Any,
    plies: Any,
    max_plies: Any,
    pending: Any,
    random: Any,
    code: Any,
) -> Any:
    """Count a ply, and find out who is asked, in the lanes whose role is `code`, of whose new states `looked` tells.

    Roles with one legal move are not asked, unless they are marked in `always`. Returns True if no lane is STUCK.
    """
    fine = True
    for lane in range(len(role)):
        if role[lane] != code:
            continue
        plies[lane] += 1
        for other in range(len(asked)):
            pending[lane, other] = -1 if always[other] & asked[other] else _only_move(looked, lane, places, other)
        if looked[lane, 0] & np.uint64(1):
            role[lane] = TERMINAL
        elif plies[lane] >= max_plies:
            role[lane] = TRUNCATED
        else:
            role[lane] = _ask(looked, lane, places, asked, pending, random)
            fine &= role[lane] != STUCK
    return fine


@compiled(types.int64(I64_1, I32_1, _I8_1, U64_2_READ, I64_2, I32_2))
def first_illegal(lanes: Any, actions: Any, role: Any, looked: Any, places: Any, moves_of: Any) -> Any:
    """Return the first index into `lanes`, for which `actions` are given, of an illegal one; -1 if there is none."""
    for i in range(len(lanes)):
        who = role[lanes[i]]
        if who >= 0 and _own_move(looked, lanes[i], places, who, moves_of, np.int64(actions[i])) < 0:
            return i
    return -1


@compiled(types.int64(I64_1, I32_1, _I8_1, U64_2_READ, I64_2, I32_2, _BOOL_1, I32_2, types.int64, U64_1, _BOOL_1))
def take(
    lanes: Any,
    actions: Any,
    role: Any,
    looked: Any,
    places: Any,
    moves_of: Any,
    asked: Any,
    pending: Any,
    replaced: Any,
    random: Any,
    illegal: Any,
) -> Any:
    """Note the actions of the roles that are asked in some lanes, and ask the next ones.

    Lanes in which nobody is asked are left alone. An illegal action is marked in `illegal`, and is replaced by a random
    one if `replaced` is not 0; otherwise, its lane's role becomes `OFFENCE - role`. Returns the number of illegal
    actions, plus 2^32 if a lane is STUCK.
    """
    wrong = np.int64(0)
    stuck = np.int64(0)
    for i in range(len(lanes)):
        lane = lanes[i]
        who = np.int64(role[lane])
        illegal[lane] = False
        if who < 0:
            continue
        move = _own_move(looked, lane, places, who, moves_of, np.int64(actions[i]))
        if move < 0:
            illegal[lane] = True
            wrong += 1
            if not replaced:
                role[lane] = OFFENCE - who
                continue
            move = _random_move(looked, lane, places, who, random)
        pending[lane, who] = places[2, who] + move
        role[lane] = _ask(looked, lane, places, asked, pending, random)
        if role[lane] == STUCK:
            stuck = np.int64(1) << 32
    return wrong + stuck


@compiled(types.void(_I8_1, U64_2_READ, I64_2, I32_2, U64_1, I32_1))
def sample(role: Any, looked: Any, places: Any, actions_of: Any, random: Any, out: Any) -> None:
    """Write a random legal action of the role that is asked in each lane; 0 where nobody is."""
    for lane in range(len(out)):
        who = role[lane]
        out[lane] = actions_of[who, _random_move(looked, lane, places, who, random)] if who >= 0 else 0


@compiled(types.void(_I8_1, U64_2_READ, I64_2, I32_2, _BOOL_1, _U8_2, types.int64))
def write_masks(role: Any, looked: Any, places: Any, actions_of: Any, same: Any, out: Any, address: Any) -> None:
    """Write the legal actions of the role that is asked in each lane as bytes, 0 or 1; zeros where nobody is.

    `same` tells for each role if its moves are all actions, in the same order. `address` is that of `out`.
    """
    width = out.shape[1]
    for lane in range(len(out)):
        who = role[lane]
        if who >= 0 and same[who]:
            for word in range(places[1, who]):
                bits = looked[lane, places[0, who] + word]
                at = lane * width + 64 * word
                if at + 64 <= out.size:
                    store_bytes(bits, address + at)
                else:
                    for j in range(64 * word, min(64 * word + 64, width)):
                        out[lane, j] = bits >> np.uint64(j & 63) & np.uint64(1)
            continue
        for j in range(width):
            out[lane, j] = 0
        if who < 0:
            continue
        for word in range(places[1, who]):
            bits = looked[lane, places[0, who] + word]
            while bits:
                out[lane, actions_of[who, 64 * word + np.int64(lowest_one(bits))]] = 1
                bits &= bits - np.uint64(1)


@compiled(types.int64(I64_1, U64_2_READ, types.int64, _I16_1, _I16_1, I64_1, types.float32, types.float32, F32_2))
def write_rewards(
    lanes: Any,
    looked: Any,
    goals_word: Any,
    roles: Any,
    values: Any,
    column: Any,
    middle: Any,
    reach: Any,
    out: Any,
) -> Any:
    """Write the rewards of agents at the end of some lanes: `column` has the column of each role, or -1.

    `roles` and `values` describe the goals. Returns the number of the first lane in which an agent has not exactly one
    goal value, a whole number; -1 if there is none.
    """
    for lane in lanes:
        for agent in range(out.shape[1]):
            out[lane, agent] = np.nan
        for goal in range(len(roles)):
            if looked[lane, goals_word + (goal >> 6)] >> np.uint64(goal & 63) & np.uint64(1):
                agent = column[roles[goal]]
                if agent < 0:
                    continue
                if values[goal] < 0 or not np.isnan(out[lane, agent]):
                    return lane
                out[lane, agent] = (np.float32(values[goal]) - middle) / reach
        for agent in range(out.shape[1]):
            if np.isnan(out[lane, agent]):
                return lane
    return -1
