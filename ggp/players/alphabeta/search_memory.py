"""The arrays that the compiled search works in, and where things are in them; `search` makes them. It loads Numba."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.codegen.compiled_functions import I32_1, I32_2, I64_1, I64_2, U64_1, U64_2, named_tuple

#: Places in `setup`: addresses of functions and memory, then the shape of the game. Pairs are for the two roles.
LOOK, LEGAL, MOVE, STATES, OUTS, WORK, MOVES, JOINT, LONE = range(9)
STATE_WORDS, ROW_WORDS, MOST_MOVES, GOALS_WORD, BEST_GOAL, WORST_GOAL, ME, GENERATION = range(9, 17)
LEGAL_WORD, MOVE_WORDS, FIRST_MOVE = 17, 19, 21
#: What does not depend on facts when a state is valued: the columns of a state without facts, the number that stands
#: for 1 in a hidden unit, and how much each counts, in 1 / 2 ** 16.
START, UNIT, HEADS, SETUP = 23, 28, 29, 45

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

#: How a child is searched: with the whole window; with an empty one; with the whole window once more.
WHOLE, EMPTY, AGAIN = range(3)

#: A place of the table is a hash of a state and what is known of it: from the lowest bit on, the value + 32768 (16
#: bits), the depth (8), the kind (2), the generation (6), the best move + 1 (16). Kinds of values:
AT_LEAST, AT_MOST, EXACT = 1, 2, 3

#: Entries that share a place of the table, and the depth of what no horizon has touched.
BUCKET: Final = 4
ENDLESS: Final = 255


class Memory(NamedTuple):
    """The arrays that a search works in. Those `by ply` have one row for each."""

    setup: NDArray[np.int64]
    tally: NDArray[np.int64]
    #: By ply: frames; states; what they allow; the legal moves of the role that chooses, and their keys.
    frames: NDArray[np.int64]
    states: NDArray[np.uint64]
    outs: NDArray[np.uint64]
    moves: NDArray[np.int32]
    keys: NDArray[np.int32]
    #: What both roles do, counted among all moves; then room for a lone legal move: (3,)
    joint: NDArray[np.int32]
    #: Hashes and what is known, as above: (places, 2)
    table: NDArray[np.uint64]
    #: By role and move: how often it was better than others.
    history: NDArray[np.int32]
    #: By ply: two moves that were good enough to try no other; the hash of the state.
    killers: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    #: Hashes of states of the match, at places that their last bits say.
    seen: NDArray[np.uint64]
    #: What facts count, summed for each half byte of a state: (256 * words, COLUMNS)
    sums: NDArray[np.int64]
    #: The role's number and value of each goal: (goals, 2)
    goals: NDArray[np.int32]


#: The type of `Memory`, for signatures.
MEMORY: Final = named_tuple(
    Memory,
    setup=I64_1,
    tally=I64_1,
    frames=I64_2,
    states=U64_2,
    outs=U64_2,
    moves=I32_2,
    keys=I32_2,
    joint=I32_1,
    table=U64_2,
    history=I32_2,
    killers=I32_2,
    hashes=U64_1,
    seen=U64_1,
    sums=I64_2,
    goals=I32_2,
)
