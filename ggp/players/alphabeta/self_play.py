"""Games to learn from: random playouts, and games of the search against itself. Compiled by Numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdl.codegen.array_types import F32_1, I64_1, U64_1, U64_2, Int
from gdl.codegen.compiled_functions import compiled, part
from gdl.simulator.kernel_calls import list_moves, look, move
from ggp.players.alphabeta.evaluation import choices, difference
from ggp.players.alphabeta.search_loop import search
from ggp.players.alphabeta.search_memory import (
    BEST_MOVE,
    DEPTH,
    FIRST_MOVE,
    FIXED,
    HIGH,
    JOINT,
    LEGAL,
    LEGAL_WORD,
    LOOK,
    LOW,
    MOVE,
    MOVE_WORDS,
    MOVER,
    MOVES,
    OUTS,
    PLY,
    RESULT,
    ROW_WORDS,
    STATE_WORDS,
    STATES,
    WORK,
    Memory,
)
from ggp.players.alphabeta.values import INFINITE, LONGEST
from ggp.players.learned_values.units import MOST, POINT


@part
def _next(random: np.uint64) -> Any:
    """Return the next 64-bit random number (xorshift, Marsaglia 2003)."""
    random ^= random << np.uint64(13)
    random ^= random >> np.uint64(7)
    return random ^ (random << np.uint64(17))


@part
def _begin(memory: Memory, start: U64_1) -> None:
    """Put the starting state of games in row 0."""
    for word in range(len(start)):
        memory.states[0, word] = start[word]


@part
def _copy_state(memory: Memory, found: U64_2, filled: Int) -> None:
    """Copy the state in row 0 to the states found, at index `filled`."""
    for word in range(found.shape[1]):
        found[filled, word] = memory.states[0, word]


@part
def _look(memory: Memory) -> Any:
    """Look at the state in row 0; return True if it is terminal."""
    setup = memory.setup
    look(setup[LOOK], setup[STATES], setup[OUTS], setup[WORK])
    return memory.outs[0, 0] & np.uint64(1) != 0


@part
def _draw(memory: Memory, random: np.uint64) -> Any:
    """Draw a random joint move in the state in row 0 and put it in `joint`.

    Return the next random number, or 0 if a role has no legal move.
    """
    setup = memory.setup
    for role in range(2):
        count = list_moves(setup[LEGAL], setup[OUTS], setup[LEGAL_WORD + role], setup[MOVE_WORDS + role], setup[MOVES])
        if count == 0:
            return np.uint64(0)
        random = _next(random)
        drawn = ((random >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32)
        memory.joint[role] = setup[FIRST_MOVE + role] + memory.moves[0, drawn]
    return random


@part
def _go_on(memory: Memory) -> None:
    """Make the joint move: row 0 becomes the next state."""
    setup, states = memory.setup, memory.states
    move(setup[MOVE], setup[STATES], setup[JOINT], setup[STATES] + 8 * setup[ROW_WORDS], setup[WORK])
    for word in range(setup[STATE_WORDS]):
        states[0, word] = states[1, word]


@part
def _searched(memory: Memory, depth: Int) -> Any:
    """Return the first role's value, in points, of the state in row 0, searched to a depth; leave `joint` unchanged."""
    frames, joint = memory.frames, memory.joint
    first, second = joint[0], joint[1]
    frames[0, DEPTH], frames[0, LOW], frames[0, HIGH] = depth, -INFINITE, INFINITE
    frames[0, FIXED], frames[0, BEST_MOVE], memory.tally[PLY] = -1, -1, 0
    search(memory, 1 << 40)
    joint[0], joint[1] = first, second
    return min(max(memory.tally[RESULT], -MOST), MOST) / POINT


@part
def _take_best(memory: Memory) -> None:
    """Let the role that chooses make the best move found by the search."""
    mover = memory.frames[0, MOVER]
    memory.joint[mover] = memory.setup[FIRST_MOVE + mover] + memory.frames[0, BEST_MOVE]


@part
def _seeded(seed: Int) -> Any:
    return (np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x632BE59BD9B4E019)) | np.uint64(1)


@part
def _set_values(values: F32_1, places: I64_1, said: F32_1, count: Int, after: np.float32, trust: np.float32) -> None:
    """Set the values of consecutive states, from the last to the first.

    Each value mixes the value of the next state with the search's value of that state, by `trust`; `after` follows the
    last one.
    """
    for number in range(count - 1, -1, -1):
        if places[number] >= 0:
            values[places[number]] = after
        after = (1 - trust) * said[number] + trust * after


@compiled
def playouts(memory: Memory, start: U64_1, found: U64_2, values: F32_1, seed: int) -> int:
    """Play random playouts from a state until `found` is filled with some of their states; return their number.

    One state in four is taken. Its value is the first role's goal minus the second's at the end, in points. Playouts
    stop early if there are far more of them than there is room for states.
    """
    random = _seeded(seed)
    filled = played = 0
    while filled < len(found) and played <= 64 * len(found):
        _begin(memory, start)
        began: Any = filled
        result: Any = 0
        for _ in range(10 * LONGEST):
            if _look(memory):
                result = difference(memory, 0)
                break
            following = _draw(memory, random)
            if following == 0:
                break
            random = following
            if filled < len(found) and (random >> np.uint64(60)) < 4:
                _copy_state(memory, found, filled)
                filled += 1
            _go_on(memory)
        played += 1
        for place in range(began, filled):
            values[place] = result
    return played


@compiled(allocates=True)
def games(memory: Memory, rival: Memory, start: U64_1, found: U64_2, values: F32_1, results: F32_1, plan: I64_1) -> int:
    """Play games of the search against itself or a rival until `found` is filled; return the number of states in it.

    `rival` shares the arrays of `memory` by ply, but has its own evaluation and table. `values` is filled with the
    values of the states found for the first role, in points, and `results`, as far as it goes, with the first role's
    goal minus the second's at the end of each game. `plan`: see `Plan`.
    """
    seed, depth, opening, rarely, trust = plan[0], plan[1], plan[2], plan[3], np.float32(plan[4] / 256)
    rival_role, most = plan[5], plan[6]
    random = _seeded(seed)
    said, places = np.zeros(10 * LONGEST, np.float32), np.zeros(10 * LONGEST, np.int64)
    filled = played = 0
    while filled < len(found) and played < most and (filled > 0 or played <= 64):
        _begin(memory, start)
        random = _next(random)
        wild = np.int64((random >> np.uint64(32)) % np.uint64(opening + 1))
        result: Any = 0
        count = 0
        for turn in range(10 * LONGEST):
            if _look(memory):
                result = difference(memory, 0)
                break
            following = _draw(memory, random)
            if following == 0:
                break
            random = _next(following)
            chance = (random >> np.uint64(32)) % np.uint64(rarely) == 0
            if choices(memory, 0, 0) + choices(memory, 0, 1) == 3:
                said[count] = _searched(memory, depth)
                places[count] = -1
                if filled < len(found):
                    _copy_state(memory, found, filled)
                    places[count] = filled
                    filled += 1
                count += 1
                if turn >= wild and not chance:
                    if memory.frames[0, MOVER] == rival_role:
                        _searched(rival, depth)
                    _take_best(memory)
                else:
                    # The outcome of a random move says nothing about the positions before it.
                    _set_values(values, places, said, count, said[count - 1], trust)
                    count = 0
            _go_on(memory)
        if played < len(results):
            results[played] = result
        played += 1
        _set_values(values, places, said, count, np.float32(result), trust)
    return filled
