"""Matches in lanes as arrays, and loops over these, compiled by Numba: moves, states, roles, masks and outcomes.

A block has 512 lanes. The words of a block's lanes lie next to each other, so that loops over lanes are vectorized.
Each loop over a block's lanes does one thing to all of them, without jumps (hence `select`). Results are kept in memory
for one block from loop to loop. This module loads Numba.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from gdl.codegen.array_types import (
    B_1,
    B_2,
    F32_1,
    F32_2,
    I8_1,
    I8_2,
    I32_1,
    I32_2,
    I32_3,
    I64_1,
    U8_2,
    U64_1,
    U64_2,
    U64_2_READ,
    Int,
)
from gdl.codegen.compiled_functions import compiled, part
from gdl.codegen.llvm.playout_loop import LANES
from gdl.simulator.bits import count_ones, lowest_one, select, store_bytes, store_rows
from gdl.simulator.kernel_calls import move_columns
from ggp.environments.lane_columns import Goals, Judged, LaneColumns, Places, Roles, Scratch

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

#: The most roles: their numbers, and `OFFENCE` less these, have 8 bits.
MOST_ROLES: Final = 128 + OFFENCE + 1


# Random numbers are those of splitmix64 (Steele, Lea, Flood, 2014), with one generator for each lane.
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2: Final = np.uint64(0x94D049BB133111EB)

_ONE: Final = np.uint64(1)
_SMALL: Final = np.uint64(2**16 - 1)


@part
def _position(word: np.uint64, rank: Int, halves: Any) -> Any:
    """Return the position of the one in a word that has `rank` ones below it; all are below twice the first half."""
    place = np.int64(0)
    for half in halves:
        width = np.uint64(half)
        low = np.int64(count_ones(word & ((_ONE << width) - _ONE)))
        above = rank >= low
        rank = select(above, rank - low, rank)
        place = select(above, place + half, place)
        word = select(above, word >> width, word)
    return place


@part
def _draw(
    words: U64_2,
    first: Int,
    count: Int,
    shift: np.uint64,
    mask: np.uint64,
    needed: B_1,
    random: U64_1,
    scratch: Scratch,
) -> None:
    """Write the position of a random one among some bits of each lane to `scratch.numbers[0]`, -1 if there is none.

    Only the generators of lanes that are needed advance. The bias of a choice among n is below n / 2^32.
    """
    found, rank, places, chosen = scratch.numbers[0], scratch.numbers[1], scratch.numbers[2], scratch.words[0]
    for p in range(LANES):
        found[p] = 0
    for k in range(count):
        bits = words[first + k]
        for p in range(LANES):
            found[p] += np.int64(count_ones((bits[p] >> shift) & mask))
    for p in range(LANES):
        z = random[p] + _GOLDEN
        random[p] = select(needed[p], z, random[p])
        z = (z ^ (z >> np.uint64(30))) * _MIX_1
        z = (z ^ (z >> np.uint64(27))) * _MIX_2
        z = z ^ (z >> np.uint64(31))
        rank[p] = np.int64(((z >> np.uint64(32)) * np.uint64(found[p])) >> np.uint64(32))
        chosen[p] = np.uint64(0)
        places[p] = -1
    # The word with the one, and the number of ones below it there, which has another sign once it is found.
    for k in range(count):
        bits = words[first + k]
        for p in range(LANES):
            word = (bits[p] >> shift) & mask
            here = np.int64(count_ones(word))
            inside = (places[p] < 0) & (rank[p] < here)
            chosen[p] = select(inside, word, chosen[p])
            places[p] = select(inside, 64 * k, places[p])
            rank[p] = select(inside | (places[p] >= 0), rank[p], rank[p] - here)
    if count == 1 and mask <= _SMALL:
        for p in range(LANES):
            place = _position(chosen[p], rank[p], (8, 4, 2, 1))
            found[p] = select(places[p] >= 0, place, -1)
    else:
        for p in range(LANES):
            place = places[p] + _position(chosen[p], rank[p], (32, 16, 8, 4, 2, 1))
            found[p] = select(places[p] >= 0, place, -1)


@part
def draw_own(columns: LaneColumns, block: Int, places: Places, needed: B_1, scratch: Scratch) -> None:
    """Write the position of a random legal move of the role that is asked, -1 if nobody is, to `scratch.numbers[0]`."""
    mask = np.uint64(0)
    for number in range(len(places.masks)):
        mask |= places.masks[number]
    own = columns.own[block]
    _draw(own, 0, len(own), np.uint64(0), mask, needed, columns.random[block], scratch)


@part
def _only_moves(columns: LaneColumns, block: Int, places: Places, role: Int, kept: bool, scratch: Scratch) -> None:
    """Note the only legal move of a role, -1 if there are none or several, or if `kept`, in the lanes of `flags[0]`."""
    found, several, fresh = scratch.numbers[0], scratch.flags[1], scratch.flags[0]
    shift, mask = places.shifts[role], places.masks[role]
    for p in range(LANES):
        found[p] = -1
        several[p] = kept
    for k in range(places.counts[role]):
        bits = columns.looked[block, places.words[role] + k]
        first = places.firsts[role] + 64 * k
        for p in range(LANES):
            word = (bits[p] >> shift) & mask
            several[p] |= ((word & (word - _ONE)) != 0) | ((word != 0) & (found[p] >= 0))
            found[p] = select(word != 0, first + np.int64(lowest_one(word)), found[p])
    pending = columns.pending[block, role]
    for p in range(LANES):
        only = select(several[p], np.int32(-1), np.int32(found[p]))
        pending[p] = select(fresh[p], only, pending[p])


@part
def _ask(columns: LaneColumns, block: Int, places: Places, asked: B_1, scratch: Scratch) -> Any:
    """Find the first role that is asked and has not chosen, in the lanes of `flags[0]`.

    If there is none, choose random legal moves for all other roles that have not chosen: the lane is READY, or STUCK if
    one of them has no legal move. Returns True if no lane is STUCK.
    """
    fresh, chances, needed = scratch.flags[0], scratch.flags[1], scratch.flags[2]
    role = columns.role[block]
    for p in range(LANES):
        role[p] = select(fresh[p], np.int8(READY), role[p])
        chances[p] = False
    some = False
    for other in range(len(asked)):
        number = len(asked) - 1 - other
        pending = columns.pending[block, number]
        if asked[number]:
            for p in range(LANES):
                role[p] = select(fresh[p] & (pending[p] < 0), np.int8(number), role[p])
        else:
            some = True
            for p in range(LANES):
                chances[p] |= pending[p] < 0
    if not some:
        return True
    some = False
    for p in range(LANES):
        chances[p] &= fresh[p] & (role[p] == READY)
        some |= chances[p]
    fine = True
    if some:
        for number in range(len(asked)):
            if asked[number]:
                continue
            pending = columns.pending[block, number]
            for p in range(LANES):
                needed[p] = chances[p] & (pending[p] < 0)
            shift, mask = places.shifts[number], places.masks[number]
            first, count = places.words[number], places.counts[number]
            _draw(columns.looked[block], first, count, shift, mask, needed, columns.random[block], scratch)
            found, offset = scratch.numbers[0], places.firsts[number]
            for p in range(LANES):
                pending[p] = select(needed[p] & (found[p] >= 0), np.int32(offset + found[p]), pending[p])
                stuck = needed[p] & (found[p] < 0)
                role[p] = select(stuck, np.int8(STUCK), role[p])
                fine &= not stuck
    return fine


@part
def _note_own(columns: LaneColumns, block: Int, places: Places) -> None:
    """Note the legal moves of the roles that are asked."""
    role, own = columns.role[block], columns.own[block]
    for k in range(len(own)):
        words = own[k]
        for p in range(LANES):
            words[p] = np.uint64(0)
        for number in range(len(places.words)):
            if k >= places.counts[number]:
                continue
            bits, shift, mask = (
                columns.looked[block, places.words[number] + k],
                places.shifts[number],
                places.masks[number],
            )
            for p in range(LANES):
                words[p] = select(role[p] == number, (bits[p] >> shift) & mask, words[p])


@part
def _survey(columns: LaneColumns, block: Int, places: Places, roles: Roles, advanced: bool, scratch: Scratch) -> Any:
    """Count a ply, and find out who is asked, in the lanes where a match begins, and, if they `advanced`, READY ones.

    Roles with one legal move are not asked, unless they are marked in `always`. Returns True if no lane is STUCK.
    """
    fresh = scratch.flags[0]
    role, plies = columns.role[block], columns.plies[block]
    for p in range(LANES):
        fresh[p] = (role[p] == BEGINS) | (advanced & (role[p] == READY))
    for number in range(len(roles.asked)):
        kept = roles.always[number] & roles.asked[number]
        _only_moves(columns, block, places, number, kept, scratch)
    ends, most = columns.looked[block, 0], np.int32(roles.max_plies)
    for p in range(LANES):
        plies[p] += np.int32(fresh[p])
        code = select(plies[p] >= most, np.int8(TRUNCATED), role[p])
        code = select((ends[p] & _ONE) != 0, np.int8(TERMINAL), code)
        role[p] = select(fresh[p], code, role[p])
        fresh[p] &= (code != TERMINAL) & (code != TRUNCATED)
    fine = _ask(columns, block, places, roles.asked, scratch)
    _note_own(columns, block, places)
    return fine


@part
def _take(
    only: Int,
    columns: LaneColumns,
    block: Int,
    places: Places,
    asked: B_1,
    judged: Judged,
    replaced: bool,
    scratch: Scratch,
) -> Any:
    """Note the moves of the role `only`, or, if that is negative, of all that are asked; ask the next roles.

    An illegal move is `replaced` by a random one, or the lane's role becomes `OFFENCE - role`. Returns True if no lane
    is STUCK.
    """
    taken = scratch.flags[0]
    role, found, bad = columns.role[block], judged.moves[block], judged.illegal[block]
    some, wrong = False, False
    for p in range(LANES):
        taken[p] = select(only >= 0, role[p] == only, role[p] >= 0)
        some |= taken[p]
        wrong |= bad[p]
    if not some:
        return True
    if wrong and replaced:
        draw_own(columns, block, places, bad, scratch)
        drawn = scratch.numbers[0]
        for p in range(LANES):
            found[p] = select(bad[p], np.int32(drawn[p]), found[p])
    elif wrong:
        for p in range(LANES):
            taken[p] &= not bad[p]
            role[p] = select(bad[p], np.int8(OFFENCE - role[p]), role[p])
    for number in range(len(asked)):
        if asked[number]:
            pending, first = columns.pending[block, number], places.firsts[number]
            for p in range(LANES):
                pending[p] = select(taken[p] & (role[p] == number), np.int32(first + found[p]), pending[p])
    return _ask(columns, block, places, asked, scratch)


@part
def _begin(columns: LaneColumns, block: Int, begins: B_1, state: U64_1, looked: U64_1) -> Any:
    """Begin matches in the lanes that are marked; return True if there are any."""
    some = False
    for p in range(LANES):
        some |= begins[p]
    if some:
        role, plies = columns.role[block], columns.plies[block]
        for k in range(len(state)):
            words, word = columns.states[block, k], state[k]
            for p in range(LANES):
                words[p] = select(begins[p], word, words[p])
        for k in range(len(looked)):
            words, word = columns.looked[block, k], looked[k]
            for p in range(LANES):
                words[p] = select(begins[p], word, words[p])
        for p in range(LANES):
            plies[p] = select(begins[p], np.int32(-1), plies[p])  # as the initial state counts as one that is reached
            role[p] = select(begins[p], np.int8(BEGINS), role[p])
    return some


@part
def _keep(columns: LaneColumns, block: Int, last: I32_3) -> None:
    """Keep the moves that are done now."""
    role = columns.role[block]
    for number in range(columns.pending.shape[1]):
        pending, kept = columns.pending[block, number], last[block, number]
        for p in range(LANES):
            kept[p] = select(role[p] == READY, pending[p], kept[p])


@compiled
def go_on(
    only: int,
    columns: LaneColumns,
    places: Places,
    roles: Roles,
    judged: Judged,
    replaced: bool,
    begins: B_2,
    state: U64_1,
    looked: U64_1,
    last: I32_3,
    native: I64_1,
    scratch: Scratch,
) -> int:
    """Do one step in all lanes; return the number of lanes that are READY again, or -1 if one is STUCK.

    First, moves that are `judged` are taken, of the role `only`, of all that are asked if it is -1, or of none if it is
    -2. Then matches begin where `begins` (blocks, 512) says so, in an initial `state` (state_words,), of which `looked`
    (look_words,) tells, or, if both are empty, in the states that are in the columns already. Then lanes that are READY
    advance, by the machine code that `native` describes. `last` (blocks, roles, 512) receives the moves that are done,
    unless it has no blocks.
    """
    ready, fine = np.int64(0), True
    still = scratch.flags[3]
    for block in range(len(columns.role)):
        role = columns.role[block]
        if only > -2:
            fine &= _take(only, columns, block, places, roles.asked, judged, replaced, scratch)
        begun = len(begins) > 0 and _begin(columns, block, begins[block], state, looked)
        some = False
        for p in range(LANES):
            still[p] = role[p] != READY
            some |= not still[p]
        if some:
            if len(last):
                _keep(columns, block, last)
            move_columns(
                native[0],
                columns.states[block].ctypes.data,
                columns.pending[block].ctypes.data,
                still.ctypes.data,
                columns.looked[block].ctypes.data,
                native[1],
                native[2],
                native[3],
                native[4],
                native[5],
            )
        if some or begun:
            fine &= _survey(columns, block, places, roles, some, scratch)
            for p in range(LANES):
                ready += role[p] == READY
        elif only > -2:
            _note_own(columns, block, places)
    return int(ready) if fine else -1


@compiled
def judge(
    actions: I32_1, only: int, columns: LaneColumns, moves_of: I32_2, same: bool, judged: Judged, scratch: Scratch
) -> int:
    """Translate the actions (lanes,) of the role `only`, or, if that is negative, of all that are asked.

    Returns the number of illegal ones. If the roles' moves are the `same` as the actions, `moves_of` is not read.
    """
    wrong = np.int64(0)
    legal = scratch.flags[0]
    for block in range(len(columns.role)):
        role, found, bad = columns.role[block], judged.moves[block], judged.illegal[block]
        first = block * LANES
        size = min(LANES, len(actions) - first)
        width = moves_of.shape[1]
        if same:
            for p in range(size):
                found[p] = actions[first + p]
        else:
            for p in range(size):
                action, who = actions[first + p], np.int64(role[p])
                found[p] = moves_of[who, action] if (who >= 0) & (action >= 0) & (action < width) else -1
        for p in range(LANES):
            legal[p] = False
        for k in range(columns.own.shape[1]):
            own = columns.own[block, k]
            for p in range(LANES):
                here = (found[p] >> 6) == k
                legal[p] |= here & (((own[p] >> np.uint64(found[p] & 63)) & _ONE) != 0)
        for p in range(LANES):
            bad[p] = select(only >= 0, role[p] == only, role[p] >= 0) & (not legal[p])
            wrong += bad[p]
    return int(wrong)


@compiled
def sample(columns: LaneColumns, places: Places, actions_of: I32_2, same: bool, out: I32_1, scratch: Scratch) -> None:
    """Write a random legal action of the role that is asked in each lane; 0 where nobody is."""
    needed, found = scratch.flags[0], scratch.numbers[0]
    for block in range(len(columns.role)):
        role = columns.role[block]
        for p in range(LANES):
            needed[p] = role[p] >= 0
        draw_own(columns, block, places, needed, scratch)
        first = block * LANES
        if same:
            for p in range(min(LANES, len(out) - first)):
                out[first + p] = np.int32(max(found[p], 0))
        else:
            for p in range(min(LANES, len(out) - first)):
                out[first + p] = actions_of[role[p], found[p]] if needed[p] & (found[p] >= 0) else 0


@compiled
def write_masks(columns: LaneColumns, actions_of: I32_2, same: bool, out: U8_2, address: int) -> None:
    """Write the legal actions of the role that is asked in each lane as bytes, 0 or 1; zeros where nobody is.

    `address` is that of `out`.
    """
    width = out.shape[1]
    for block in range(len(columns.role)):
        first = block * LANES
        size = min(LANES, len(out) - first)
        role, own = columns.role[block], columns.own[block]
        if same:
            here = out[first : first + size]
            for p in range(store_rows(own.T[:size], width, here, address + first * width), size):
                for j in range(width):
                    out[first + p, j] = own[j >> 6, p] >> np.uint64(j & 63) & _ONE
            continue
        for p in range(size):
            start = (first + p) * width
            if start + 64 * (-(-width // 64)) <= out.size:
                for k in range(-(-width // 64)):
                    store_bytes(np.uint64(0), address + start + 64 * k)
            else:
                for j in range(width):
                    out[first + p, j] = 0
            for k in range(len(own)):
                bits = own[k, p]
                while bits:
                    out[first + p, actions_of[role[p], 64 * k + np.int64(lowest_one(bits))]] = 1
                    bits &= bits - _ONE


@compiled
def exchange(lanes: I64_1, columns: LaneColumns, few: LaneColumns, back: bool) -> None:
    """Copy some lanes, which are READY, to the first ones of other columns, to advance there; or copy them `back`.

    The other lanes there become TERMINAL. What advancing computes anew is copied only on the way back.
    """
    here, there = (few, columns) if back else (columns, few)
    for i in range(len(lanes)):
        block, p, to, q = lanes[i] // LANES, lanes[i] % LANES, i // LANES, i % LANES
        if back:
            block, p, to, q = to, q, block, p
            for k in range(here.looked.shape[1]):
                there.looked[to, k, q] = here.looked[block, k, p]
            for k in range(here.own.shape[1]):
                there.own[to, k, q] = here.own[block, k, p]
        for k in range(here.states.shape[1]):
            there.states[to, k, q] = here.states[block, k, p]
        for k in range(here.pending.shape[1]):
            there.pending[to, k, q] = here.pending[block, k, p]
        there.role[to, q] = here.role[block, p]
        there.plies[to, q] = here.plies[block, p]
        there.random[to, q] = here.random[block, p]
    if not back:
        for i in range(len(lanes), few.role.size):
            few.role[i // LANES, i % LANES] = TERMINAL


@compiled
def write_states(columns: LaneColumns, out: U64_2) -> None:
    """Write the states of the first lanes to `out` (n, state_words)."""
    for block in range(len(columns.role)):
        first = block * LANES
        for p in range(min(LANES, len(out) - first)):
            for k in range(out.shape[1]):
                out[first + p, k] = columns.states[block, k, p]


#: Rows are copied to columns and back a few at a time, so that they stay in the first cache.
_FEW: Final = 64


@compiled
def read_rows(rows: U64_2_READ, columns: LaneColumns, places: Places) -> None:
    """Read matches from rows (n, words), as `write_rows` writes them; the lanes after them take part in nothing."""
    roles = columns.pending.shape[1]
    status = columns.states.shape[1] + ((roles + 1) >> 1)
    for block in range(len(columns.role)):
        first = block * LANES
        size = max(0, min(LANES, len(rows) - first))
        role, plies, random = columns.role[block], columns.plies[block], columns.random[block]
        for start in range(0, size, _FEW):
            end = min(start + _FEW, size)
            for k in range(columns.states.shape[1]):
                words = columns.states[block, k]
                for p in range(start, end):
                    words[p] = rows[first + p, k]
            for number in range(roles):
                pending, at = columns.pending[block, number], columns.states.shape[1] + (number >> 1)
                shift = np.uint64(32 * (number & 1))
                for p in range(start, end):
                    pending[p] = np.int32(np.uint32(rows[first + p, at] >> shift))
            for p in range(start, end):
                role[p] = np.int8(rows[first + p, status])
                plies[p] = np.int32(rows[first + p, status + 1])
                random[p] = rows[first + p, status + 2]
            for k in range(columns.looked.shape[1]):
                words = columns.looked[block, k]
                for p in range(start, end):
                    words[p] = rows[first + p, status + 3 + k]
        for p in range(size, LANES):
            role[p] = TERMINAL
        _note_own(columns, block, places)


@compiled
def write_rows(columns: LaneColumns, out: U64_2) -> None:
    """Write the first matches to rows (n, words): state, moves that are chosen, role, plies, generator, `looked`.

    The moves of two roles share a word; `role` and `plies` have one each.
    """
    roles = columns.pending.shape[1]
    status = columns.states.shape[1] + ((roles + 1) >> 1)
    for block in range(len(columns.role)):
        first = block * LANES
        size = max(0, min(LANES, len(out) - first))
        role, plies, random = columns.role[block], columns.plies[block], columns.random[block]
        for start in range(0, size, _FEW):
            end = min(start + _FEW, size)
            for k in range(columns.states.shape[1]):
                words = columns.states[block, k]
                for p in range(start, end):
                    out[first + p, k] = words[p]
            for number in range(roles):
                pending, at = columns.pending[block, number], columns.states.shape[1] + (number >> 1)
                for p in range(start, end):
                    word = np.uint64(np.uint32(pending[p]))
                    out[first + p, at] = out[first + p, at] | (word << np.uint64(32)) if number & 1 else word
            for p in range(start, end):
                out[first + p, status] = np.uint64(np.uint8(role[p]))
                out[first + p, status + 1] = np.uint64(plies[p])
                out[first + p, status + 2] = random[p]
            for k in range(columns.looked.shape[1]):
                words = columns.looked[block, k]
                for p in range(start, end):
                    out[first + p, status + 3 + k] = words[p]


@part
def _write_rewards(
    columns: LaneColumns, block: Int, p: Int, goals: Goals, middle: np.float32, reach: np.float32, rewards: F32_1
) -> Any:
    """Write the rewards of all agents (agents,) at the end of one match.

    Returns False if an agent has not exactly one goal value.
    """
    for agent in range(len(rewards)):
        rewards[agent] = np.nan
    for k in range(len(goals.masks)):
        bits = (columns.looked[block, goals.word + k, p] >> goals.shift) & goals.masks[k]
        while bits:
            goal = 64 * k + np.int64(lowest_one(bits))
            bits &= bits - _ONE
            agent, value = goals.agents[goal], goals.values[goal]
            if agent >= 0:
                if value < 0 or not np.isnan(rewards[agent]):
                    return False
                rewards[agent] = (np.float32(value) - middle) / reach
    missing = False
    for agent in range(len(rewards)):
        missing |= np.isnan(rewards[agent])
    return not missing


@compiled
def write_outcomes(
    columns: LaneColumns,
    before: I8_2,
    goals: Goals,
    agents: I64_1,
    middle: np.float32,
    reach: np.float32,
    rewards: F32_2,
    own: F32_1,
    terminated: B_1,
    truncated: B_1,
    scratch: Scratch,
) -> int:
    """Write the outcomes of a step, before which `columns.role` was `before` (blocks, 512).

    `rewards` (n, agents) are those of matches that have ended in the step, and `own` (n,) those of the agent
    `agents[i]` where role `i` was asked; both are left alone elsewhere. `terminated` and `truncated` (n,) tell which
    matches have ended in the step. Returns the number of the first lane that has ended in the step in which an agent
    has not exactly one goal value; -1 if there is none.
    """
    ended, over = scratch.flags[0], scratch.flags[1]
    for block in range(len(columns.role)):
        first = block * LANES
        size = min(LANES, len(own) - first)
        role, asked = columns.role[block], before[block]
        for p in range(LANES):
            over[p] = (role[p] < READY) & (asked[p] >= READY)
            ended[p] = over[p] & (role[p] != TRUNCATED) & (role[p] > OFFENCE)
        ends, cuts = terminated[first : first + size], truncated[first : first + size]
        for p in range(size):
            ends[p] = over[p] & (role[p] != TRUNCATED)
        for p in range(size):
            cuts[p] = over[p] & (role[p] == TRUNCATED)
        for p in range(size):
            if ended[p]:
                if not _write_rewards(columns, block, p, goals, middle, reach, rewards[first + p]):
                    return first + p
                own[first + p] = rewards[first + p, agents[asked[p]]]
    return -1


@compiled
def read_steps(
    rows: U64_2_READ,
    actions: I64_1,
    columns: LaneColumns,
    before: I8_2,
    places: Places,
    roles: Roles,
    moves_of: I32_2,
    same: bool,
    judged: Judged,
    chosen: I32_1,
    begins: B_2,
    nothing: U64_1,
    last: I32_3,
    native: I64_1,
    scratch: Scratch,
) -> int:
    """Read matches from rows (n, words), and do their actions (n,): `read_rows`, `judge` and `go_on` in one call.

    `before` (blocks, 512) receives the roles that were asked, and `chosen` (lanes,) the actions; `begins`, `nothing`
    and `last` are empty. Returns what `go_on` does, or -2, having done nothing, if an action is illegal.
    """
    read_rows(rows, columns, places)
    for block in range(len(before)):
        for p in range(LANES):
            before[block, p] = columns.role[block, p]
    for i in range(len(chosen)):
        action = actions[i] if i < len(actions) else 0
        chosen[i] = action if 0 <= action < 1 << 31 else -1
    if judge(chosen, -1, columns, moves_of, same, judged, scratch):
        return -2
    return go_on(-1, columns, places, roles, judged, False, begins, nothing, nothing, last, native, scratch)


@compiled
def write_steps(
    columns: LaneColumns,
    before: I8_2,
    actions_of: I32_2,
    same: bool,
    goals: Goals,
    agents: I64_1,
    middle: np.float32,
    reach: np.float32,
    rows: U64_2,
    mask: U8_2,
    address: int,
    rewards: F32_2,
    own: F32_1,
    terminated: B_1,
    truncated: B_1,
    role: I8_1,
    ended: B_1,
    scratch: Scratch,
) -> int:
    """Write the first matches after a step: `write_rows`, `write_masks` and `write_outcomes` in one call.

    `role` (n,) and `ended` (n,) are those of `States.step`. The others are as in `write_outcomes`.
    """
    write_rows(columns, rows)
    write_masks(columns, actions_of, same, mask, address)
    for i in range(len(role)):
        now = columns.role[i // LANES, i % LANES]
        role[i] = max(now, np.int8(-1))
        ended[i] = now < READY
        for agent in range(rewards.shape[1]):
            rewards[i, agent] = 0
    return write_outcomes(columns, before, goals, agents, middle, reach, rewards, own, terminated, truncated, scratch)
