"""The arrays that the search by depth works in, and the indices in them; this module loads Numba."""

from __future__ import annotations

from typing import Final, NamedTuple

from gdl.codegen.array_types import I32_1, I32_2, I64_1, I64_2, U64_1, U64_2

#: Indices in `setup`: addresses of kernels and of memory for them, then the shape of the game and the question, then
#: the plies left with which moves are made one by one, and with which the table is not asked about children.
LOOK, LEGAL, MOVE, WORK, LIST, JOINT = range(6)
GOALS_WORD, GOAL_WORDS, STATE_WORDS, ATTACKER, QUESTION, DEPTH = range(6, 12)
FEW, WORTH_ASKING = range(12, 14)
SETUP: Final = 14

#: Indices in `registers`: the position and result of a search, the number of states looked at, 1 once the root has been
#: looked at, and the row of a state that cannot be handled.
PLY, VERDICT, NODES, BEGUN, FAULT = range(5)
REGISTERS: Final = 5

#: Verdicts on a state: unknown so far, proved, failed within the plies left, failed for any number of plies.
OPEN, PROVED, FAILED, REFUTED = range(4)

#: Errors, in place of a verdict: the game cannot be handled.
SIMULTANEOUS, NO_MOVE, NO_GOAL = range(4, 7)

#: Further results of `run`: the search is paused, needs more rows, or is done.
PAUSED, FULL, DONE = range(7, 10)

#: Indices in `frames`: the row of the state and of the first state after it, the number of these that are left to be
#: searched, the role that moves, 1 if all failed moves failed for any number of plies, the move to try first, and 1 if
#: the moves that are left have not been made yet.
ROW, CHILDREN, COUNT, MOVER, LASTING, FIRST, LISTED = range(7)
FRAME: Final = 7


class Memory(NamedTuple):
    """The arrays that a search works in."""

    setup: I64_1
    registers: I64_1
    #: (roles, 3): the first word of a role's legal moves, the number of these words, and its first move.
    roles: I64_2
    #: ((2 + roles) * goal words,): as bits, the goals that the attacker wants, the terms that are no goal values, and
    #: all goals of each role.
    good: U64_1
    #: One row per ply: frames; the last moves that ended the game well for the attacker and for the others; each role's
    #: only move.
    frames: I64_2
    enders: I32_2
    singles: I32_2
    #: A stack of states, the root first, then those after each state of the line: the state, and what `look` says of
    #: it. For each, the move that leads to it, and its weight; the highest is searched first.
    rows: U64_2
    moves: I32_1
    weights: I64_1
    #: Results for states; see `search_table`.
    table: U64_2
    #: (2, facts) and (2, moves): how often it was right to make a fact true, and to make a move, for the attacker and
    #: for the others.
    history: I64_2
    habits: I64_2
    #: For kernels: their own memory, the moves that they list, and a joint move.
    work: U64_1
    listed: I32_1
    joint: I32_1
