"""The inner loop of the search by depth, compiled by Numba; this module loads Numba.

The question is always the same: can one role, the attacker, force the game to end within a number of plies with a goal
value that is good for it? The answer does not depend on the path to a state, so it can be kept and reused whenever the
state recurs, even in games with cycles. A refutation that never reaches the limit of plies holds for any limit.

The stack is in arrays, so that a search can pause after any number of nodes and be continued later.
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

#: Indices in `setup`: addresses of kernels and of memory for them, then the shape of the game and the question.
LOOK, LEGAL, MOVE, OUT, WORK, NEXT, LIST, JOINT = range(8)
GOALS_WORD, GOAL_WORDS, ATTACKER, QUESTION, DEPTH = range(8, 13)
SETUP: Final = 13

#: Indices in `registers`: the position and result of a search.
PLY, VERDICT, NODES = range(3)
REGISTERS: Final = 3

#: Verdicts on a state: unknown so far, proved, failed within the plies left, failed for any number of plies.
OPEN, PROVED, FAILED, REFUTED = range(4)

#: Errors, in place of a verdict: the game cannot be handled.
SIMULTANEOUS, NO_MOVE, NO_GOAL = range(4, 7)

#: Further results of `run`: the search is paused, or done.
PAUSED, DONE = range(7, 9)

#: Indices in `frames`: the number of moves, the number tried so far, the role that moves, 1 if all failed moves failed
#: for any number of plies, the move tried last, and the move to try first.
COUNT, TRIED, MOVER, LASTING, CURRENT, FIRST = range(6)
FRAME: Final = 6


class Memory(NamedTuple):
    """The arrays that a search works in."""

    setup: NDArray[np.int64]
    registers: NDArray[np.int64]
    #: (roles, 3): the first word of a role's legal moves, the number of these words, and its first move.
    roles: NDArray[np.int64]
    #: (2 * goal words,): as bits, the goals that the attacker wants, then all goals of the role in question.
    good: NDArray[np.uint64]
    #: One row per ply: states; frames; the moves to choose from; each role's only move.
    states: NDArray[np.uint64]
    frames: NDArray[np.int64]
    moves: NDArray[np.int32]
    singles: NDArray[np.int32]
    #: Results for states; see `search_table`.
    table: NDArray[np.uint64]
    #: (2, moves): the weight of a move that was right before, for the attacker and for the others.
    history: NDArray[np.int64]
    #: The arrays that kernels write to, and read moves from; `work` is for their internal use.
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
    """Return the table's verdict on a state for `left` plies, and set the move to try first."""
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
    """Return the verdict on a terminal state, or NO_GOAL unless there is exactly one goal."""
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
    """List the moves of the role that moves; return OPEN unless a role has no move, or several have a choice."""
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
    """Return the verdict on a new state; if it is OPEN, its moves have been listed and must be tried."""
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
    """Return the verdict on a state, given the verdict on the state after one of its moves."""
    frame, question = memory.frames[ply], memory.setup[QUESTION]
    attacking = frame[MOVER] == memory.setup[ATTACKER]
    if (verdict == PROVED) != attacking:
        if verdict != REFUTED:
            frame[LASTING] = 0
        return OPEN
    # The move decides: it proves the state for the attacker, or refutes it for the others.
    memory.history[0 if attacking else 1, frame[CURRENT]] += left * left
    proved, failed = (left, 0) if attacking else (ANY, ANY if verdict == REFUTED else left)
    keep(memory.table, memory.states, ply, question, proved, failed, frame[CURRENT])
    return verdict


@part
def _exhausted(memory: Any, ply: Any, left: Any) -> Any:
    """Return the verdict on a state if none of its moves decides."""
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
    """Make the next move: the best one so far for this state, or the one that was right most often elsewhere."""
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
    """Continue the search for at most `limit` nodes; return PAUSED, DONE, or an error."""
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
