"""The inner loop of the search by depth, compiled by Numba; this module loads Numba.

The question is always the same: can one role, the attacker, force within so many plies that the game ends with a goal
value that is good for it? The answer does not depend on the way to a state, so that answers may be kept and used
wherever a state comes up again, in games that can go round in circles too. A refutation that never touched the limit
of plies holds for any limit.

The stack is in arrays, so that a search can stop after any number of nodes and be taken up later.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from gdl.codegen.compiled_functions import I32_1, I32_2, I64_1, I64_2, U64_1, U64_2, compiled, named_tuple, part
from gdl.simulator.bits import count_ones
from gdl.simulator.kernel_calls import list_moves, look, move
from ggp.solver.search_table import ANY, NO_MOVE_KEPT, best_move, failed_within, find, keep, proved_within

#: Places in `setup`: addresses of kernels and of memory for them, then the shape of the game and the question.
LOOK, LEGAL, MOVE, OUT, WORK, NEXT, LIST, JOINT = range(8)
GOALS_WORD, GOAL_WORDS, ATTACKER, QUESTION, DEPTH = range(8, 13)
SETUP: Final = 13

#: Places in `registers`: where a search is, and what it has found.
PLY, VERDICT, NODES = range(3)
REGISTERS: Final = 3

#: Verdicts on a state: not known yet, proved, failed within the plies that are left, failed for any number of plies.
OPEN, PROVED, FAILED, REFUTED = range(4)

#: Instead of a verdict: the game is not of the right kind.
SIMULTANEOUS, NO_MOVE, NO_GOAL = range(4, 7)

#: What else `run` gives: it is not done, it is done.
PAUSED, DONE = range(7, 9)

#: Places in `frames`: how many moves there are, how many were tried, whose they are, whether all that failed failed
#: for any number of plies, the move that was tried last, the one to try first.
COUNT, TRIED, MOVER, LASTING, CURRENT, FIRST = range(6)
FRAME: Final = 6


class Memory(NamedTuple):
    """The arrays that a search works in; those `by ply` have one row for each."""

    setup: NDArray[np.int64]
    registers: NDArray[np.int64]
    #: For each role the first word of its legal moves, their number of words, and its first move: (roles, 3)
    roles: NDArray[np.int64]
    #: The goals that the attacker wants, then all goals of the role that they are about, as bits: (2 * goal words,)
    good: NDArray[np.uint64]
    #: By ply: states; frames; the moves to choose from; each role's only move.
    states: NDArray[np.uint64]
    frames: NDArray[np.int64]
    moves: NDArray[np.int32]
    singles: NDArray[np.int32]
    #: What is known of states, as `search_table` says.
    table: NDArray[np.uint64]
    #: How often a move was right for the attacker, and for the others: (2, moves)
    history: NDArray[np.int64]
    #: What kernels write to, and take moves from; `work` is theirs alone.
    out: NDArray[np.uint64]
    after: NDArray[np.uint64]
    work: NDArray[np.uint64]
    listed: NDArray[np.int32]
    joint: NDArray[np.int32]


MEMORY: Final = named_tuple(
    Memory,
    setup=I64_1,
    registers=I64_1,
    roles=I64_2,
    good=U64_1,
    states=U64_2,
    frames=I64_2,
    moves=I32_2,
    singles=I32_2,
    table=U64_2,
    history=I64_2,
    out=U64_1,
    after=U64_1,
    work=U64_1,
    listed=I32_1,
    joint=I32_1,
)


@part
def _remembered(memory: Any, ply: Any, left: Any) -> Any:
    """The verdict on a state that the table has for so many plies that are left; the move to try first is noted."""
    row = find(memory.table, memory.states, ply, memory.setup[QUESTION])
    if row < 0:
        return OPEN
    known = memory.table[row, memory.states.shape[1]]
    memory.frames[ply, FIRST] = best_move(known)
    within, failed = proved_within(known), failed_within(known)
    if within <= left and within != ANY:
        return PROVED
    if failed >= left:
        return REFUTED if failed == ANY else FAILED
    return OPEN


@part
def _ended(memory: Any) -> Any:
    """The verdict on a terminal state, or NO_GOAL if its goals are not exactly one."""
    setup, out, good = memory.setup, memory.out, memory.good
    words = setup[GOAL_WORDS]
    wanted = False
    held: Any = 0
    for word in range(words):
        bits = out[setup[GOALS_WORD] + word] & good[words + word]
        wanted |= (bits & good[word]) != 0
        held += np.int64(count_ones(bits))
    if held != 1:
        return NO_GOAL
    return PROVED if wanted else REFUTED


@part
def _list_choices(memory: Any, ply: Any) -> Any:
    """Note whose move it is, and its moves: OPEN, unless a role has none, or several have a choice."""
    setup, roles, listed, frame = memory.setup, memory.roles, memory.listed, memory.frames[ply]
    moves, singles = memory.moves[ply], memory.singles[ply]
    frame[COUNT], frame[TRIED], frame[MOVER], frame[LASTING] = 0, 0, setup[ATTACKER], 1
    verdict, choosing = OPEN, 0
    for role in range(len(roles)):
        found = list_moves(setup[LEGAL], setup[OUT], roles[role, 0], roles[role, 1], setup[LIST])
        if found == 0:
            verdict = NO_MOVE
            break
        singles[role] = listed[0] + roles[role, 2]
        if found > 1 or (choosing == 0 and role == len(roles) - 1):
            choosing += found > 1
            frame[COUNT] = found
            frame[MOVER] = role
            for i in range(found):
                moves[i] = listed[i] + roles[role, 2]
    return SIMULTANEOUS if choosing > 1 else verdict


@part
def _entered(memory: Any, ply: Any, left: Any) -> Any:
    """The verdict on a state that has been come upon: OPEN if its moves, which are listed, have to be tried."""
    setup = memory.setup
    memory.frames[ply, FIRST] = NO_MOVE_KEPT
    if left > 0:
        verdict = _remembered(memory, ply, left)
        if verdict != OPEN:
            return verdict
    look(setup[LOOK], memory.states[ply].ctypes.data, setup[OUT], setup[WORK])
    if memory.out[0] & np.uint64(1):
        return _ended(memory)
    return FAILED if left == 0 else _list_choices(memory, ply)


@part
def _returned(memory: Any, ply: Any, left: Any, verdict: Any) -> Any:
    """The verdict on a state after that on the state which one of its moves leads to."""
    frame, question = memory.frames[ply], memory.setup[QUESTION]
    attacking = frame[MOVER] == memory.setup[ATTACKER]
    if (verdict == PROVED) != attacking:
        if verdict != REFUTED:
            frame[LASTING] = 0
        return OPEN
    # That settles it: a move that proves for the attacker, or one that refutes for the others.
    memory.history[0 if attacking else 1, frame[CURRENT]] += left * left
    proved, failed = (left, 0) if attacking else (ANY, ANY if verdict == REFUTED else left)
    keep(memory.table, memory.states, ply, question, proved, failed, frame[CURRENT])
    return verdict


@part
def _exhausted(memory: Any, ply: Any, left: Any) -> Any:
    """The verdict on a state of which no move settles it."""
    frame, setup = memory.frames[ply], memory.setup
    if frame[MOVER] != setup[ATTACKER]:
        verdict = PROVED
        proved, failed = left, 0
    else:
        verdict = REFUTED if frame[LASTING] else FAILED
        proved, failed = ANY, ANY if frame[LASTING] else left
    keep(memory.table, memory.states, ply, setup[QUESTION], proved, failed, NO_MOVE_KEPT)
    return verdict


@part
def _try_next(memory: Any, ply: Any) -> None:
    """Make the move that was best before, or that was right most often elsewhere: the state at the next ply."""
    setup, frame, moves, states = memory.setup, memory.frames[ply], memory.moves[ply], memory.states
    weights = memory.history[0 if frame[MOVER] == setup[ATTACKER] else 1]
    best, most = frame[TRIED], np.int64(-1)
    for i in range(frame[TRIED], frame[COUNT]):
        weight = weights[moves[i]]
        if moves[i] == frame[FIRST]:
            best = i
            break
        if weight > most:
            best, most = i, weight
    chosen = moves[best]
    moves[best] = moves[frame[TRIED]]
    moves[frame[TRIED]] = chosen
    frame[TRIED] += 1
    frame[CURRENT] = chosen
    joint, after = memory.joint, memory.after
    for role in range(len(joint)):
        joint[role] = memory.singles[ply, role]
    joint[frame[MOVER]] = chosen
    move(setup[MOVE], states[ply].ctypes.data, setup[JOINT], setup[NEXT], setup[WORK])
    for word in range(states.shape[1]):
        states[ply + 1, word] = after[word]


@compiled(types.int64(MEMORY, types.int64))
def run(memory: Any, limit: Any) -> Any:
    """Search on, for at most `limit` nodes: PAUSED, DONE, or why the game is not of the right kind."""
    registers, frames = memory.registers, memory.frames
    ply, verdict, nodes = registers[PLY], registers[VERDICT], 0
    while True:
        left = memory.setup[DEPTH] - ply
        if verdict == OPEN:
            if nodes >= limit:
                status = PAUSED
                break
            nodes += 1
            verdict = _entered(memory, ply, left)
            if verdict > REFUTED:
                status = verdict
                break
        else:
            verdict = _returned(memory, ply, left, verdict)
        if verdict == OPEN:
            if frames[ply, TRIED] < frames[ply, COUNT]:
                _try_next(memory, ply)
                ply += 1
                continue
            verdict = _exhausted(memory, ply, left)
        if ply == 0:
            status = DONE
            break
        ply -= 1
    registers[PLY], registers[VERDICT] = ply, verdict
    registers[NODES] += nodes
    return status
