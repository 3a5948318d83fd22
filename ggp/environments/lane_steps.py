"""Steps of many matches, compiled by Numba: moves are taken, states advance, and roles are asked.

Each loop over the 512 lanes of a block does one thing to all of them, without jumps (hence `select`), so that it
becomes vector code. Results are kept in memory for one block from loop to loop. This module loads Numba.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import types

from gdl.codegen.compiled_functions import I32_3, I64_1, U64_1, compiled, part
from gdl.codegen.llvm.playout_loop import LANES
from gdl.simulator.bits import count_ones, lowest_one, select
from gdl.simulator.kernel_calls import move_columns
from ggp.environments.lane_columns import (
    BEGINS,
    COLUMNS,
    JUDGED,
    OFFENCE,
    PLACES,
    READY,
    ROLES,
    SCRATCH,
    STUCK,
    TERMINAL,
    TRUNCATED,
)

_BOOL_2: Final = types.Array(types.boolean, 2, "C")

# Random numbers are those of splitmix64 (Steele, Lea, Flood, 2014), with one generator for each lane.
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2: Final = np.uint64(0x94D049BB133111EB)

_ONE: Final = np.uint64(1)
_SMALL: Final = np.uint64(2**16 - 1)


@part
def _position(word: Any, rank: Any, halves: Any) -> Any:
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
def _draw(words: Any, first: Any, count: Any, shift: Any, mask: Any, needed: Any, random: Any, scratch: Any) -> Any:
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
def draw_own(columns: Any, block: Any, places: Any, needed: Any, scratch: Any) -> Any:
    """Write the position of a random legal move of the role that is asked, -1 if nobody is, to `scratch.numbers[0]`."""
    mask = np.uint64(0)
    for number in range(len(places.masks)):
        mask |= places.masks[number]
    own = columns.own[block]
    _draw(own, 0, len(own), np.uint64(0), mask, needed, columns.random[block], scratch)


@part
def _only_moves(columns: Any, block: Any, places: Any, role: Any, kept: Any, scratch: Any) -> None:
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
def _ask(columns: Any, block: Any, places: Any, asked: Any, scratch: Any) -> Any:
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
def _note_own(columns: Any, block: Any, places: Any) -> None:
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
def _survey(columns: Any, block: Any, places: Any, roles: Any, advanced: Any, scratch: Any) -> Any:
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
    only: Any, columns: Any, block: Any, places: Any, asked: Any, judged: Any, replaced: Any, scratch: Any
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
def _begin(columns: Any, block: Any, begins: Any, state: Any, looked: Any) -> Any:
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
def _keep(columns: Any, block: Any, last: Any) -> None:
    """Keep the moves that are done now."""
    role = columns.role[block]
    for number in range(columns.pending.shape[1]):
        pending, kept = columns.pending[block, number], last[block, number]
        for p in range(LANES):
            kept[p] = select(role[p] == READY, pending[p], kept[p])


@compiled(
    types.int64(
        types.int64, COLUMNS, PLACES, ROLES, JUDGED, types.boolean, _BOOL_2, U64_1, U64_1, I32_3, I64_1, SCRATCH
    )
)
def go_on(
    only: Any,
    columns: Any,
    places: Any,
    roles: Any,
    judged: Any,
    replaced: Any,
    begins: Any,
    state: Any,
    looked: Any,
    last: Any,
    native: Any,
    scratch: Any,
) -> Any:
    """Do one step in all lanes; return the number of lanes that are READY again, or -1 if one is STUCK.

    First, moves that are `judged` are taken, of the role `only`, of all that are asked if it is -1, or of none if it is
    -2. Then matches begin where `begins` (blocks, 512) says so, in an initial `state` (state_words,), of which `looked`
    (look_words,) tells. Then lanes that are READY advance, by the machine code
    that `native` describes. `last` (blocks, roles, 512) receives the
    moves that are done, unless it has no blocks.
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
    return ready if fine else np.int64(-1)
