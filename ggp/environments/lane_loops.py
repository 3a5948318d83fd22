"""Loops over the lanes of an environment, compiled by Numba: actions, masks and outcomes; this module loads Numba."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import types

from gdl.codegen.compiled_functions import F32_1, F32_2, I32_1, I32_2, I64_1, U64_2, compiled, part
from gdl.codegen.llvm.playout_loop import LANES
from gdl.simulator.bits import lowest_one, select, store_bytes, store_rows
from ggp.environments.lane_columns import COLUMNS, GOALS, JUDGED, OFFENCE, PLACES, READY, SCRATCH, TERMINAL, TRUNCATED
from ggp.environments.lane_steps import draw_own

_I8_2: Final = types.Array(types.int8, 2, "C")
_U8_2: Final = types.Array(types.uint8, 2, "C")
_BOOL_1: Final = types.Array(types.boolean, 1, "C")

_ONE: Final = np.uint64(1)


@compiled(types.int64(I32_1, types.int64, COLUMNS, I32_2, types.boolean, JUDGED, SCRATCH))
def judge(actions: Any, only: Any, columns: Any, moves_of: Any, same: Any, judged: Any, scratch: Any) -> Any:
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
    return wrong


@compiled(types.void(COLUMNS, PLACES, I32_2, types.boolean, I32_1, SCRATCH))
def sample(columns: Any, places: Any, actions_of: Any, same: Any, out: Any, scratch: Any) -> None:
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


@compiled(types.void(COLUMNS, I32_2, types.boolean, _U8_2, types.int64))
def write_masks(columns: Any, actions_of: Any, same: Any, out: Any, address: Any) -> None:
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


@compiled(types.void(I64_1, COLUMNS, COLUMNS, types.boolean))
def exchange(lanes: Any, columns: Any, few: Any, back: Any) -> None:
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


@compiled(types.void(COLUMNS, U64_2))
def write_states(columns: Any, out: Any) -> None:
    """Write the states of the first lanes to `out` (n, state_words)."""
    for block in range(len(columns.role)):
        first = block * LANES
        for p in range(min(LANES, len(out) - first)):
            for k in range(out.shape[1]):
                out[first + p, k] = columns.states[block, k, p]


@part
def _write_rewards(columns: Any, block: Any, p: Any, goals: Any, middle: Any, reach: Any, rewards: Any) -> Any:
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


@compiled(
    types.int64(
        COLUMNS,
        _I8_2,
        GOALS,
        I64_1,
        types.float32,
        types.float32,
        F32_2,
        F32_1,
        _BOOL_1,
        _BOOL_1,
        SCRATCH,
    )
)
def write_outcomes(
    columns: Any,
    before: Any,
    goals: Any,
    agents: Any,
    middle: Any,
    reach: Any,
    rewards: Any,
    own: Any,
    terminated: Any,
    truncated: Any,
    scratch: Any,
) -> Any:
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
