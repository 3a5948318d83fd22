"""Where things are in the arrays that the compiled search works in; `searching` makes them."""

from __future__ import annotations

from typing import Final

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
