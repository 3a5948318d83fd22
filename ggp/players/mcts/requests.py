"""What one round of the search is about: paths down the tree, states to be evaluated, and what they allow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Paths(NamedTuple):
    """Walks down the tree, as numbers of 32 bits: for each step of each path, then for each path."""

    #: The node, its edge or joint move, and the move; (paths, steps)
    nodes: NDArray[np.int32]
    links: NDArray[np.int32]
    #: The edge of each role, where several have a choice: (paths, steps, roles)
    edges: NDArray[np.int32]
    moves: NDArray[np.int32]
    #: What was known to be best there, while others were tried, or -1.
    known: NDArray[np.int32]
    #: How many steps there are; the request at the end, or -1, and what is proven there then: (paths,)
    lengths: NDArray[np.int32]
    leaves: NDArray[np.int32]
    ends: NDArray[np.int32]


class Requests(NamedTuple):
    """States to be evaluated."""

    parents: NDArray[np.int32]
    #: The parent's state, and the roles' moves, or -1 for the first where the parent itself is meant.
    states: NDArray[np.uint64]
    moves: NDArray[np.int32]
    #: The edge or joint move that leads there, or -1, and whether to make a node.
    links: NDArray[np.int32]
    making: NDArray[np.bool_]


class Looked(NamedTuple):
    """What n states allow: terminal (n,), goals (n, roles) from 0 to 1, legal moves.

    A state where a role has no legal move counts as terminal, with goals that are not known.

    The moves of role `r` in state `i` are those from `offsets[i * roles + r]` up to the next offset.
    """

    terminal: NDArray[np.bool_]
    goals: NDArray[np.float32]
    offsets: NDArray[np.int64]
    moves: NDArray[np.int32]
