"""The inner loop of the search by depth, compiled by Numba; this module loads Numba.

The question is always the same: can one role, the attacker, force within so many plies that the game ends with a goal
value that is good for it? The answer does not depend on the way to a state, so that answers may be kept and used
wherever a state comes up again, in games that can go round in circles too. A refutation that never touched the limit
of plies holds for any limit. Kept states are compared whole.

The stack is in arrays, so that a search can stop after any number of nodes and be taken up later.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ggp.solver.compiled_functions import compiled

#: Places in `setup`, int64: addresses of functions and memory, then the shape of the game and the question.
LOOK, LEGAL, MOVE, OUT, WORK, NEXT, LIST, JOINT = range(8)
ROLES, WORDS, GOALS_WORD, GOAL_WORDS, ATTACKER, QUESTION, DEPTH = range(8, 15)
SETUP: Final = 15

#: Places in `registers`, int64: where a search is, and what it has found.
PLY, RETURNING, PROVED, FOREVER, NODES = range(5)
REGISTERS: Final = 5

#: What `run` gives: it is not done, it is done, or the game is not of the right kind.
PAUSED, DONE, SIMULTANEOUS, NO_MOVE, NO_GOAL = range(5)

#: Places in `frames`, int64, one row a ply: how many moves there are, how many were tried, whose they are, whether
#: all that failed failed for any number of plies, the move that was tried last, the one to try first.
COUNT, TRIED, MOVER, LASTING, CURRENT, FIRST = range(6)
FRAME: Final = 6

#: A number of plies that stands for any number.
ANY: Final = 0xFFFF

#: No move, in 24 bits.
NO_MOVE_KEPT: Final = 0xFFFFFF


def _call_typed(_context: Any, _function: Any, _first: Any, _second: Any, _third: Any, _fourth: Any) -> Any:
    """The types of `_call`, and a function that makes its code."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [word] * 4)
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

    return types.int64(*[types.int64] * 5), generate


#: `_call(address, a, b, c, d)`: call machine code at an address; what it does not take is ignored.
_call: Any = intrinsic(_call_typed)


@compiled("int64(uint64[:,::1], uint64[::1], int64)")
def _bucket(table: Any, state: Any, question: Any) -> Any:
    """The first of the two rows of the table in which a state may be kept."""
    mixed = np.uint64(question) * np.uint64(0xD6E8FEB86659FD93)
    for word in state:
        mixed = (mixed ^ word) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    return np.int64(mixed & np.uint64(len(table) - 2))


@compiled("int64(uint64[:,::1], int64, uint64[::1], int64)")
def find(table: Any, bucket: Any, state: Any, question: Any) -> Any:
    """The row in which a state is kept, -1 if it is not. The last word of a row is what is known of it."""
    words = len(state)
    for row in range(bucket, bucket + 2):
        if np.int64(table[row, words] >> np.uint64(56)) != question + 1:
            continue
        same = True
        for word in range(words):
            if table[row, word] != state[word]:
                same = False
                break
        if same:
            return row
    return -1


@compiled("void(uint64[:,::1], uint64[::1], int64, int64, int64, int64)")
def _keep(table: Any, state: Any, question: Any, proved: Any, failed: Any, best: Any) -> None:
    """Keep that a state is proved within so many plies (ANY if it is not), or failed within so many (0 if not)."""
    words = len(state)
    bucket = _bucket(table, state, question)
    row = find(table, bucket, state, question)
    if row >= 0:
        known = table[row, words]
        proved = min(proved, np.int64((known >> np.uint64(40)) & np.uint64(0xFFFF)))
        failed = max(failed, np.int64((known >> np.uint64(24)) & np.uint64(0xFFFF)))
        if best == NO_MOVE_KEPT:
            best = np.int64(known & np.uint64(0xFFFFFF))
    else:
        # The first of the two is for what took most plies to find out, the second for what is newest.
        row = bucket + 1
        old = table[bucket, words]
        depth = np.int64((old >> np.uint64(24)) & np.uint64(0xFFFF))
        within = np.int64((old >> np.uint64(40)) & np.uint64(0xFFFF))
        if within != ANY:
            depth = max(depth, within)
        if old == 0 or max(failed, proved if proved != ANY else 0) >= depth:
            for word in range(words + 1):
                table[row, word] = table[bucket, word]
            row = bucket
        for word in range(words):
            table[row, word] = state[word]
    known = np.uint64(question + 1) << np.uint64(56) | np.uint64(proved) << np.uint64(40)
    table[row, words] = known | np.uint64(failed) << np.uint64(24) | np.uint64(best)


@compiled("void(uint64[:,::1], uint64[:,::1])")
def refill(table: Any, old: Any) -> None:
    """Keep in a table that is empty what was kept in a smaller one."""
    words = table.shape[1] - 1
    for row in range(len(old)):
        known = old[row, words]
        if known:
            bucket = _bucket(table, old[row, :words], np.int64(known >> np.uint64(56)) - 1)
            if table[bucket, words]:
                bucket += 1
            for word in range(words + 1):
                table[bucket, word] = old[row, word]


