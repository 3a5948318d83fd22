"""Alpha-beta search over machine code for single states, compiled by Numba. This module loads Numba.

The search keeps its stack in arrays (`frames`, one row per ply), so it can stop after any number of nodes and resume
later: the caller checks the clock in between, and no work is lost. Between plies, windows and values are those of the
first role; inside a node they are those of the role that chooses there. So a role may move several times in a row.

The techniques are fail-soft alpha-beta with principal variation search (Marsland and Campbell 1982), a transposition
table, killer moves and the history heuristic (Schaeffer 1989). Forced moves cost no depth. A repeated position on the
current line counts as a draw. Values that depend on a repetition or on the horizon are never stored as proved.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from gdl.codegen.array_types import I64_2, U64_2, Int
from gdl.codegen.compiled_functions import compiled, part
from gdl.simulator.hashing import hash_row, hash_with
from gdl.simulator.kernel_calls import list_moves, look, move
from ggp.players.alphabeta.evaluation import choices, difference, estimate
from ggp.players.alphabeta.search_memory import (
    AGAIN,
    ALPHA,
    AT_LEAST,
    AT_MOST,
    BEST,
    BEST_GOAL,
    BEST_MOVE,
    BETA,
    BUCKET,
    CLEAN,
    COUNT,
    DEPTH,
    EMPTY,
    ENDLESS,
    EXACT,
    FIRST_MOVE,
    FIXED,
    GENERATION,
    HIGH,
    HORIZONS,
    JOINT,
    LEGAL,
    LEGAL_WORD,
    LONE,
    LOOK,
    LOW,
    ME,
    MOST_MOVES,
    MOVE,
    MOVE_WORDS,
    MOVER,
    MOVES,
    NODES,
    OTHER,
    OUTS,
    PLY,
    RESULT,
    ROW_WORDS,
    STAGE,
    STATE_WORDS,
    STATES,
    TRIED,
    WHOLE,
    WORK,
    WORST_GOAL,
    Memory,
)
from ggp.players.alphabeta.values import INFINITE, LONGEST, WIN, WON
from ggp.players.learned_values.units import POINT


@part
def known_value(data: Int) -> Any:
    """Return the value in an entry's data."""
    return (data & 0xFFFF) - 32768


@part
def known_depth(data: Int) -> Any:
    """Return the depth in an entry's data."""
    return (data >> 16) & 255


@part
def known_kind(data: Int) -> Any:
    """Return the kind of value in an entry's data: `AT_LEAST`, `AT_MOST` or `EXACT`."""
    return (data >> 24) & 3


@part
def known_move(data: Int) -> Any:
    """Return the best move in an entry's data, -1 for none."""
    return (data >> 32) - 1


