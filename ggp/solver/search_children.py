"""The states after a state, for the search by depth: made, judged where that is easy, and put in order.

This module loads Numba.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from gdl.codegen.array_types import Int
from gdl.codegen.compiled_functions import part
from gdl.simulator.bits import count_ones
from gdl.simulator.kernel_calls import list_moves, look, move
from ggp.solver.search_memory import (
    ATTACKER,
    CHILDREN,
    COUNT,
    FAILED,
    FAULT,
    FIRST,
    GOAL_WORDS,
    GOALS_WORD,
    JOINT,
    LASTING,
    LEGAL,
    LIST,
    LISTED,
    LOOK,
    MOVE,
    MOVER,
    NO_GOAL,
    NO_MOVE,
    NODES,
    OPEN,
    PROVED,
    QUESTION,
    REFUTED,
    ROW,
    SIMULTANEOUS,
    STATE_WORDS,
    WORK,
    WORTH_ASKING,
    Memory,
)
from ggp.solver.search_table import ANY, NO_MOVE_KEPT, best_move, failed_within, find, keep, proved_within

#: The weight of the move that was best when the state was searched before.
_FIRST: Final = 1 << 62


@part
def address(memory: Memory, row: Int) -> Any:
    """Return the address of a row's state; what `look` says of it follows."""
    return memory.rows.ctypes.data + 8 * row * memory.rows.shape[1]


@part
def remembered(memory: Memory, row: Int, left: Int) -> Any:
    """Return the table's verdict on a state for `left` plies, and its best move, or NO_MOVE_KEPT."""
    place = find(memory.table, memory.rows, row, memory.setup[QUESTION])
    if place < 0:
        return OPEN, NO_MOVE_KEPT
    known = memory.table[place, memory.setup[STATE_WORDS]]
    within, failed = proved_within(known), failed_within(known)
    verdict = OPEN
    if within <= left and within != ANY:
        verdict = PROVED
    elif failed >= left:
        verdict = REFUTED if failed == ANY else FAILED
    return verdict, best_move(known)


@part
def store(memory: Memory, row: Int, left: Int, verdict: Int, best: Int) -> None:
    """Keep a verdict on a state for `left` plies, and its best move, in the table."""
    proved = left if verdict == PROVED else ANY
    failed = 0 if verdict == PROVED else ANY if verdict == REFUTED else left
    keep(memory.table, memory.rows, row, memory.setup[QUESTION], proved, failed, best)


@part
def ended(memory: Memory, row: Int) -> Any:
    """Return the verdict on a terminal state, NO_GOAL unless each role has one goal value; OPEN if not terminal."""
    setup, rows, good = memory.setup, memory.rows, memory.good
    words, said = setup[GOAL_WORDS], setup[STATE_WORDS]
    if not rows[row, said] & np.uint64(1):
        return OPEN
    wanted = wrong = False
    for word in range(words):
        bits = rows[row, said + setup[GOALS_WORD] + word]
        wanted |= (bits & good[word]) != 0
        wrong |= (bits & good[words + word]) != 0
    for role in range(len(memory.roles)):
        held: Any = 0
        for word in range(words):
            own = rows[row, said + setup[GOALS_WORD] + word] & good[(2 + role) * words + word]
            held += np.int64(count_ones(own))
        wrong |= held != 1
    if wrong:
        return NO_GOAL
    return PROVED if wanted else REFUTED


@part
def list_choices(memory: Memory, ply: Int) -> Any:
    """List the moves of the role that moves; return OPEN unless a role has no move, or several have a choice."""
    setup, roles, listed, frame = memory.setup, memory.roles, memory.listed, memory.frames[ply]
    moves, singles, first = memory.moves, memory.singles[ply], frame[CHILDREN]
    said = address(memory, frame[ROW]) + 8 * setup[STATE_WORDS]
    frame[COUNT], frame[MOVER], frame[LASTING], frame[LISTED] = 0, setup[ATTACKER], 1, 0
    verdict, choosing = OPEN, 0
    for role in range(len(roles)):
        found = list_moves(setup[LEGAL], said, roles[role, 0], roles[role, 1], setup[LIST])
        if found == 0:
            verdict = NO_MOVE
            break
        singles[role] = listed[0] + roles[role, 2]
        if found > 1 or (choosing == 0 and role == len(roles) - 1):
            choosing += found > 1
            frame[COUNT], frame[MOVER] = found, role
            for i in range(found):
                moves[first + i] = listed[i] + roles[role, 2]
    return SIMULTANEOUS if choosing > 1 else verdict


@part
def _to_front(memory: Memory, ply: Int, wanted: Int) -> None:
    """Bring a move to the front of the list, if it is there."""
    frame, moves = memory.frames[ply], memory.moves
    first = frame[CHILDREN]
    for i in range(first + 1, first + frame[COUNT]):
        if moves[i] == wanted:
            moves[i], moves[first] = moves[first], moves[i]
            break


@part
def _made(memory: Memory, ply: Int, left: Int, chosen: np.int32, row: Int) -> Any:
    """Make a move and look at the next state, in the given row; return the verdict on it."""
    setup, frame, joint = memory.setup, memory.frames[ply], memory.joint
    for role in range(len(joint)):
        joint[role] = memory.singles[ply, role]
    joint[frame[MOVER]] = chosen
    there = address(memory, row)
    move(setup[MOVE], address(memory, frame[ROW]), setup[JOINT], there, setup[WORK])
    look(setup[LOOK], there, there + 8 * setup[STATE_WORDS], setup[WORK])
    memory.registers[NODES] += 1
    memory.registers[FAULT] = row
    verdict = ended(memory, row)
    return FAILED if verdict == OPEN and left == 1 else verdict


