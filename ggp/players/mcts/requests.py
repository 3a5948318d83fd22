"""The arrays of one round of the search: paths down the tree, states to evaluate, and their legal moves and goals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


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
