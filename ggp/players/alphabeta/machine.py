"""The inner loops, compiled by Numba: alpha-beta over machine code for single states. This module loads Numba.

The search keeps its stack in arrays (`frames`, one row a ply), so that it can stop after any number of nodes and go
on later: whoever calls it looks at the clock in between, and nothing is lost. Windows and values travel between
plies as the first role sees them; inside a node they are those of the role that chooses there. So a role may move
several times in a row.

What is done at a node, in the words of the field: fail-soft alpha-beta with principal variation search (Marsland and
Campbell 1982), a transposition table, killer moves and history (Schaeffer 1989), late move reductions, and no cost
in depth for moves without a choice. A position that comes back on the way to it counts as even; what that or the
horizon has touched is never kept as proved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from ggp.players.alphabeta.values import INFINITE, LONGEST, MOST, POINT, WIN, WON

#: Places in `setup`: addresses of functions and memory, then the shape of the game. Pairs are for the two roles.
LOOK, LEGAL, MOVE, STATES, OUTS, WORK, MOVES, JOINT, LONE = range(9)
STATE_WORDS, ROW_WORDS, MOST_MOVES, GOALS_WORD, BEST_GOAL, WORST_GOAL, ME, REDUCE, GENERATION = range(9, 18)
LEGAL_WORD, MOVE_WORDS, FIRST_MOVE = 18, 20, 22
#: What does not depend on facts when a state is valued: the columns of a state without facts, the number that stands
#: for 1 in a hidden unit, and how much each counts, in 1 / 2 ** 16.
START, UNIT, HEADS, SETUP = 24, 29, 30, 46

#: Hidden units: four to a column, 16 bits each. One column more has what facts count by themselves.
HIDDEN: Final = 16
COLUMNS: Final = HIDDEN // 4 + 1

#: Places in `tally`, what changes during a search: the ply at which it goes on, nodes visited, how often a horizon
#: was met, and the value that it came to.
PLY, NODES, HORIZONS, RESULT, TALLY = range(5)

#: Places in a frame. The window, as the first role sees it and as the role that chooses does; `FIXED`: the move that
#: the other role has made already where both choose at once; `CLEAN`: the horizons met before; `OTHER`: what the
#: other role does, counted among all moves, or -1 where it chooses next.
DEPTH, LOW, HIGH, FIXED, ALPHA, BETA, BEST, BEST_MOVE, TRIED, COUNT, MOVER, STAGE, CLEAN, OTHER, FRAME = range(15)

#: How a child is searched: with the whole window; less deep; with an empty window; with the whole window once more.
WHOLE, REDUCED, EMPTY, AGAIN = range(4)

#: Kinds of values in the table.
AT_LEAST, AT_MOST, EXACT = 1, 2, 3

#: Entries that share a place of the table, and the depth of what no horizon has touched.
BUCKET: Final = 4
ENDLESS: Final = 255

#: Keys of moves: that of the table, killers, and the most that history gives.
_FROM_TABLE: Final = 1 << 30
_KILLER: Final = 1 << 28
_HISTORY: Final = 1 << 15

_INT = ir.IntType(64)


def _calling(result: Any, arguments: Sequence[Any]) -> Any:
    """Types and code of a call of a function by its address, all arguments integers of 64 bits."""

    def generate(_context: Any, builder: Any, _signature: Any, values: Sequence[Any]) -> Any:
        kind = ir.FunctionType(ir.VoidType() if result is types.void else _INT, [_INT] * (len(values) - 1))
        found = builder.call(builder.inttoptr(values[0], kind.as_pointer()), values[1:])
        return _context.get_dummy_value() if result is types.void else found

    return result(*[types.int64] * len(arguments)), generate


def _call3(_context: Any, function: Any, a: Any, b: Any, c: Any) -> Any:
    return _calling(types.void, (function, a, b, c))


def _call4(_context: Any, function: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    return _calling(types.void, (function, a, b, c, d))


def _count4(_context: Any, function: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    return _calling(types.int64, (function, a, b, c, d))


_look: Any = intrinsic(_call3)
_move: Any = intrinsic(_call4)
_list: Any = intrinsic(_count4)

_I64_1, _I64_2 = types.Array(types.int64, 1, "C"), types.Array(types.int64, 2, "C")
_U64_1, _U64_2 = types.Array(types.uint64, 1, "C"), types.Array(types.uint64, 2, "C")
_I32_1, _I32_2 = types.Array(types.int32, 1, "C"), types.Array(types.int32, 2, "C")


@njit(types.uint64(_U64_2, types.int64, types.int64), cache=True, nogil=True)
def hashed(states: Any, row: int, words: int) -> Any:
    """A hash of 64 bits of a state's words."""
    found = np.uint64(0x9E3779B97F4A7C15)
    for word in range(words):
        found = (found ^ states[row, word]) * np.uint64(0xFF51AFD7ED558CCD)
        found ^= found >> np.uint64(32)
    found *= np.uint64(0xC4CEB9FE1A85EC53)
    return found ^ (found >> np.uint64(29))


