"""The memory of matches in lanes, and where results lie in it, as named tuples of arrays for `lane_loops`.

A block has 512 lanes. The words of a block's lanes lie next to each other, so that loops over lanes are vectorized.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.codegen.array_types import (
    B_1,
    B_2,
    I8_2,
    I16_1,
    I32_2,
    I32_3,
    I64_1,
    I64_2,
    U64_1,
    U64_2,
    U64_3,
)
from gdl.codegen.llvm.column_loops import Place
from gdl.codegen.llvm.playout_loop import LANES
from gdl.simulator.compiled_code import aligned_rows


class LaneColumns(NamedTuple):
    """The matches of some blocks. `role` has the number of the role that is asked in a lane, or a code instead."""

    #: Packed states: (blocks, state_words, 512).
    states: U64_3
    #: Terminal, legal moves and goals of the states: (blocks, look_words, 512).
    looked: U64_3
    #: The moves that are chosen or the only legal ones, numbered over all roles, else -1: (blocks, roles, 512).
    pending: I32_3
    #: The legal moves of the role that is asked, zeros where nobody is: (blocks, words, 512).
    own: U64_3
    #: (blocks, 512).
    role: I8_2
    #: The number of joint moves of each match: (blocks, 512).
    plies: I32_2
    #: Generators of random numbers: (blocks, 512).
    random: U64_2


class Places(NamedTuple):
    """The location of results in the words of `looked`, and of moves: arrays with an element for each role."""

    #: The first word of a role's legal moves, the number of words, and the first bit.
    words: I64_1
    counts: I64_1
    shifts: U64_1
    #: A mask for each of these words, once they are shifted.
    masks: U64_1
    #: The number of a role's first move over all roles.
    firsts: I64_1


class Roles(NamedTuple):
    """Who is asked: arrays with an element for each role."""

    #: True for roles that are asked where they have more than one legal move.
    asked: B_1
    #: True for roles that are asked in every state, if at all.
    always: B_1
    #: The number of joint moves after which a match is cut off.
    max_plies: int


class Judged(NamedTuple):
    """Moves that roles have chosen: their positions in the roles' lists, and if they are illegal: (blocks, 512)."""

    moves: I32_2
    illegal: B_2


class Goals(NamedTuple):
    """The location of goals in the words of `looked`, and an element for each goal."""

    #: The first word, and its first bit.
    word: int
    shift: np.uint64
    #: A mask for each word, once it is shifted.
    masks: U64_1
    #: The number of the agent, -1 for roles that no agent takes.
    agents: I64_1
    #: The value, negative if it is not a whole number from 0 to 100.
    values: I16_1


class RowLayout(NamedTuple):
    """The layout of matches in rows of 64-bit words, one for each; see `lane_loops.write_rows`."""

    state_words: int
    roles: int
    look_words: int
    places: Places
    goals: Goals

    @property
    def status(self) -> int:
        """The word of the role; those of plies and the generator follow, then those of terminal, moves and goals."""
        return self.state_words + (self.roles + 1) // 2

    @property
    def words(self) -> int:
        """The number of words of a row."""
        return self.status + 3 + self.look_words


class Scratch(NamedTuple):
    """Memory for one block."""

    numbers: I64_2
    words: U64_2
    flags: B_2


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
