"""The tree of a search in flat arrays.

A node is a state; the moves of all its roles are its edges, which stand together, role by role. Where only one role has
a choice (the `mover`), each of its edges leads to a child. Where several have (`SEVERAL`), each chooses for itself, and a
table says which child their moves lead to together. A state that is reached by several paths is one node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

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


class Tree(NamedTuple):
    """The arrays; n nodes, e edges and j joint moves have room, s is the size of the tables, a power of two."""

    #: How many nodes, edges, joint moves and outcomes there are, the root, and how often there was no room.
    counts: NDArray[np.int64]
    #: The state of a generator of random numbers (xorshift64*): (1,)
    random: NDArray[np.uint64]

    #: States: (n, words)
    states: NDArray[np.uint64]
    #: The first edge, how many each role has, and the role that has a choice: (n,), (n, roles), (n,)
    start: NDArray[np.int32]
    choices: NDArray[np.int32]
    mover: NDArray[np.int8]
    visits: NDArray[np.int32]
    #: The outcome that is proven, or -1, and in how many plies it is reached: (n,)
    proof: NDArray[np.int16]
    length: NDArray[np.int16]
    #: The first joint move in the list of the node's, or -1: (n,), or (1,) where no roles move at the same time.
    joints: NDArray[np.int32]

    #: Of edges, (e,): visits, those under way included; the sum of goals of the role whose move it is (0 to 1), or, if
    #: an outcome is proven, in how many plies it is reached; the move; the child, -1 for none, or -2 - i where request
    #: number i is for it; the outcome that is proven, or -1; what the move is expected to be worth before any visit.
    edge_visits: NDArray[np.int32]
    edge_value: NDArray[np.float32]
    edge_move: NDArray[np.int32]
    edge_child: NDArray[np.int32]
    edge_proof: NDArray[np.int16]

    #: Nodes by the hash of their states: (s,), -1 for none.
    table: NDArray[np.int32]
    #: Joint moves: a code of the moves, the child as for edges, the next in the node's list; and by hash, -1 for none.
    joint_parent: NDArray[np.int32]
    joint_code: NDArray[np.uint64]
    joint_child: NDArray[np.int32]
    joint_next: NDArray[np.int32]
    joint_table: NDArray[np.int32]

    #: The roles' goals in each outcome, 0 to 1: (MAX_OUTCOMES, roles)
    outcomes: NDArray[np.float32]
    #: The highest goal that each role can get anywhere: (roles,)
    highest: NDArray[np.float32]
    #: The number of the role that stands for chance, or -1: (1,)
    nature: NDArray[np.int64]
    #: What each move was worth to its role on average, all over the tree: sums of goals and visits: (moves,)
    move_value: NDArray[np.float64]
    move_visits: NDArray[np.float64]


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
        node = 8 * words + 4 + 4 * roles + 1 + 4 + 2 + 2 + 4 * 2 + 18 * edges
        if simultaneous:
            node += 4 + 20 + 4 * 2
        nodes = int(max(64, min(memory / node, 2**30)))
        return cls(nodes, int(nodes * edges), nodes if simultaneous else 1)


def new_tree(
    size: Size, words: int, moves: int, highest: Sequence[float], nature: int, random: int, *, simultaneous: bool
) -> Tree:
    """A tree without nodes. Memory is taken by the system as it is filled."""
    roles = len(highest)
    empty: Any = np.empty
    return Tree(
        counts=np.zeros(6, np.int64),
        random=np.array([random | 1], np.uint64),
        states=empty((size.nodes, words), np.uint64),
        start=empty(size.nodes, np.int32),
        choices=empty((size.nodes, roles), np.int32),
        mover=empty(size.nodes, np.int8),
        visits=empty(size.nodes, np.int32),
        proof=empty(size.nodes, np.int16),
        length=empty(size.nodes, np.int16),
        joints=empty(size.nodes if simultaneous else 1, np.int32),
        edge_visits=empty(size.edges, np.int32),
        edge_value=empty(size.edges, np.float32),
        edge_move=empty(size.edges, np.int32),
        edge_child=empty(size.edges, np.int32),
        edge_proof=empty(size.edges, np.int16),
        table=np.full(_power(2 * size.nodes), -1, np.int32),
        joint_parent=empty(size.joints, np.int32),
        joint_code=empty(size.joints, np.uint64),
        joint_child=empty(size.joints, np.int32),
        joint_next=empty(size.joints, np.int32),
        joint_table=np.full(_power(2 * size.joints), -1, np.int32),
        outcomes=np.zeros((MAX_OUTCOMES, roles), np.float32),
        highest=np.array(highest, np.float32),
        nature=np.array([nature], np.int64),
        move_value=np.zeros(moves, np.float64),
        move_visits=np.zeros(moves, np.float64),
    )


def _power(least: int) -> int:
    return 1 << (least - 1).bit_length()