@njit(types.int64(_I64_1, _U64_2, types.int64, _I64_2), cache=True, nogil=True)
def estimate(setup: Any, states: Any, row: int, sums: Any) -> Any:
    """What a state is worth to the first role, by a network over its facts; `network` says how it is made.

    `sums` has the columns of each half byte of a state and each value of it. Numbers of 16 bits that are packed in one
    of 64 are added at once: as long as no sum leaves its range, borrows between them are made good in the end.
    """
    first, second, third = setup[START], setup[START + 1], setup[START + 2]
    fourth, found = setup[START + 3], setup[START + 4]
    for word in range(setup[STATE_WORDS]):
        bits = states[row, word]
        place = 256 * word
        while bits:
            at = place + np.int64(bits & np.uint64(15))
            first += sums[at, 0]
            second += sums[at, 1]
            third += sums[at, 2]
            fourth += sums[at, 3]
            found += sums[at, 4]
            bits >>= np.uint64(4)
            place += 16
    one, hidden = setup[UNIT], 0
    for column, packed in enumerate((first, second, third, fourth)):
        rest = packed
        for lane in range(4):
            unit = (rest << 48) >> 48
            rest = (rest - unit) >> 16
            hidden += min(max(unit, 0), one) * setup[HEADS + 4 * column + lane]
    return min(max(found + (hidden >> 16), -MOST), MOST)


@njit(types.int64(_I64_1, _U64_2, types.int64, _I32_2), cache=True, nogil=True)
def difference(setup: Any, outs: Any, row: int, goals: Any) -> Any:
    """The first role's goal less that of the second; a goal that there is not counts as 0."""
    found = 0
    for number in range(len(goals)):
        word = outs[row, setup[GOALS_WORD] + (number >> 6)]
        if (word >> np.uint64(number & 63)) & np.uint64(1):
            found += -goals[number, 1] if goals[number, 0] else goals[number, 1]
    return found


@njit(types.int64(_I64_1, _U64_2, types.int64, types.int64), cache=True, nogil=True)
def choices(setup: Any, outs: Any, row: int, role: int) -> Any:
    """How many legal moves a role has: 0, 1, or 2 for any more."""
    found = 0
    first = setup[LEGAL_WORD + role]
    for word in range(first, first + setup[MOVE_WORDS + role]):
        bits = outs[row, word]
        if bits:
            found += 2 if bits & (bits - np.uint64(1)) else 1
    return min(found, 2)


