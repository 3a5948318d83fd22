"""The inner loop of the search by depth, compiled by Numba; this module loads Numba.

The question is always the same: can one role, the attacker, force the game to end within a number of plies with a goal
value that is good for it? The answer does not depend on the path to a state, so it can be kept and reused whenever the
state recurs, even in games with cycles. A refutation that never reaches the limit of plies holds for any limit.

All moves of a state are made before any of the states after it is searched: an end may decide at once, and so may a
result in the table (enhanced transposition cutoffs, Schaeffer and Plaat 1996). So a threat to end the game is answered
without a search of the moves that ignore it.

The stack is in arrays, so that a search can pause after any number of nodes and be continued later.
"""

from __future__ import annotations

from typing import Any

from gdl.codegen.array_types import Int
from gdl.codegen.compiled_functions import compiled, part
from gdl.simulator.kernel_calls import look
from ggp.solver.search_children import (
    address,
    ask_table,
    ended,
    list_choices,
    make_children,
    postpone,
    remembered,
    reward,
    store,
    take_best,
    weigh,
)
from ggp.solver.search_memory import (
    ATTACKER,
    BEGUN,
    CHILDREN,
    COUNT,
    DEPTH,
    DONE,
    FAILED,
    FAULT,
    FEW,
    FIRST,
    FULL,
    LASTING,
    LOOK,
    MOVER,
    NODES,
    OPEN,
    PAUSED,
    PLY,
    PROVED,
    REFUTED,
    ROW,
    STATE_WORDS,
    VERDICT,
    WORK,
    Memory,
)
from ggp.solver.search_table import NO_MOVE_KEPT


@part
def _looked_at(memory: Memory) -> Any:
    """Look at the root; return the verdict on it, OPEN if it must be searched."""
    setup, registers, frames = memory.setup, memory.registers, memory.frames
    root = address(memory, 0)
    look(setup[LOOK], root, root + 8 * setup[STATE_WORDS], setup[WORK])
    registers[NODES] += 1
    registers[BEGUN], registers[FAULT] = 1, 0
    frames[0, ROW], frames[0, CHILDREN] = 0, 1
    verdict = ended(memory, 0)
    return FAILED if verdict == OPEN and setup[DEPTH] == 0 else verdict


@part
def _entered(memory: Memory, ply: Int, left: Int) -> Any:
    """Return the verdict on a state that is not terminal; if it is OPEN, the states after it must be searched."""
    frame = memory.frames[ply]
    verdict, frame[FIRST] = remembered(memory, frame[ROW], left)
    if verdict == OPEN:
        verdict = list_choices(memory, ply)
        memory.registers[FAULT] = frame[ROW]
    if verdict == OPEN and left <= memory.setup[FEW] and frame[MOVER] != memory.setup[ATTACKER]:
        postpone(memory, ply)
        return OPEN
    if verdict == OPEN:
        verdict = make_children(memory, ply, left)
    if verdict == OPEN:
        verdict = ask_table(memory, ply, left)
    if verdict == OPEN:
        weigh(memory, ply)
    return verdict


@part
def _returned(memory: Memory, ply: Int, left: Int, verdict: Int) -> Any:
    """Return the verdict on a state, given the verdict on the state after one of its moves."""
    frame = memory.frames[ply]
    if (verdict == PROVED) != (frame[MOVER] == memory.setup[ATTACKER]):
        if verdict != REFUTED:
            frame[LASTING] = 0
        return OPEN
    # The move decides: it proves the state for the attacker, or refutes it for the others.
    child = frame[CHILDREN] + frame[COUNT]
    reward(memory, ply, child, left)
    store(memory, frame[ROW], left, verdict, memory.moves[child])
    return verdict


@part
def _exhausted(memory: Memory, ply: Int, left: Int) -> Any:
    """Return the verdict on a state if none of its moves decides."""
    frame = memory.frames[ply]
    verdict = PROVED
    if frame[MOVER] == memory.setup[ATTACKER]:
        verdict = REFUTED if frame[LASTING] else FAILED
    store(memory, frame[ROW], left, verdict, NO_MOVE_KEPT)
    return verdict


@compiled
def run(memory: Memory, limit: int) -> int:
    """Continue the search for about `limit` nodes; return PAUSED, FULL, DONE, or an error."""
    registers, frames = memory.registers, memory.frames
    ply, verdict, stop = registers[PLY], registers[VERDICT], registers[NODES] + limit
    room = len(memory.rows) - len(memory.listed)
    if not registers[BEGUN]:
        verdict = _looked_at(memory)
        if verdict != OPEN:
            registers[VERDICT] = verdict
            return DONE if verdict <= REFUTED else verdict
    while True:
        left = memory.setup[DEPTH] - ply
        if verdict == OPEN:
            if registers[NODES] >= stop or frames[ply, CHILDREN] > room:
                status = PAUSED if registers[NODES] >= stop else FULL
                break
            verdict = _entered(memory, ply, left)
            if verdict > REFUTED:
                status = verdict
                break
        else:
            verdict = _returned(memory, ply, left, verdict)
        if verdict == OPEN:
            if frames[ply, COUNT] > 0:
                verdict = take_best(memory, ply, left)
                if verdict > REFUTED:
                    status = verdict
                    break
                if verdict == OPEN:
                    row = frames[ply, CHILDREN] + frames[ply, COUNT]
                    ply += 1
                    frames[ply, ROW], frames[ply, CHILDREN] = row, row + 1
                continue
            verdict = _exhausted(memory, ply, left)
        if ply == 0:
            status = DONE
            break
        ply -= 1
    registers[PLY], registers[VERDICT] = ply, verdict
    return int(status)
