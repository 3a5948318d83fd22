"""The arrays of matches in lanes, as loops over lanes use them.

A block has 512 lanes. The words of a block's lanes lie next to each other, so that loops over lanes are vectorized.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from gdl.codegen.compiled_functions import named_tuple
from gdl.codegen.llvm.column_loops import Place
from gdl.codegen.llvm.playout_loop import LANES
from gdl.simulator.compiled_code import aligned_rows

#: Nobody is left to be asked, so the state advances.
READY: Final = -1
#: The game is over.
TERMINAL: Final = -2
#: The match is cut off after the largest number of plies.
TRUNCATED: Final = -3
#: A role has no legal move, although the game is not over.
STUCK: Final = -4
#: A new match begins.
BEGINS: Final = -5
#: The match is over since an agent chose an illegal move: this number, less the agent's role.
OFFENCE: Final = -6

#: The most roles: their numbers, and `OFFENCE` less these, have 8 bits.
MOST_ROLES: Final = 128 + OFFENCE + 1


class LaneColumns(NamedTuple):
    """The matches of some blocks. `role` has the number of the role that is asked in a lane, or a code instead."""

    #: Packed states: (blocks, state_words, 512).
    states: NDArray[np.uint64]
    #: Terminal, legal moves and goals of the states: (blocks, look_words, 512).
    looked: NDArray[np.uint64]
    #: The moves that are chosen or the only legal ones, numbered over all roles, else -1: (blocks, roles, 512).
    pending: NDArray[np.int32]
    #: The legal moves of the role that is asked, zeros where nobody is: (blocks, words, 512).
    own: NDArray[np.uint64]
    #: (blocks, 512).
    role: NDArray[np.int8]
    #: The number of joint moves of each match: (blocks, 512).
    plies: NDArray[np.int32]
    #: Generators of random numbers: (blocks, 512).
    random: NDArray[np.uint64]


class Places(NamedTuple):
    """The location of results in the words of `looked`, and of moves: arrays with an element for each role."""

    #: The first word of a role's legal moves, the number of words, and the first bit.
    words: NDArray[np.int64]
    counts: NDArray[np.int64]
    shifts: NDArray[np.uint64]
    #: A mask for each of these words, once they are shifted.
    masks: NDArray[np.uint64]
    #: The number of a role's first move over all roles.
    firsts: NDArray[np.int64]


class Roles(NamedTuple):
    """Who is asked: arrays with an element for each role."""

    #: True for roles that are asked where they have more than one legal move.
    asked: NDArray[np.bool_]
    #: True for roles that are asked in every state, if at all.
    always: NDArray[np.bool_]
    #: A match is cut off after so many joint moves.
    max_plies: int


class Judged(NamedTuple):
    """Moves that roles have chosen: their positions in the roles' lists, and if they are illegal: (blocks, 512)."""

    moves: NDArray[np.int32]
    illegal: NDArray[np.bool_]


class Goals(NamedTuple):
    """The location of goals in the words of `looked`, and an element for each goal."""

    #: The first word, and its first bit.
    word: int
    shift: np.uint64
    #: A mask for each word, once it is shifted.
    masks: NDArray[np.uint64]
    #: The number of the agent, -1 for roles that no agent takes.
    agents: NDArray[np.int64]
    #: The value, negative if it is not a whole number from 0 to 100.
    values: NDArray[np.int16]


class Scratch(NamedTuple):
    """Memory for one block."""

    numbers: NDArray[np.int64]
    words: NDArray[np.uint64]
    flags: NDArray[np.bool_]


def _typed(kind: Any, dimensions: int) -> Any:
    return types.Array(kind, dimensions, "C")


COLUMNS: Final = named_tuple(
    LaneColumns,
    states=_typed(types.uint64, 3),
    looked=_typed(types.uint64, 3),
    pending=_typed(types.int32, 3),
    own=_typed(types.uint64, 3),
    role=_typed(types.int8, 2),
    plies=_typed(types.int32, 2),
    random=_typed(types.uint64, 2),
)
PLACES: Final = named_tuple(
    Places,
    words=_typed(types.int64, 1),
    counts=_typed(types.int64, 1),
    shifts=_typed(types.uint64, 1),
    masks=_typed(types.uint64, 1),
    firsts=_typed(types.int64, 1),
)
ROLES: Final = named_tuple(
    Roles, asked=_typed(types.boolean, 1), always=_typed(types.boolean, 1), max_plies=types.int64
)
JUDGED: Final = named_tuple(Judged, moves=_typed(types.int32, 2), illegal=_typed(types.boolean, 2))
GOALS: Final = named_tuple(
    Goals,
    word=types.int64,
    shift=types.uint64,
    masks=_typed(types.uint64, 1),
    agents=_typed(types.int64, 1),
    values=_typed(types.int16, 1),
)
SCRATCH: Final = named_tuple(
    Scratch,
    numbers=_typed(types.int64, 2),
    words=_typed(types.uint64, 2),
    flags=_typed(types.boolean, 2),
)


def new_columns(blocks: int, state_words: int, look_words: int, roles: int, own_words: int) -> LaneColumns:
    """Return columns full of zeros."""
    return LaneColumns(
        aligned_rows(blocks, state_words, LANES),
        aligned_rows(blocks, look_words, LANES),
        np.full((blocks, roles, LANES), -1, np.int32),
        aligned_rows(blocks, own_words, LANES),
        np.zeros((blocks, LANES), np.int8),
        np.zeros((blocks, LANES), np.int32),
        np.zeros((blocks, LANES), np.uint64),
    )


def first_blocks(columns: LaneColumns, blocks: int) -> LaneColumns:
    """Return the columns of the first blocks, in the same memory."""
    return LaneColumns._make(array[:blocks] for array in columns)


def new_scratch() -> Scratch:
    """Return memory for one block."""
    return Scratch(
        np.zeros((3, LANES), np.int64),
        np.zeros((1, LANES), np.uint64),
        np.zeros((4, LANES), np.bool_),
    )


def places_of(legal: tuple[Place, ...], firsts: tuple[int, ...]) -> Places:
    """Return the places of the roles' legal moves, given the numbers of the roles' first moves."""
    masks = [(1 << min(64, place.size)) - 1 for place in legal]
    return Places(
        np.array([place.word for place in legal], np.int64),
        np.array([-(-place.size // 64) for place in legal], np.int64),
        np.array([place.shift for place in legal], np.uint64),
        np.array(masks, np.uint64),
        np.array(firsts, np.int64),
    )


def goals_of(place: Place, agents: NDArray[np.int64], values: NDArray[np.int16]) -> Goals:
    """Return the places of goals, given the number of each goal's agent and its value."""
    masks = [(1 << min(64, place.size - first)) - 1 for first in range(0, place.size, 64)]
    return Goals(place.word, np.uint64(place.shift), np.array(masks, np.uint64), agents, values)
