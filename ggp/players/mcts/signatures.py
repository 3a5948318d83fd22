"""The arrays of one round of the search, and the Numba types of the compiled functions. This module loads Numba."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from gdl.codegen.compiled_functions import (
    F32_2,
    I32_1,
    I32_2,
    I32_3,
    I64_1,
    U64_1,
    U64_2,
    named_tuple,
)
from ggp.players.mcts.tree import JOINT, Tree


class Paths(NamedTuple):
    """Paths down the tree, as 32-bit integers: arrays for each step of each path, then for each path."""

    #: The node, and its edge or joint move: (paths, steps), as are `moves` and `known`.
    nodes: NDArray[np.int32]
    links: NDArray[np.int32]
    #: The edge of each role, where several have a choice: (paths, steps, roles)
    edges: NDArray[np.int32]
    #: The move, where one role has a choice.
    moves: NDArray[np.int32]
    #: The outcome of the best move if that is proven and another one was tried instead, or -1.
    known: NDArray[np.int32]
    #: The number of steps; the request at the end, or -1; the proven outcome if there is no request: (paths,)
    lengths: NDArray[np.int32]
    leaves: NDArray[np.int32]
    ends: NDArray[np.int32]


class Requests(NamedTuple):
    """States to evaluate, as the children of nodes."""

    parents: NDArray[np.int32]
    #: The parent's state, and the roles' moves; the first is -1 if the parent itself is to be evaluated.
    states: NDArray[np.uint64]
    moves: NDArray[np.int32]
    #: The edge or joint move that leads to the state, or -1; True to make a node for it.
    links: NDArray[np.int32]
    making: NDArray[np.bool_]


class Looked(NamedTuple):
    """The properties of n states: terminal (n,), goals (n, roles) from 0 to 1, and legal moves.

    A state in which a role has no legal move counts as terminal, with unknown goals.

    The moves of role `r` in state `i` are those from `offsets[i * roles + r]` up to the next offset.
    """

    terminal: NDArray[np.bool_]
    goals: NDArray[np.float32]
    offsets: NDArray[np.int64]
    moves: NDArray[np.int32]


FLAGS: Final = types.Array(types.boolean, 1, "C")
F64_1, F64_2 = types.Array(types.float64, 1, "C"), types.Array(types.float64, 2, "C")

_JOINTS: Any = types.Array(numba.from_dtype(JOINT), 1, "C")

TREE: Final = named_tuple(
    Tree,
    counts=I64_1,
    random=U64_1,
    words=U64_1,
    values=F64_1,
    numbers=I32_1,
    shape=I64_1,
    table=I32_1,
    joints=_JOINTS,
    joint_table=I32_1,
    outcomes=F32_2,
    limits=F32_2,
    nature=I64_1,
    worth=F64_2,
)
PATHS: Final = named_tuple(
    Paths, nodes=I32_2, links=I32_2, edges=I32_3, moves=I32_2, known=I32_2, lengths=I32_1, leaves=I32_1, ends=I32_1
)
REQUESTS: Final = named_tuple(Requests, parents=I32_1, states=U64_2, moves=I32_2, links=I32_1, making=FLAGS)
LOOKED: Final = named_tuple(Looked, terminal=FLAGS, goals=F32_2, offsets=I64_1, moves=I32_1)

#: Goals (n, roles) with flags or with weights, (n,); and two flags.
ENDS: Any = types.Tuple([FLAGS, F32_2])  # type: ignore[no-untyped-call]
TRYING: Any = types.UniTuple(types.boolean, 2)  # type: ignore[no-untyped-call]
VALUES: Any = types.Tuple([F32_2, I32_1])  # type: ignore[no-untyped-call]