@part
def make_children(memory: Memory, ply: Int, left: Int) -> Any:
    """Make the listed moves; return the verdict on the state if an end decides, else OPEN.

    Only states that are not terminal are left. A move that ended the game well at this ply is tried early.
    """
    frame, moves = memory.frames[ply], memory.moves
    attacking = frame[MOVER] == memory.setup[ATTACKER]
    side = 0 if attacking else 1
    _to_front(memory, ply, memory.enders[ply, side])
    if frame[FIRST] != NO_MOVE_KEPT:
        _to_front(memory, ply, frame[FIRST])
    first = frame[CHILDREN]
    kept = first
    for i in range(first, first + frame[COUNT]):
        chosen = moves[i]
        verdict = _made(memory, ply, left, chosen, kept)
        if verdict == NO_GOAL:
            return verdict
        if verdict == OPEN:
            moves[kept] = chosen
            kept += 1
            continue
        if (verdict == PROVED) == attacking:
            memory.enders[ply, side] = chosen
            return verdict
        if verdict == FAILED:
            frame[LASTING] = 0
    frame[COUNT] = kept - first
    return OPEN


@part
def ask_table(memory: Memory, ply: Int, left: Int) -> Any:
    """Drop the children that the table knows; return the verdict on the state if one of them decides, else OPEN."""
    frame, moves, rows = memory.frames[ply], memory.moves, memory.rows
    if left <= memory.setup[WORTH_ASKING]:
        return OPEN
    attacking = frame[MOVER] == memory.setup[ATTACKER]
    kept = frame[CHILDREN]
    for i in range(kept, kept + frame[COUNT]):
        verdict, _ = remembered(memory, i, left - 1)
        if verdict == OPEN:
            if i > kept:
                moves[kept] = moves[i]
                for word in range(rows.shape[1]):
                    rows[kept, word] = rows[i, word]
            kept += 1
        elif (verdict == PROVED) == attacking:
            store(memory, frame[ROW], left, verdict, moves[i])
            return verdict
        elif verdict == FAILED:
            frame[LASTING] = 0
    frame[COUNT] = kept - frame[CHILDREN]
    return OPEN


@part
def _place_of(word: Int, bits: np.uint64) -> Any:
    """Return the number of the fact of the lowest bit of a word of a state."""
    return 64 * word + np.int64(count_ones((bits & (~bits + np.uint64(1))) - np.uint64(1)))


@part
def weigh(memory: Memory, ply: Int) -> None:
    """Set the weights of the children: how often it was right to make the facts true that they add to the state."""
    frame, rows, weights = memory.frames[ply], memory.rows, memory.weights
    history = memory.history[0 if frame[MOVER] == memory.setup[ATTACKER] else 1]
    parent = frame[ROW]
    for child in range(frame[CHILDREN], frame[CHILDREN] + frame[COUNT]):
        total = np.int64(0)
        for word in range(memory.setup[STATE_WORDS]):
            bits = rows[child, word] & ~rows[parent, word]
            while bits:
                total += history[_place_of(word, bits)]
                bits &= bits - np.uint64(1)
        weights[child] = _FIRST if memory.moves[child] == frame[FIRST] else total


@part
def reward(memory: Memory, ply: Int, child: Int, left: Int) -> None:
    """Remember that a move was right, and the facts that it adds; the more plies are left, the more this counts."""
    frame, rows = memory.frames[ply], memory.rows
    side = 0 if frame[MOVER] == memory.setup[ATTACKER] else 1
    memory.habits[side, memory.moves[child]] += left * left
    history = memory.history[side]
    for word in range(memory.setup[STATE_WORDS]):
        bits = rows[child, word] & ~rows[frame[ROW], word]
        while bits:
            history[_place_of(word, bits)] += left * left
            bits &= bits - np.uint64(1)


@part
def postpone(memory: Memory, ply: Int) -> None:
    """Leave the listed moves to be made one by one, those first that were right most often."""
    frame = memory.frames[ply]
    habits = memory.habits[0 if frame[MOVER] == memory.setup[ATTACKER] else 1]
    for i in range(frame[CHILDREN], frame[CHILDREN] + frame[COUNT]):
        chosen = memory.moves[i]
        memory.weights[i] = _FIRST if chosen == frame[FIRST] else habits[chosen]
    frame[LISTED] = 1


@part
def take_best(memory: Memory, ply: Int, left: Int) -> Any:
    """Return the verdict on the child with the highest weight, which becomes the last one of those that are left.

    The verdict is OPEN unless the child is made only now, and is terminal.
    """
    frame, rows, weights, moves = memory.frames[ply], memory.rows, memory.weights, memory.moves
    best, last = frame[CHILDREN], frame[CHILDREN] + frame[COUNT] - 1
    for i in range(best + 1, last + 1):
        if weights[i] > weights[best]:
            best = i
    if best != last:
        weights[best], weights[last] = weights[last], weights[best]
        moves[best], moves[last] = moves[last], moves[best]
        for word in range(0 if frame[LISTED] else rows.shape[1]):
            rows[best, word], rows[last, word] = rows[last, word], rows[best, word]
    frame[COUNT] -= 1
    return _made(memory, ply, left, moves[last], last) if frame[LISTED] else OPEN
