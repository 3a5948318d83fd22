"""The tree of a search in flat arrays.

A node is a state; the moves of all its roles are its edges, which stand together, role by role. Where only one role
has a choice (the `mover`), each of its edges leads to a child. Where several have (`SEVERAL`), each chooses for itself,
and a table says which child their moves lead to together. A state that is reached by several paths is one node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The mover of a node where several roles have a choice.
SEVERAL: Final = -1

#: At most so many different ends, by the roles' goal values, are told apart by proofs.
MAX_OUTCOMES: Final = 4096

#: What `Tree.counts` counts.
NODES, EDGES, JOINTS, OUTCOMES, ROOT, DROPPED = range(6)


#: Nodes: the first edge; if one role has a choice, the first of that role's edges, and how many it has; visits, and
#: their logarithm, which is not always up to date; the first joint move in the list of the node's, or -1; the outcome
#: that is proven, or -1, and in how many plies it is reached; the role that has a choice, or SEVERAL.
NODE: Final = np.dtype(
    [
        *(("start", "i4"), ("first", "i4"), ("count", "i4"), ("visits", "i4"), ("log", "f4")),
        *(("joints", "i4"), ("proof", "i2"), ("length", "i2"), ("mover", "i4")),
    ]
)

#: Edges: the sum of goals of the role whose move it is (0 to 1), or, if an outcome is proven, in how many plies it is
#: reached; visits, those under way included; the move; the child, -1 for none, or -2 - i where request number i is for
#: it; the outcome that is proven, or -1.
EDGE: Final = np.dtype([("value", "f8"), ("visits", "i4"), ("move", "i4"), ("child", "i4"), ("proof", "i4")])

#: Joint moves: their node, the child as for edges, the next in the node's list, a code of the moves.
JOINT: Final = np.dtype([("parent", "i4"), ("child", "i4"), ("next", "i4"), ("code", "u8")], align=True)


class Tree(NamedTuple):
    """The arrays. Tables, of a power of two, have numbers by hash, -1 for none."""

    #: How many nodes, edges, joint moves and outcomes there are, the root, and how often there was no room.
    counts: NDArray[np.int64]
    #: The state of a generator of random numbers: (1,)
    random: NDArray[np.uint64]
    #: NODE and EDGE; the nodes' states (nodes, words); how many edges each role has (nodes, roles).
    nodes: NDArray[np.void]
    edges: NDArray[np.void]
    states: NDArray[np.uint64]
    choices: NDArray[np.int32]
    table: NDArray[np.int32]
    #: JOINT: room for none where no roles move at the same time.
    joints: NDArray[np.void]
    joint_table: NDArray[np.int32]
    #: The roles' goals in each outcome, 0 to 1: (MAX_OUTCOMES, roles)
    outcomes: NDArray[np.float32]
    #: The lowest and the highest goal that each role can get anywhere: (2, roles)
    limits: NDArray[np.float32]
    #: The number of the role that stands for chance, or -1: (1,)
    nature: NDArray[np.int64]
    #: For each move, the sum of its goals all over the tree, and how often it was tried: (moves, 2)
    worth: NDArray[np.float64]


@final
@dataclass(frozen=True, slots=True)
class Size:
    """Room for so many nodes, edges and joint moves."""

    nodes: int
    edges: int
    joints: int

    @classmethod
    def fitting(cls, memory: int, words: int, roles: int, branching: float, *, simultaneous: bool) -> Size:
        """What fits into so many bytes, where nodes have so many edges on average."""
        edges = branching + roles
        node = 8 * words + 4 * roles + NODE.itemsize + 4 * 2 + EDGE.itemsize * edges
        if simultaneous:
            node += JOINT.itemsize + 4 * 2
        nodes = int(max(64, min(memory / node, 2**30)))
        return cls(nodes, int(nodes * edges), nodes if simultaneous else 1)


def new_tree(size: Size, words: int, moves: int, limits: Sequence[Sequence[float]], nature: int, seed: int) -> Tree:
    """A tree without nodes. Memory is taken by the system as it is filled."""
    roles = len(limits[0])
    return Tree(
        counts=np.zeros(6, np.int64),
        random=np.array([(2 * seed + 1) % 2**64], np.uint64),
        nodes=np.empty(size.nodes, NODE),
        edges=np.empty(size.edges, EDGE),
        states=np.empty((size.nodes, words), np.uint64),
        choices=np.empty((size.nodes, roles), np.int32),
        table=np.full(_power(2 * size.nodes), -1, np.int32),
        joints=np.empty(size.joints, JOINT),
        joint_table=np.full(_power(2 * size.joints), -1, np.int32),
        outcomes=np.zeros((MAX_OUTCOMES, roles), np.float32),
        limits=np.array(limits, np.float32),
        nature=np.array([nature], np.int64),
        worth=np.zeros((moves, 2), np.float64),
    )


def _power(least: int) -> int:
    return 1 << (least - 1).bit_length()
