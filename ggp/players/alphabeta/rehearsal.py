"""Games to learn from, compiled by Numba: random playouts, and games of the search against itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, types

from ggp.players.alphabeta.descent import search
from ggp.players.alphabeta.evaluation import (
    F32_1,
    I32_1,
    I32_2,
    I64_1,
    I64_2,
    U64_1,
    U64_2,
    choices,
    difference,
    kept,
    list_moves,
    look,
    move,
    stamp,
)
from ggp.players.alphabeta.layout import (
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
)
from ggp.players.alphabeta.values import INFINITE, LONGEST, MOST, POINT


@njit(nogil=True)
def _next(random: Any) -> Any:
    """The next random number of 64 bits (xorshift, Marsaglia 2003)."""
    random ^= random << np.uint64(13)
    random ^= random >> np.uint64(7)
    return random ^ (random << np.uint64(17))


@njit(nogil=True)
def _draw(setup: Any, moves: Any, joint: Any, random: Any) -> Any:
    """A random joint move of the state in row 0, in `joint`; the next random number, 0 if a role has no legal move."""
    for role in range(2):
        count = list_moves(setup[LEGAL], setup[OUTS], setup[LEGAL_WORD + role], setup[MOVE_WORDS + role], setup[MOVES])
        if count == 0:
            return np.uint64(0)
        random = _next(random)
        drawn = ((random >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32)
        joint[role] = setup[FIRST_MOVE + role] + moves[0, drawn]
    return random


@njit(nogil=True)
def _go_on(setup: Any, states: Any) -> None:
    """Do the joint move: row 0 becomes the next state."""
    move(setup[MOVE], setup[STATES], setup[JOINT], setup[STATES] + 8 * setup[ROW_WORDS], setup[WORK])
    for word in range(setup[STATE_WORDS]):
        states[0, word] = states[1, word]


@njit(nogil=True)
def _seeded(seed: int) -> Any:
    return (np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x632BE59BD9B4E019)) | np.uint64(1)


@njit(nogil=True)
def _hand_back(values: Any, places: Any, said: Any, count: Any, after: Any, trust: Any) -> None:
    """What some states in a row are worth, from the last to the first: what comes after, mixed with what was said."""
    for number in range(count - 1, -1, -1):
        if places[number] >= 0:
            values[places[number]] = after
        after = (1 - trust) * said[number] + trust * after


def _make_playouts(mark: int) -> Callable[..., int]:
    def playouts(
        setup: Any,
        states: Any,
        outs: Any,
        moves: Any,
        joint: Any,
        goals: Any,
        start: Any,
        found: Any,
        values: Any,
        seed: int,
    ) -> int:
        """Random playouts from a state, until so many of their states are found as there is room for.

        One state in four is taken, with the first role's goal less that of the second at the end, in points. The
        number of playouts; they end when that are far more than there is room for.
        """
        if seed < 0:
            return mark
        random = _seeded(seed)
        filled = played = 0
        while filled < len(found) and played <= 64 * len(found):
            for word in range(setup[STATE_WORDS]):
                states[0, word] = start[word]
            began, result = filled, 0
            for _ in range(10 * LONGEST):
                look(setup[LOOK], setup[STATES], setup[OUTS], setup[WORK])
                if outs[0, 0] & np.uint64(1):
                    result = difference(setup, outs, 0, goals)
                    break
                following = _draw(setup, moves, joint, random)
                if following == 0:
                    break
                random = following
                if filled < len(found) and (random >> np.uint64(60)) < 4:
                    for word in range(setup[STATE_WORDS]):
                        found[filled, word] = states[0, word]
                    filled += 1
                _go_on(setup, states)
            played += 1
            values[began:filled] = result
        return played

    return playouts


def _make_games(mark: int) -> Callable[..., int]:
    def games(
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
        found: Any,
        values: Any,
        plan: Any,
    ) -> int:
        """Games of the search against itself, until so many of their states are found as there is room for.

        `plan`: a seed, the depth of the search, the plies that are played at random at first (up to so many), one in
        how many later ones, and how much (of 256) a state is worth what comes of it rather than what the search says
        one ply later. `values` gets that, as the first role sees it, in points. The number of games.
        """
        seed, depth, opening, rarely, trust = plan[0], plan[1], plan[2], plan[3], np.float32(plan[4] / 256)
        if seed < 0:
            return mark
        random = _seeded(seed)
        said, places = np.zeros(10 * LONGEST, np.float32), np.zeros(10 * LONGEST, np.int64)
        filled = played = 0
        while filled < len(found) and (filled > 0 or played <= 64):
            for word in range(setup[STATE_WORDS]):
                states[0, word] = start[word]
            random = _next(random)
            wild = np.int64((random >> np.uint64(32)) % np.uint64(opening + 1))
            result, count = 0, 0
            for turn in range(10 * LONGEST):
                look(setup[LOOK], setup[STATES], setup[OUTS], setup[WORK])
                if outs[0, 0] & np.uint64(1):
                    result = difference(setup, outs, 0, goals)
                    break
                following = _draw(setup, moves, joint, random)
                if following == 0:
                    break
                random = _next(following)
                chance = (random >> np.uint64(32)) % np.uint64(rarely) == 0
                if choices(setup, outs, 0, 0) + choices(setup, outs, 0, 1) == 3:
                    first, second = joint[0], joint[1]
                    frames[0, DEPTH], frames[0, LOW], frames[0, HIGH] = depth, -INFINITE, INFINITE
                    frames[0, FIXED], frames[0, BEST_MOVE], tally[PLY] = -1, -1, 0
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
                    said[count] = min(max(tally[RESULT], -MOST), MOST) / POINT
                    places[count] = -1
                    if filled < len(found):
                        for word in range(setup[STATE_WORDS]):
                            found[filled, word] = states[0, word]
                        places[count] = filled
                        filled += 1
                    count += 1
                    joint[0], joint[1] = first, second
                    if turn >= wild and not chance:
                        mover = frames[0, MOVER]
                        joint[mover] = setup[FIRST_MOVE + mover] + frames[0, BEST_MOVE]
                    else:
                        # What comes of a random move says nothing of the positions before it.
                        _hand_back(values, places, said, count, said[count - 1], trust)
                        count = 0
                _go_on(setup, states)
            played += 1
            _hand_back(values, places, said, count, np.float32(result), trust)
        return played

    return games


_MARK = stamp()

#: `playouts(setup, states, outs, moves, joint, goals, start, found, values, seed)`: as above.
playouts: Any = kept(
    types.int64(I64_1, U64_2, U64_2, I32_2, I32_1, I32_2, U64_1, U64_2, F32_1, types.int64), _make_playouts(_MARK)
)

#: `games(setup, tally, frames, ..., start, found, values, plan)`: as above.
games: Any = kept(
    types.int64(
        *(I64_1, I64_1, I64_2, U64_2, U64_2, I32_2, I32_2, I32_1, U64_2),
        *(I32_2, I32_2, U64_1, U64_1, I64_2, I32_2, U64_1, U64_2, F32_1, I64_1),
    ),
    _make_games(_MARK),
)