@part
def find(table: U64_2, key: np.uint64) -> Any:
    """Return the data of a state's entry in the table, 0 if there is none."""
    place = np.int64(key & np.uint64(len(table) // BUCKET - 1)) * BUCKET
    for entry in range(place, place + BUCKET):
        # Read once: another thread may replace it at any moment.
        data = table[entry, 1]
        if table[entry, 0] ^ data == key:
            return np.int64(data)
    return np.int64(0)


@part
def keep(table: U64_2, key: np.uint64, generation: Int, value: Int, depth: Int, kind: Int, best: Int) -> None:
    """Store the result of a node; `value` counts the plies to an end from the node.

    It replaces the entry of the same state, or else the shallowest and oldest entry of the bucket. A proved result for
    the same state is not replaced by an unproved one.
    """
    place = np.int64(key & np.uint64(len(table) // BUCKET - 1)) * BUCKET
    chosen: Any = place
    least: Any = 1 << 20
    for entry in range(place, place + BUCKET):
        data: Any = np.int64(table[entry, 1])
        if table[entry, 0] ^ np.uint64(data) == key:
            won = abs(known_value(data)) >= WON and known_kind(data) == EXACT
            if (known_depth(data) == ENDLESS and depth != ENDLESS) or (won and abs(np.int64(value)) < WON):
                return
            chosen = entry
            if best < 0:
                best = known_move(data)
            break
        worth = known_depth(data) - 8 * ((generation - (data >> 26)) & 63)
        if worth < least:
            chosen, least = entry, worth
    data = (value + 32768) | (depth << 16) | (kind << 24) | (generation << 26) | ((best + 1) << 32)
    table[chosen, 0] = key ^ np.uint64(data)
    table[chosen, 1] = np.uint64(data)


#: Sort keys of moves: for the table's move, for killer moves, and the limit of the history.
_FROM_TABLE: Final = 1 << 30
_KILLER: Final = 1 << 28
_HISTORY: Final = 1 << 15

#: The mover if the game is over or cannot go on.
_OVER: Final = -1


@part
def _seen_by(mover: Int, value: Int) -> Any:
    """Convert a value from the first role's view to a role's own, or back."""
    return value if mover == 0 else -value


@part
def _end(memory: Memory, ply: Int) -> Any:
    """Return the first role's value of a terminal state."""
    setup = memory.setup
    found = difference(memory, ply)
    if found >= setup[BEST_GOAL]:
        return WIN - ply
    if found <= setup[WORST_GOAL]:
        return ply - WIN
    return found * POINT


@part
def _choosing(memory: Memory, ply: Int) -> Any:
    """Return the role that chooses, the other role's move, and True if neither role has a choice.

    The role is -1 if either has no legal move. The other's move is -1 if it has a choice too.
    """
    setup = memory.setup
    first, second = choices(memory, ply, 0), choices(memory, ply, 1)
    if first == 0 or second == 0:
        return _OVER, -1, False
    if first > 1 and second > 1:
        return setup[ME], -1, False
    mover = 1 if second > 1 else 0
    rival = 1 - mover
    at = setup[OUTS] + 8 * ply * setup[ROW_WORDS]
    list_moves(setup[LEGAL], at, setup[LEGAL_WORD + rival], setup[MOVE_WORDS + rival], setup[LONE])
    return mover, setup[FIRST_MOVE + rival] + memory.joint[2], first + second == 2


@part
def _comes_back(memory: Memory, ply: Int) -> Any:
    """Return True if the state at a ply has occurred before, in the match or on the current line."""
    hashes, seen = memory.hashes, memory.seen
    key = hashes[ply]
    again = ply > 0 and seen[key & np.uint64(len(seen) - 1)] == key
    for earlier in range(ply):
        again |= hashes[earlier] == key
    return again


@part
def _looked_at(memory: Memory, ply: Int) -> Any:
    """Look at the state at a ply. Return True if its value is known at once, the value, the mover and the other's move.

    The value is known if the game is over or cannot go on, the state is a repetition, or the horizon is reached.
    """
    setup, frames, tally = memory.setup, memory.frames, memory.tally
    if frames[ply, FIXED] >= 0:
        return False, 0, 1 - setup[ME], setup[FIRST_MOVE + setup[ME]] + frames[ply, FIXED]
    shift = 8 * ply * setup[ROW_WORDS]
    look(setup[LOOK], setup[STATES] + shift, setup[OUTS] + shift, setup[WORK])
    if memory.outs[ply, 0] & np.uint64(1):
        return True, _end(memory, ply), _OVER, -1
    memory.hashes[ply] = hash_row(memory.states, ply, setup[STATE_WORDS])
    mover, other, forced = _choosing(memory, ply)
    if mover == _OVER or _comes_back(memory, ply):
        tally[HORIZONS] += 1
        return True, 0, mover, other
    if (frames[ply, DEPTH] <= 0 and not forced) or ply >= LONGEST - 2:
        tally[HORIZONS] += 1
        return True, estimate(memory, ply), mover, other
    return False, 0, mover, other


@part
def _decided(memory: Memory, ply: Int, mover: Int) -> Any:
    """Return True if the window or the table decides the value, the value, and the table's best move, or -1."""
    frames = memory.frames
    alpha, beta = frames[ply, LOW], frames[ply, HIGH]
    if mover:
        alpha, beta = -beta, -alpha
    # Nothing is better than winning with the next move, or worse than having lost by now.
    alpha, beta = max(alpha, ply - WIN), min(beta, WIN - ply - 1)
    frames[ply, ALPHA], frames[ply, BETA] = alpha, beta
    if alpha >= beta and ply > 0:
        return True, alpha, -1
    data = find(memory.table, memory.hashes[ply])
    if data == 0:
        return False, 0, -1
    known, depth, kind = known_value(data), known_depth(data), known_kind(data)
    proved = depth == ENDLESS
    if known >= WON:
        known -= ply
        proved |= kind != AT_MOST
    elif known <= -WON:
        known += ply
        proved |= kind != AT_LEAST
    useful = kind == EXACT or (known >= beta if kind == AT_LEAST else known <= alpha)
    if ply > 0 and useful and (proved or depth >= frames[ply, DEPTH]):
        if not proved:
            memory.tally[HORIZONS] += 1
        return True, known, -1
    return False, 0, known_move(data)


@part
def _rank_moves(memory: Memory, ply: Int, mover: Int, best_known: Int) -> Any:
    """List the moves of the role that chooses, each with a sort key; return their number."""
    setup, moves, keys, killers = memory.setup, memory.moves, memory.keys, memory.killers
    count = list_moves(
        setup[LEGAL],
        setup[OUTS] + 8 * ply * setup[ROW_WORDS],
        setup[LEGAL_WORD + mover],
        setup[MOVE_WORDS + mover],
        setup[MOVES] + 4 * ply * setup[MOST_MOVES],
    )
    for i in range(count):
        tried = moves[ply, i]
        rank = memory.history[mover, tried]
        if tried == best_known:
            rank += _FROM_TABLE
        elif tried == killers[ply, 0]:
            rank += _KILLER + 1
        elif tried == killers[ply, 1]:
            rank += _KILLER
        keys[ply, i] = rank
    return count


@part
def _entered(memory: Memory, ply: Int) -> Any:
    """Enter a node: return True and its value in the first role's view if that is known; else prepare its moves."""
    frames = memory.frames
    over, value, mover, other = _looked_at(memory, ply)
    if over:
        return True, value
    over, value, best_known = _decided(memory, ply, mover)
    if over:
        return True, _seen_by(mover, value)
    frames[ply, TRIED], frames[ply, COUNT] = 0, _rank_moves(memory, ply, mover, best_known)
    frames[ply, BEST], frames[ply, BEST_MOVE] = -INFINITE, -1
    frames[ply, MOVER], frames[ply, OTHER] = mover, other
    frames[ply, CLEAN], frames[ply, STAGE] = memory.tally[HORIZONS], WHOLE
    return False, 0


@part
def _set_window(frames: I64_2, ply: Int, alpha: Int, beta: Int) -> None:
    """Set the window of a node's child, given in the view of the role that chooses at the node."""
    if frames[ply, MOVER]:
        alpha, beta = -beta, -alpha
    frames[ply + 1, LOW], frames[ply + 1, HIGH] = alpha, beta


@part
def _reward(memory: Memory, ply: Int, tried: Int) -> None:
    """Reward the move that caused a cutoff, in the history and the killers; penalize the moves tried before it."""
    frames, moves, killers = memory.frames, memory.moves, memory.killers
    history = memory.history[frames[ply, MOVER]]
    depth = max(1, frames[ply, DEPTH])
    gain = min(16 * depth * depth, _HISTORY >> 4)
    for i in range(tried + 1):
        held = history[moves[ply, i]]
        history[moves[ply, i]] = held + (gain if i == tried else -gain) - held * gain // _HISTORY
    if killers[ply, 0] != moves[ply, tried]:
        killers[ply, 1] = killers[ply, 0]
        killers[ply, 0] = moves[ply, tried]


@part
def _returned(memory: Memory, ply: Int, value: Int) -> Any:
    """Take the value of a node's child; return True if the child has to be searched again with the full window."""
    frames = memory.frames
    mine, beta = _seen_by(frames[ply, MOVER], value), frames[ply, BETA]
    alpha = max(frames[ply, BEST], frames[ply, ALPHA])
    if frames[ply, STAGE] == EMPTY and alpha < mine < beta and beta - alpha > 1:
        # The move is better than expected, so find out its exact value.
        frames[ply, STAGE] = AGAIN
        _set_window(frames, ply, alpha, beta)
        return True
    tried = frames[ply, TRIED]
    frames[ply, TRIED] = tried + 1
    if mine > frames[ply, BEST]:
        frames[ply, BEST] = mine
        if mine > frames[ply, ALPHA]:
            frames[ply, BEST_MOVE] = memory.moves[ply, tried]
    if mine >= beta and frames[ply, COUNT] > 1:
        _reward(memory, ply, tried)
    return False


@part
def _closed(memory: Memory, ply: Int) -> Any:
    """Return True and the value in the first role's view if a node is finished, and store it in the table."""
    frames = memory.frames
    best, beta = frames[ply, BEST], frames[ply, BETA]
    if frames[ply, TRIED] < frames[ply, COUNT] and best < beta:
        return False, 0
    from_here = best + ply if best >= WON else best - ply if best <= -WON else best
    kind = AT_LEAST if best >= beta else EXACT if best > frames[ply, ALPHA] else AT_MOST
    untouched = memory.tally[HORIZONS] == frames[ply, CLEAN]
    depth = ENDLESS if untouched else max(0, frames[ply, DEPTH])
    keep(memory.table, memory.hashes[ply], memory.setup[GENERATION], from_here, depth, kind, frames[ply, BEST_MOVE])
    return True, _seen_by(frames[ply, MOVER], best)


@part
def _best_first(memory: Memory, ply: Int) -> Any:
    """Return the untried move with the highest key, after swapping it with the first untried one."""
    frames, moves, keys = memory.frames, memory.moves, memory.keys
    tried = frames[ply, TRIED]
    best = tried
    for i in range(tried + 1, frames[ply, COUNT]):
        if keys[ply, i] > keys[ply, best]:
            best = i
    moves[ply, best], moves[ply, tried] = moves[ply, tried], moves[ply, best]
    keys[ply, best], keys[ply, tried] = keys[ply, tried], keys[ply, best]
    return moves[ply, tried]


@part
def _open_child(memory: Memory, ply: Int) -> None:
    """Make the next move of a node: set up the state, the window and the depth at the next ply."""
    setup, frames, joint, hashes = memory.setup, memory.frames, memory.joint, memory.hashes
    now, mover = _best_first(memory, ply), frames[ply, MOVER]
    alpha, beta = max(frames[ply, BEST], frames[ply, ALPHA]), frames[ply, BETA]
    if frames[ply, TRIED] > 0:
        # The first move is likely the best, so it suffices to show that this one is not better.
        frames[ply, STAGE] = EMPTY
        beta = alpha + 1
    _set_window(frames, ply, alpha, beta)
    cost = 0 if frames[ply, COUNT] == 1 else 1
    if frames[ply, OTHER] < 0:
        # The other role has a choice too: it chooses after this one, knowing its move.
        for word in range(setup[ROW_WORDS]):
            memory.states[ply + 1, word] = memory.states[ply, word]
            memory.outs[ply + 1, word] = memory.outs[ply, word]
        hashes[ply + 1] = hash_with(hashes[ply], now)
        frames[ply + 1, FIXED] = now
        cost = 0
    else:
        joint[mover] = setup[FIRST_MOVE + mover] + now
        joint[1 - mover] = frames[ply, OTHER]
        row_bytes = 8 * setup[ROW_WORDS]
        here = setup[STATES] + ply * row_bytes
        move(setup[MOVE], here, setup[JOINT], here + row_bytes, setup[WORK])
        frames[ply + 1, FIXED] = -1
    frames[ply + 1, DEPTH] = frames[ply, DEPTH] - cost


@compiled
def search(memory: Memory, budget: int) -> int:
    """Continue a search for `budget` nodes; return 1 if it is done, otherwise 0."""
    tally = memory.tally
    ply, stop = tally[PLY], tally[NODES] + budget
    while tally[NODES] < stop:
        tally[NODES] += 1
        over, value = _entered(memory, ply)
        again = False
        # Pass values up until there is a child to enter.
        while over:
            if ply == 0:
                tally[PLY], tally[RESULT] = 0, value
                return 1
            ply -= 1
            again = _returned(memory, ply, value)
            if again:
                break
            over, value = _closed(memory, ply)
        if not again:
            _open_child(memory, ply)
        ply += 1
    tally[PLY] = ply
    return 0
