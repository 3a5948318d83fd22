"""The arrays that the compiled search works in, and their layout; `search` makes them. This module loads Numba."""

from __future__ import annotations

from typing import Final, NamedTuple

from gdl.codegen.array_types import I16_1, I32_1, I32_2, I64_1, I64_2, U64_1, U64_2
from ggp.players.learned_values.units import HIDDEN

#: Places in `setup`: addresses of functions and memory, then the shape of the game. Pairs are for the two roles.
LOOK, LEGAL, MOVE, STATES, OUTS, WORK, MOVES, JOINT, LONE = range(9)
STATE_WORDS, ROW_WORDS, MOST_MOVES, GOALS_WORD, BEST_GOAL, WORST_GOAL, ME, GENERATION = range(9, 17)
LEGAL_WORD, MOVE_WORDS, FIRST_MOVE = 17, 19, 21
#: The parts of the evaluation that do not depend on facts: the columns of a state without facts, the integer that
#: represents 1 in a hidden unit, and the output weight of each unit, in units of 1 / 2 ** 16.
START, UNIT, HEADS, SETUP = 23, 28, 29, 45

#: Hidden units take four to a column, 16 bits each. One more column has the facts' own weights and those of patterns.
COLUMNS: Final = HIDDEN // 4 + 1

#: Places in `tally`, the progress of a search: the ply at which it continues, the number of nodes visited, the number
#: of times that the horizon was reached, and the resulting value.
PLY, NODES, HORIZONS, RESULT, TALLY = range(5)

#: Places in a frame. `LOW` and `HIGH`: the window in the first role's view; `ALPHA` and `BETA`: the window in the view
#: of the role that chooses; `FIXED`: the move that the other role has already made where both choose at once; `CLEAN`:
#: the value of `HORIZONS` on entry; `OTHER`: the other role's move, numbered across all moves, or -1 if it chooses
#: next.
DEPTH, LOW, HIGH, FIXED, ALPHA, BETA, BEST, BEST_MOVE, TRIED, COUNT, MOVER, STAGE, CLEAN, OTHER, FRAME = range(15)

#: The search of a child: with the full window; with an empty one; again, with the full window.
WHOLE, EMPTY, AGAIN = range(3)

#: A table entry is the hash of a state, combined with its data by exclusive or, and the data. If two threads have each
#: written half of an entry, it has the hash of no state (Hyatt and Mann, 2002). From the lowest bit up, the data are
#: the value + 32768 (16 bits), the depth (8), the kind (2), the generation (6) and the best move + 1 (32). The kinds of
#: values:
AT_LEAST, AT_MOST, EXACT = 1, 2, 3

#: The number of entries in a bucket of the table, and the depth stored for values that no horizon has affected.
BUCKET: Final = 4
ENDLESS: Final = 255


class Memory(NamedTuple):
    """The arrays that a search works in. Arrays "by ply" have one row per ply."""

    setup: I64_1
    tally: I64_1
    #: By ply: frames; states; the outputs of `look` (end, legal moves, goals); the chooser's moves; their sort keys.
    frames: I64_2
    states: U64_2
    outs: U64_2
    moves: I32_2
    keys: I32_2
    #: The moves of both roles, numbered across all moves, and room for a single legal move: (3,)
    joint: I32_1
    #: Hashes and data of states, as above, which threads share: (entries, 2)
    table: U64_2
    #: By role and move: the history score.
    history: I32_2
    #: By ply: two moves that caused cutoffs; the hash of the state.
    killers: I32_2
    hashes: U64_1
    #: Hashes of states of the match, indexed by their low bits.
    seen: U64_1
    #: The weights of facts: (64 * words, COLUMNS)
    sums: I64_2
    #: Tuples: by fact, the first of its links; the tuple of each link, and what the fact adds to the place of its
    #: pattern in `entries`, which has the weights of patterns; by tuple, the place of its first pattern.
    starts: I32_1
    links: I32_2
    entries: I16_1
    places: I32_1
    #: By ply: the weights of a state's facts added up, the places of its patterns, and the hash of that state.
    summed: I64_2
    patterns: I32_2
    sums_of: U64_1
    #: The role's number and value of each goal, negative if it is no goal value: (goals, 2)
    goals: I32_2


#: The arrays of the evaluation.
EVALUATION: Final = ("sums", "starts", "links", "entries", "places", "summed", "patterns", "sums_of")

#: The arrays that each thread has for itself.
OWN: Final = (
    *("setup", "tally", "frames", "states", "outs", "moves", "keys", "joint", "history", "killers", "hashes"),
    *("summed", "patterns", "sums_of"),
)