@compiled(
    "int64(int64[::1], int64[:,::1], uint64[::1], uint64[:,::1], int64[:,::1], int32[:,::1], int32[:,::1], "
    "int64[::1], uint64[:,::1], int64[:,::1], uint64[::1], uint64[::1], int32[::1], int32[::1], int64)"
)
def run(
    setup: Any,
    roles: Any,
    good: Any,
    states: Any,
    frames: Any,
    moves: Any,
    singles: Any,
    registers: Any,
    table: Any,
    history: Any,
    out: Any,
    after: Any,
    listed: Any,
    joint: Any,
    limit: Any,
) -> Any:
    """Search on, for at most `limit` nodes.

    `roles`: for each the first word of its legal moves, their number of words, and its first move. `good`: the goals
    that the attacker wants, then all goals of the role that they are about, as bits. `states`: one a ply. `moves`: the
    moves to choose from, one row a ply; `singles`: each role's only move. `history`: how often a move was right for
    the attacker, and for the others.
    """
    count, attacker, question = setup[ROLES], setup[ATTACKER], setup[QUESTION]
    goals, goal_words = setup[GOALS_WORD], setup[GOAL_WORDS]
    words = states.shape[1]
    ply = registers[PLY]
    returning, proved, forever = registers[RETURNING] != 0, registers[PROVED] != 0, registers[FOREVER] != 0
    nodes = 0
    status = PAUSED
    while True:
        state = states[ply]
        left = setup[DEPTH] - ply
        frame = frames[ply]
        if not returning:
            # A state is come upon: perhaps all is known of it.
            if nodes >= limit:
                break
            nodes += 1
            frame[FIRST] = NO_MOVE_KEPT
            if left > 0:
                row = find(table, _bucket(table, state, question), state, question)
                if row >= 0:
                    known = table[row, words]
                    frame[FIRST] = np.int64(known & np.uint64(0xFFFFFF))
                    within = np.int64((known >> np.uint64(40)) & np.uint64(0xFFFF))
                    failed = np.int64((known >> np.uint64(24)) & np.uint64(0xFFFF))
                    if within <= left and within != ANY:
                        returning, proved, forever = True, True, False
                    elif failed >= left:
                        returning, proved, forever = True, False, failed == ANY
            if not returning:
                _call(setup[LOOK], state.ctypes.data, setup[OUT], setup[WORK], 0)
                if out[0] & np.uint64(1):
                    wanted, held = False, 0
                    for word in range(goal_words):
                        bits = out[goals + word] & good[goal_words + word]
                        wanted |= (bits & good[word]) != 0
                        while bits:
                            bits &= bits - np.uint64(1)
                            held += 1
                    if held != 1:
                        status = NO_GOAL
                        break
                    returning, proved, forever = True, wanted, True
                elif left == 0:
                    returning, proved, forever = True, False, False
                else:
                    frame[COUNT], frame[TRIED], frame[MOVER], frame[LASTING] = 0, 0, attacker, 1
                    choosing = 0
                    for role in range(count):
                        found = _call(setup[LEGAL], setup[OUT], roles[role, 0], roles[role, 1], setup[LIST])
                        if found == 0:
                            status = NO_MOVE
                            break
                        singles[ply, role] = listed[0] + roles[role, 2]
                        if found > 1 or (choosing == 0 and role == count - 1):
                            choosing += found > 1
                            frame[COUNT] = found
                            frame[MOVER] = role
                            for i in range(found):
                                moves[ply, i] = listed[i] + roles[role, 2]
                    if choosing > 1:
                        status = SIMULTANEOUS
                    if status != PAUSED:
                        break
        else:
            # One of a state's moves is known now.
            attacking = frame[MOVER] == attacker
            if proved == attacking:
                # That settles it: a move that proves for the attacker, or one that refutes for the others.
                history[0 if attacking else 1, frame[CURRENT]] += left * left
                if attacking:
                    _keep(table, state, question, left, 0, frame[CURRENT])
                else:
                    _keep(table, state, question, ANY, ANY if forever else left, frame[CURRENT])
            else:
                returning = False
                if not forever:
                    frame[LASTING] = 0
        if not returning:
            if frame[TRIED] == frame[COUNT]:
                # None of them settles it.
                returning = True
                proved = frame[MOVER] != attacker
                forever = frame[LASTING] != 0 and not proved
                if proved:
                    _keep(table, state, question, left, 0, NO_MOVE_KEPT)
                else:
                    _keep(table, state, question, ANY, ANY if forever else left, NO_MOVE_KEPT)
            else:
                # The move that was best before, or that was right most often elsewhere.
                kind = 0 if frame[MOVER] == attacker else 1
                best, most = frame[TRIED], np.int64(-1)
                for i in range(frame[TRIED], frame[COUNT]):
                    move = moves[ply, i]
                    weight = history[kind, move]
                    if move == frame[FIRST]:
                        best = i
                        break
                    if weight > most:
                        best, most = i, weight
                chosen = moves[ply, best]
                moves[ply, best] = moves[ply, frame[TRIED]]
                moves[ply, frame[TRIED]] = chosen
                frame[TRIED] += 1
                frame[CURRENT] = chosen
                for role in range(count):
                    joint[role] = singles[ply, role]
                joint[frame[MOVER]] = chosen
                _call(setup[MOVE], state.ctypes.data, setup[JOINT], setup[NEXT], setup[WORK])
                ply += 1
                for word in range(words):
                    states[ply, word] = after[word]
                continue
        if returning:
            if ply == 0:
                status = DONE
                break
            ply -= 1
    registers[PLY] = ply
    registers[RETURNING], registers[PROVED], registers[FOREVER] = returning, proved, forever
    registers[NODES] += nodes
    return status