def _search(
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
    ply = tally[PLY]
    nodes, horizons = tally[NODES], tally[HORIZONS]
    stop = nodes + budget
    words, row_bytes, most = setup[STATE_WORDS], 8 * setup[ROW_WORDS], setup[MOST_MOVES]
    mask = np.uint64(len(table) // BUCKET - 1)
    seen_mask = np.uint64(len(seen) - 1)
    value: Any = 0
    while True:
        # Enter a node.
        if nodes >= stop:
            tally[PLY], tally[NODES], tally[HORIZONS] = ply, nodes, horizons
            return 0
        nodes += 1
        over = False
        low, high, depth = frames[ply, LOW], frames[ply, HIGH], frames[ply, DEPTH]
        mover, other, forced = 0, -1, False
        if frames[ply, FIXED] >= 0:
            mover = 1 - setup[ME]
            other = setup[FIRST_MOVE + setup[ME]] + frames[ply, FIXED]
        else:
            _look(setup[LOOK], setup[STATES] + ply * row_bytes, setup[OUTS] + ply * row_bytes, setup[WORK])
            if outs[ply, 0] & np.uint64(1):
                over = True
                value = difference(setup, outs, ply, goals)
                if value >= setup[BEST_GOAL]:
                    value = WIN - ply
                elif value <= setup[WORST_GOAL]:
                    value = ply - WIN
                else:
                    value *= POINT
            else:
                key = hashed(states, ply, words)
                hashes[ply] = key
                if ply > 0:
                    again = seen[key & seen_mask] == key
                    for earlier in range(ply):
                        again |= hashes[earlier] == key
                    if again:
                        over, value = True, 0
                        horizons += 1
                first, second = choices(setup, outs, ply, 0), choices(setup, outs, ply, 1)
                if first == 0 or second == 0:
                    over, value = True, 0
                    horizons += 1
                elif first > 1 and second > 1:
                    mover = setup[ME]
                else:
                    mover = 1 if second > 1 else 0
                    forced = first + second == 2
                    rival = 1 - mover
                    _list(
                        setup[LEGAL],
                        setup[OUTS] + ply * row_bytes,
                        setup[LEGAL_WORD + rival],
                        setup[MOVE_WORDS + rival],
                        setup[LONE],
                    )
                    other = setup[FIRST_MOVE + rival] + joint[2]
                if not over and ((depth <= 0 and not forced) or ply >= LONGEST - 2):
                    over, value = True, estimate(setup, states, ply, sums)
                    horizons += 1
        if not over:
            alpha, beta = (low, high) if mover == 0 else (-high, -low)
            # Nothing is better than to win with the next move, or worse than to have lost by then.
            alpha, beta = max(alpha, ply - WIN), min(beta, WIN - ply - 1)
            best_known = -1
            key = hashes[ply]
            place = (key & mask) * np.uint64(BUCKET)
            for entry in range(BUCKET):
                if table[place + np.uint64(entry), 0] == key:
                    data = np.int64(table[place + np.uint64(entry), 1])
                    known = (data & 0xFFFF) - 32768
                    known_depth, kind = (data >> 16) & 255, (data >> 24) & 3
                    best_known = ((data >> 32) & 0xFFFF) - 1
                    proved = known_depth == ENDLESS
                    if known >= WON:
                        known -= ply
                        proved |= kind != AT_MOST
                    elif known <= -WON:
                        known += ply
                        proved |= kind != AT_LEAST
                    if (
                        ply > 0
                        and (known_depth >= depth or proved)
                        and (
                            kind == EXACT
                            or (kind == AT_LEAST and known >= beta)
                            or (kind == AT_MOST and known <= alpha)
                        )
                    ):
                        over, value = True, known
                        if not proved:
                            horizons += 1
                    break
            if alpha >= beta and ply > 0:
                over, value = True, alpha
            if over:
                value = value if mover == 0 else -value
            else:
                count = _list(
                    setup[LEGAL],
                    setup[OUTS] + ply * row_bytes,
                    setup[LEGAL_WORD + mover],
                    setup[MOVE_WORDS + mover],
                    setup[MOVES] + 4 * ply * most,
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
                frames[ply, CLEAN] = horizons
                frames[ply, STAGE] = WHOLE
        # Hand values up, until there is a child to search.
        descend = not over
        while True:
            if not descend:
                if ply == 0:
                    tally[PLY], tally[NODES], tally[HORIZONS], tally[RESULT] = 0, nodes, horizons, value
                    return 1
                ply -= 1
                mover = frames[ply, MOVER]
                mine = value if mover == 0 else -value
                best, beta = frames[ply, BEST], frames[ply, BETA]
                alpha = max(best, frames[ply, ALPHA])
                stage = frames[ply, STAGE]
                if stage == REDUCED and mine > alpha:
                    frames[ply, STAGE] = EMPTY
                    ply += 1
                    frames[ply, DEPTH] = frames[ply - 1, DEPTH] - 1
                    break
                if stage == EMPTY and alpha < mine < beta and beta - alpha > 1:
                    frames[ply, STAGE] = AGAIN
                    ply += 1
                    frames[ply, LOW], frames[ply, HIGH] = (alpha, beta) if mover == 0 else (-beta, -alpha)
                    break
                tried = frames[ply, TRIED]
                frames[ply, TRIED] = tried + 1
                if mine > best:
                    frames[ply, BEST] = mine
                    if mine > frames[ply, ALPHA]:
                        frames[ply, BEST_MOVE] = moves[ply, tried]
                if mine >= beta and frames[ply, COUNT] > 1:
                    depth = max(1, frames[ply, DEPTH])
                    gain = min(16 * depth * depth, _HISTORY >> 4)
                    for i in range(tried + 1):
                        step = gain if i == tried else -gain
                        held = history[mover, moves[ply, i]]
                        history[mover, moves[ply, i]] = held + step - held * gain // _HISTORY
                    if killers[ply, 0] != moves[ply, tried]:
                        killers[ply, 1] = killers[ply, 0]
                        killers[ply, 0] = moves[ply, tried]
            best, beta, mover = frames[ply, BEST], frames[ply, BETA], frames[ply, MOVER]
            tried, count, depth = frames[ply, TRIED], frames[ply, COUNT], frames[ply, DEPTH]
            if tried == count or best >= beta:
                # Leave the node.
                value = best
                kept = best + ply if best >= WON else best - ply if best <= -WON else best
                kind = AT_LEAST if best >= beta else EXACT if best > frames[ply, ALPHA] else AT_MOST
                known_depth = ENDLESS if horizons == frames[ply, CLEAN] else max(0, depth)
                key = hashes[ply]
                place = (key & mask) * np.uint64(BUCKET)
                chosen, least = place, 1 << 20
                for entry in range(BUCKET):
                    at = place + np.uint64(entry)
                    data = np.int64(table[at, 1])
                    if table[at, 0] == key:
                        chosen = at
                        break
                    worth = ((data >> 16) & 255) - 8 * ((setup[GENERATION] - (data >> 26)) & 63)
                    if worth < least:
                        chosen, least = at, worth
                data = np.int64(table[chosen, 1])
                held = (data & 0xFFFF) - 32768
                keep = table[chosen, 0] == key and (
                    ((data >> 16) & 255) == ENDLESS != known_depth
                    or (abs(held) >= WON and ((data >> 24) & 3) == EXACT and abs(kept) < WON)
                )
                if not keep:
                    best_move = frames[ply, BEST_MOVE]
                    if best_move < 0 and table[chosen, 0] == key:
                        best_move = ((data >> 32) & 0xFFFF) - 1
                    data = (kept + 32768) | (known_depth << 16) | (kind << 24)
                    data |= (setup[GENERATION] << 26) | ((best_move + 1) << 32)
                    table[chosen, 0] = key
                    table[chosen, 1] = np.uint64(data)
                value = value if mover == 0 else -value
                descend = False
                continue
            # The next child: the move with the highest key.
            chosen_move = tried
            for i in range(tried + 1, count):
                if keys[ply, i] > keys[ply, chosen_move]:
                    chosen_move = i
            now = moves[ply, chosen_move]
            moves[ply, chosen_move], moves[ply, tried] = moves[ply, tried], now
            keys[ply, chosen_move], keys[ply, tried] = keys[ply, tried], keys[ply, chosen_move]
            alpha = max(best, frames[ply, ALPHA])
            less = 0 if count == 1 else 1
            stage = WHOLE
            if tried > 0:
                stage = EMPTY
                if setup[REDUCE] and depth >= 3 and tried >= 3 and keys[ply, tried] < _KILLER:
                    stage = REDUCED
                    less = 3 if tried >= 12 and depth >= 5 else 2
                beta = alpha + 1
            frames[ply, STAGE] = stage
            if frames[ply, OTHER] < 0:
                # The other role chooses, too: after this one, and knowing its move.
                for word in range(setup[ROW_WORDS]):
                    states[ply + 1, word] = states[ply, word]
                    outs[ply + 1, word] = outs[ply, word]
                hashes[ply + 1] = hashes[ply] ^ (np.uint64(now + 1) * np.uint64(0x9E3779B97F4A7C15))
                frames[ply + 1, FIXED] = now
                less = 0
            else:
                joint[mover] = setup[FIRST_MOVE + mover] + now
                joint[1 - mover] = frames[ply, OTHER]
                _move(
                    setup[MOVE],
                    setup[STATES] + ply * row_bytes,
                    setup[JOINT],
                    setup[STATES] + (ply + 1) * row_bytes,
                    setup[WORK],
                )
                frames[ply + 1, FIXED] = -1
            ply += 1
            frames[ply, DEPTH] = depth - less
            frames[ply, LOW], frames[ply, HIGH] = (alpha, beta) if mover == 0 else (-beta, -alpha)
            break


_SEARCH = types.int64(
    *(_I64_1, _I64_1, _I64_2, _U64_2, _U64_2, _I32_2, _I32_2, _I32_1, _U64_2),
    *(_I32_2, _I32_2, _U64_1, _U64_1, _I64_2, _I32_2, types.int64),
)
search: Any = njit(_SEARCH, cache=True, nogil=True)(_search)


def _playouts(
    setup: Any, states: Any, outs: Any, moves: Any, joint: Any, goals: Any, kept: Any, results: Any, seed: int
) -> int:
    """Random playouts from row 0, until so many of their states are kept as there is room for; how many were played.

    One state in four is kept, with the first role's goal less that of the second at the end, in points.
    """
    row_bytes, words = 8 * setup[ROW_WORDS], setup[STATE_WORDS]
    random = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x632BE59BD9B4E019)
    filled = played = 0
    while filled < len(kept):
        for word in range(words):
            states[1, word] = states[0, word]
        began, result = filled, 0
        for turn in range(10 * LONGEST):
            here = 1 + turn % 2
            _look(setup[LOOK], setup[STATES] + here * row_bytes, setup[OUTS], setup[WORK])
            if outs[0, 0] & np.uint64(1):
                result = difference(setup, outs, 0, goals)
                break
            stuck = False
            for role in range(2):
                count = _list(
                    setup[LEGAL], setup[OUTS], setup[LEGAL_WORD + role], setup[MOVE_WORDS + role], setup[MOVES]
                )
                random ^= random << np.uint64(13)
                random ^= random >> np.uint64(7)
                random ^= random << np.uint64(17)
                if count == 0:
                    stuck = True
                    break
                drawn = ((random >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32)
                joint[role] = setup[FIRST_MOVE + role] + moves[0, drawn]
            if stuck:
                break
            if filled < len(kept) and (random & np.uint64(3)) == 0:
                for word in range(words):
                    kept[filled, word] = states[here, word]
                filled += 1
            there = setup[STATES] + (3 - here) * row_bytes
            _move(setup[MOVE], setup[STATES] + here * row_bytes, setup[JOINT], there, setup[WORK])
        played += 1
        results[began:filled] = result
        if filled == began and played > 64 * len(kept):
            break
    return played


_PLAYOUTS = types.int64(
    *(_I64_1, _U64_2, _U64_2, _I32_2, _I32_1, _I32_2, _U64_2, types.Array(types.float32, 1, "C"), types.int64)
)
playouts: Any = njit(_PLAYOUTS, cache=True, nogil=True)(_playouts)


def _games(
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
    start: Any,
    kept: Any,
    values: Any,
    plan: Any,
) -> int:
    """Games of the search against itself, until so many of their states are kept as there is room for.

    `plan`: a seed, the depth of the search, the plies that are played at random at first (up to so many), one in how
    many later ones, and how much (of 256) a state is worth what comes of it rather than what the search says one ply
    later. `values` gets that, as the first role sees it, in points.
    """
    row_bytes, words = 8 * setup[ROW_WORDS], setup[STATE_WORDS]
    depth, opening, rarely, trust = plan[1], plan[2], plan[3], plan[4] / 256.0
    random = np.uint64(plan[0]) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x632BE59BD9B4E019)
    filled = played = 0
    said = np.zeros(10 * LONGEST, np.float32)
    place = np.zeros(10 * LONGEST, np.int64)
    while filled < len(kept):
        for word in range(words):
            states[0, word] = start[word]
        random ^= random << np.uint64(13)
        random ^= random >> np.uint64(7)
        random ^= random << np.uint64(17)
        wild = np.int64((random >> np.uint64(32)) % np.uint64(opening + 1))
        result = 0.0
        count_said = 0
        for turn in range(10 * LONGEST):
            _look(setup[LOOK], setup[STATES], setup[OUTS], setup[WORK])
            if outs[0, 0] & np.uint64(1):
                result = difference(setup, outs, 0, goals)
                break
            first, second = choices(setup, outs, 0, 0), choices(setup, outs, 0, 1)
            if first == 0 or second == 0:
                break
            for role in range(2):
                count = _list(
                    setup[LEGAL], setup[OUTS], setup[LEGAL_WORD + role], setup[MOVE_WORDS + role], setup[MOVES]
                )
                random ^= random << np.uint64(13)
                random ^= random >> np.uint64(7)
                random ^= random << np.uint64(17)
                drawn = ((random >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32)
                joint[role] = setup[FIRST_MOVE + role] + moves[0, drawn]
            chance = (random & np.uint64(0xFFFF)) % np.uint64(rarely) == 0
            if first + second == 3:
                first_move, second_move = joint[0], joint[1]
                frames[0, DEPTH], frames[0, LOW], frames[0, HIGH] = depth, -INFINITE, INFINITE
                frames[0, FIXED] = frames[0, BEST_MOVE] = -1
                tally[PLY] = 0
                search(
                    setup,
                    tally,
                    frames,
                    states,
                    outs,
                    moves,
                    keys,
                    joint,
                    table,
                    history,
                    killers,
                    hashes,
                    seen,
                    sums,
                    goals,
                    1 << 40,
                )
                said[count_said] = min(max(tally[RESULT], -MOST), MOST) / POINT
                place[count_said] = -1
                if filled < len(kept):
                    for word in range(words):
                        kept[filled, word] = states[0, word]
                    place[count_said] = filled
                    filled += 1
                count_said += 1
                joint[0], joint[1] = first_move, second_move
                if turn >= wild and not chance:
                    mover = frames[0, MOVER]
                    joint[mover] = setup[FIRST_MOVE + mover] + frames[0, BEST_MOVE]
                elif turn > wild and chance:
                    # What comes of a random move says nothing of the positions before it.
                    after = np.float32(tally[RESULT]) / POINT
                    after = min(max(after, np.float32(-100)), np.float32(100))
                    for earlier in range(count_said - 1, -1, -1):
                        if place[earlier] >= 0:
                            values[place[earlier]] = after
                        after = (1 - trust) * said[earlier] + trust * after
                    count_said = 0
            _move(setup[MOVE], setup[STATES], setup[JOINT], setup[STATES] + row_bytes, setup[WORK])
            for word in range(words):
                states[0, word] = states[1, word]
        played += 1
        after = np.float32(result)
        for earlier in range(count_said - 1, -1, -1):
            if place[earlier] >= 0:
                values[place[earlier]] = after
            after = (1 - trust) * said[earlier] + trust * after
        if filled == 0 and played > 64:
            break
    return played


_GAMES = types.int64(
    *(_I64_1, _I64_1, _I64_2, _U64_2, _U64_2, _I32_2, _I32_2, _I32_1, _U64_2),
    *(_I32_2, _I32_2, _U64_1, _U64_1, _I64_2, _I32_2, _U64_1, _U64_2, types.Array(types.float32, 1, "C"), _I64_1),
)
games: Any = njit(_GAMES, cache=True, nogil=True)(_games)
