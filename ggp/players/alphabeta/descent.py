"""Alpha-beta search over machine code for single states, compiled by Numba. This module loads Numba.

The search keeps its stack in arrays (`frames`, one row a ply), so that it can stop after any number of nodes and go
on later: whoever calls it looks at the clock in between, and nothing is lost. Windows and values travel between
plies as the first role sees them; inside a node they are those of the role that chooses there. So a role may move
several times in a row.

What is done at a node, in the words of the field: fail-soft alpha-beta with principal variation search (Marsland and
Campbell 1982), a transposition table, killer moves and history (Schaeffer 1989), and no cost in depth for moves
without a choice. A position that comes back on the way to it counts as even; what that or the horizon has touched is
never kept as proved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numba import njit, types

from ggp.players.alphabeta.evaluation import (
    I32_1,
    I32_2,
    I64_1,
    I64_2,
    U64_1,
    U64_2,
    choices,
    difference,
    estimate,
    hashed,
    kept,
    list_moves,
    look,
    move,
    stamp,
)
from ggp.players.alphabeta.layout import (
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
)
from ggp.players.alphabeta.values import INFINITE, LONGEST, POINT, WIN, WON

#: Keys of moves: that of the table, killers, and the most that history gives.
_FROM_TABLE: Final = 1 << 30
_KILLER: Final = 1 << 28
_HISTORY: Final = 1 << 15

#: Whose move it is where the game is over, or cannot go on.
_OVER: Final = -1

#: What makes the hash of a state, with a move that one role has made already, one of its own.
_ODD: Final = 0x9E3779B97F4A7C15


@njit(nogil=True)
def _end(setup: Any, outs: Any, ply: int, goals: Any) -> Any:
    """What the end of the game is worth to the first role."""
    found = difference(setup, outs, ply, goals)
    if found >= setup[BEST_GOAL]:
        return WIN - ply
    if found <= setup[WORST_GOAL]:
        return ply - WIN
    return found * POINT


@njit(nogil=True)
def _known(table: Any, key: Any) -> Any:
    """The place of a state in the table, -1 if it is not there."""
    place = np.int64(key & np.uint64(len(table) // BUCKET - 1)) * BUCKET
    for entry in range(place, place + BUCKET):
        if table[entry, 0] == key:
            return entry
    return -1


@njit(nogil=True)
def _keep(table: Any, key: Any, generation: Any, value: Any, depth: Any, kind: Any, best: Any) -> None:
    """Keep what a node came to; `value` counts plies to an end from the node.

    It takes the place of the same state, or of the one that is the least deep and longest ago. What is proved is not
    replaced by what is not.
    """
    place = np.int64(key & np.uint64(len(table) // BUCKET - 1)) * BUCKET
    chosen: Any = place
    least: Any = 1 << 20
    for entry in range(place, place + BUCKET):
        data: Any = np.int64(table[entry, 1])
        if table[entry, 0] == key:
            held_depth, held = (data >> 16) & 255, (data & 0xFFFF) - 32768
            won = abs(held) >= WON and ((data >> 24) & 3) == EXACT
            if (held_depth == ENDLESS and depth != ENDLESS) or (won and abs(value) < WON):
                return
            chosen = entry
            if best < 0:
                best = ((data >> 32) & 0xFFFF) - 1
            break
        worth = ((data >> 16) & 255) - 8 * ((generation - (data >> 26)) & 63)
        if worth < least:
            chosen, least = entry, worth
    data = (value + 32768) | (depth << 16) | (kind << 24) | (generation << 26) | ((best + 1) << 32)
    table[chosen, 0] = key
    table[chosen, 1] = np.uint64(data)


@njit(nogil=True)
def _reward(history: Any, mover: int, moves: Any, tried: int, depth: int) -> None:
    """A move was good enough to try no other; those that were tried before it were not."""
    gain = min(16 * depth * depth, _HISTORY >> 4)
    for i in range(tried + 1):
        held = history[mover, moves[i]]
        history[mover, moves[i]] = held + (gain if i == tried else -gain) - held * gain // _HISTORY


@njit(nogil=True)
def _best_first(moves: Any, keys: Any, tried: int, count: int) -> Any:
    """The untried move with the highest key; it changes places with the first of them."""
    best = tried
    for i in range(tried + 1, count):
        if keys[i] > keys[best]:
            best = i
    moves[best], moves[tried] = moves[tried], moves[best]
    keys[best], keys[tried] = keys[tried], keys[best]
    return moves[tried]


@njit(nogil=True)
def _choosing(setup: Any, outs: Any, ply: int, joint: Any) -> Any:
    """Who chooses where the game goes on, what the other does (-1 if it chooses, too), and whether there is no choice.

    The role is -1 where one has no legal move.
    """
    first, second = choices(setup, outs, ply, 0), choices(setup, outs, ply, 1)
    if first == 0 or second == 0:
        return _OVER, -1, False
    if first > 1 and second > 1:
        return setup[ME], -1, False
    mover = 1 if second > 1 else 0
    rival = 1 - mover
    at = setup[OUTS] + 8 * ply * setup[ROW_WORDS]
    list_moves(setup[LEGAL], at, setup[LEGAL_WORD + rival], setup[MOVE_WORDS + rival], setup[LONE])
    return mover, setup[FIRST_MOVE + rival] + joint[2], first + second == 2


def _make(mark: int) -> Callable[..., int]:
    """The search before it is compiled; the mark is a stamp."""

    def search(
        setup: Any,
        tally: Any,
        frames: Any,
        states: Any,
        outs: Any,
        moves: Any,
        keys: Any,
        joint: Any,
        table: Any,
        history: Any,
        killers: Any,
        hashes: Any,
        seen: Any,
        sums: Any,
        goals: Any,
        budget: int,
    ) -> int:
        """Go on with a search for so many nodes; whether it is done. `Search` says what the arrays are."""
        if budget < 0:
            return mark
        ply = tally[PLY]
        nodes, horizons = tally[NODES], tally[HORIZONS]
        stop = nodes + budget
        words, row_bytes = setup[STATE_WORDS], 8 * setup[ROW_WORDS]
        value: Any = 0
        while True:
            # Enter a node: it has a value at once, or moves to try.
            if nodes >= stop:
                tally[PLY], tally[NODES], tally[HORIZONS] = ply, nodes, horizons
                return 0
            nodes += 1
            over = False
            depth = frames[ply, DEPTH]
            if frames[ply, FIXED] >= 0:
                mover, forced = 1 - setup[ME], False
                other = setup[FIRST_MOVE + setup[ME]] + frames[ply, FIXED]
                key = hashes[ply]
            else:
                look(setup[LOOK], setup[STATES] + ply * row_bytes, setup[OUTS] + ply * row_bytes, setup[WORK])
                mover, other, forced = _OVER, -1, False
                if outs[ply, 0] & np.uint64(1):
                    over, value = True, _end(setup, outs, ply, goals)
                else:
                    key = hashed(states, ply, words)
                    hashes[ply] = key
                    mover, other, forced = _choosing(setup, outs, ply, joint)
                    again = mover == _OVER
                    if ply > 0:
                        again |= seen[key & np.uint64(len(seen) - 1)] == key
                        for earlier in range(ply):
                            again |= hashes[earlier] == key
                    if again:
                        over, value = True, 0
                        horizons += 1
                    elif (depth <= 0 and not forced) or ply >= LONGEST - 2:
                        over, value = True, estimate(setup, states, ply, sums)
                        horizons += 1
            if not over:
                low, high = frames[ply, LOW], frames[ply, HIGH]
                alpha, beta = (low, high) if mover == 0 else (-high, -low)
                # Nothing is better than to win with the next move, or worse than to have lost by now.
                alpha, beta = max(alpha, ply - WIN), min(beta, WIN - ply - 1)
                if alpha >= beta and ply > 0:
                    over, value = True, alpha
                best_known: Any = -1
                entry = _known(table, key)
                if entry >= 0:
                    data = np.int64(table[entry, 1])
                    known: Any = (data & 0xFFFF) - 32768
                    known_depth: Any = (data >> 16) & 255
                    kind: Any = (data >> 24) & 3
                    best_known = ((data >> 32) & 0xFFFF) - 1
                    proved = known_depth == ENDLESS
                    if known >= WON:
                        known -= ply
                        proved |= kind != AT_MOST
                    elif known <= -WON:
                        known += ply
                        proved |= kind != AT_LEAST
                    useful = kind == EXACT or (known >= beta if kind == AT_LEAST else known <= alpha)
                    if not over and ply > 0 and useful and (proved or known_depth >= depth):
                        over, value = True, known
                        if not proved:
                            horizons += 1
                if over:
                    value = value if mover == 0 else -value
                else:
                    count = list_moves(
                        setup[LEGAL],
                        setup[OUTS] + ply * row_bytes,
                        setup[LEGAL_WORD + mover],
                        setup[MOVE_WORDS + mover],
                        setup[MOVES] + 4 * ply * setup[MOST_MOVES],
                    )
                    for i in range(count):
                        tried = moves[ply, i]
                        rank = history[mover, tried]
                        if tried == best_known:
                            rank += _FROM_TABLE
                        elif tried == killers[ply, 0]:
                            rank += _KILLER + 1
                        elif tried == killers[ply, 1]:
                            rank += _KILLER
                        keys[ply, i] = rank
                    frames[ply, ALPHA], frames[ply, BETA] = alpha, beta
                    frames[ply, BEST], frames[ply, BEST_MOVE] = -INFINITE, -1
                    frames[ply, TRIED], frames[ply, COUNT] = 0, count
                    frames[ply, MOVER], frames[ply, OTHER] = mover, other
                    frames[ply, CLEAN], frames[ply, STAGE] = horizons, WHOLE
            # Hand values up, until there is a child to enter.
            while True:
                if over:
                    if ply == 0:
                        tally[PLY], tally[NODES], tally[HORIZONS], tally[RESULT] = 0, nodes, horizons, value
                        return 1
                    ply -= 1
                    mover, beta = frames[ply, MOVER], frames[ply, BETA]
                    mine = value if mover == 0 else -value
                    alpha = max(frames[ply, BEST], frames[ply, ALPHA])
                    if frames[ply, STAGE] == EMPTY and alpha < mine < beta and beta - alpha > 1:
                        # Better than thought: how good is it?
                        frames[ply, STAGE] = AGAIN
                        ply += 1
                        frames[ply, LOW], frames[ply, HIGH] = (alpha, beta) if mover == 0 else (-beta, -alpha)
                        break
                    tried = frames[ply, TRIED]
                    frames[ply, TRIED] = tried + 1
                    if mine > frames[ply, BEST]:
                        frames[ply, BEST] = mine
                        if mine > frames[ply, ALPHA]:
                            frames[ply, BEST_MOVE] = moves[ply, tried]
                    if mine >= beta and frames[ply, COUNT] > 1:
                        _reward(history, mover, moves[ply], tried, max(1, frames[ply, DEPTH]))
                        if killers[ply, 0] != moves[ply, tried]:
                            killers[ply, 1] = killers[ply, 0]
                            killers[ply, 0] = moves[ply, tried]
                best, alpha, beta, mover = frames[ply, BEST], frames[ply, ALPHA], frames[ply, BETA], frames[ply, MOVER]
                tried, count, depth = frames[ply, TRIED], frames[ply, COUNT], frames[ply, DEPTH]
                over = tried == count or best >= beta
                if over:
                    from_here = best + ply if best >= WON else best - ply if best <= -WON else best
                    kind = AT_LEAST if best >= beta else EXACT if best > alpha else AT_MOST
                    reached = ENDLESS if horizons == frames[ply, CLEAN] else max(0, depth)
                    _keep(table, hashes[ply], setup[GENERATION], from_here, reached, kind, frames[ply, BEST_MOVE])
                    value = best if mover == 0 else -best
                    continue
                # The next child.
                now = _best_first(moves[ply], keys[ply], tried, count)
                alpha = max(best, alpha)
                if tried > 0:
                    # The first was likely the best: it is enough to show that this one is not better.
                    frames[ply, STAGE] = EMPTY
                    beta = alpha + 1
                cost = 0 if count == 1 else 1
                if frames[ply, OTHER] < 0:
                    # The other role chooses, too: after this one, and knowing its move.
                    for word in range(setup[ROW_WORDS]):
                        states[ply + 1, word] = states[ply, word]
                        outs[ply + 1, word] = outs[ply, word]
                    hashes[ply + 1] = hashes[ply] ^ (np.uint64(now + 1) * np.uint64(_ODD))
                    frames[ply + 1, FIXED] = now
                    cost = 0
                else:
                    joint[mover] = setup[FIRST_MOVE + mover] + now
                    joint[1 - mover] = frames[ply, OTHER]
                    here, there = setup[STATES] + ply * row_bytes, setup[STATES] + (ply + 1) * row_bytes
                    move(setup[MOVE], here, setup[JOINT], there, setup[WORK])
                    frames[ply + 1, FIXED] = -1
                ply += 1
                frames[ply, DEPTH] = depth - cost
                frames[ply, LOW], frames[ply, HIGH] = (alpha, beta) if mover == 0 else (-beta, -alpha)
                break

    return search


#: `search(setup, tally, frames, ..., budget)`: as above.
search: Any = kept(
    types.int64(
        *(I64_1, I64_1, I64_2, U64_2, U64_2, I32_2, I32_2, I32_1, U64_2),
        *(I32_2, I32_2, U64_1, U64_1, I64_2, I32_2, types.int64),
    ),
    _make(stamp()),
)
