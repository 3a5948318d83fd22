"""The tree of a search in one block of memory, line by line.

A line is what a processor loads at a time: 64 bytes. A node is a state, and a run of lines: a head, then edges, which
are the moves of roles that have a choice, eight in three lines. So one place in memory has all that a step down the
tree reads. Where only one role has a choice (the `mover`), each of its edges leads to a child. Where several have
(`SEVERAL`), each chooses for itself, and a table says which child their moves lead to together. A state that is reached
by several paths is one node.

    head    VISITS, COUNT, MOVER, JOINT_LIST, PROOF, LINES, -, - (32 bits each), two numbers for each role, the state
    edges   eight values (64 bits each) | eight VISITS, eight PROOFs | eight CHILDs, eight MOVEs (32 bits each)

A node's number is that of its first line. An edge's number is that of its value among all words of 64 bits; the next
edge of a role is the next one, but after eight of them the next block's, 24 words after the last one's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The mover of a node where several roles have a choice.
SEVERAL: Final = -1

#: At most so many different ends, by the roles' goal values, are told apart by proofs.
MAX_OUTCOMES: Final = 4096

#: Words of 64 bits in a line, and bytes.
LINE: Final = 8
LINE_BYTES: Final = 64

#: Edges in a block, and the block's lines and words.
BLOCK: Final = 8
BLOCK_LINES: Final = 3
BLOCK_WORDS: Final = 24

#: What `Tree.counts` counts.
NODES, LINES_USED, JOINTS, OUTCOMES, ROOT, DROPPED = range(6)

#: The head of a node, as numbers of 32 bits: visits; how many moves the mover has; the mover, or SEVERAL; the first
#: joint move in the list of the node's, or -1; what is proven (the number of the outcome, and MAX_OUTCOMES for each ply
#: until then), or -1; how many lines the node has. From OF_ROLES on two numbers for each role: how many moves it has,
#: and its first edge, or, if it has no choice, its only move. The state follows.
VISITS, COUNT, MOVER, JOINT_LIST, PROOF, LINES = range(6)
OF_ROLES: Final = 8

#: An edge's numbers of 32 bits, counted from `edge_at`: visits, those under way included; what is proven, as for nodes,
#: or GAP where there is no edge; the child, -1 for none, or -2 - i where request number i is for it; the move.
EDGE_VISITS, EDGE_PROOF, EDGE_CHILD, EDGE_MOVE = 0, 8, 16, 24
GAP: Final = -2

#: Joint moves: their node, the child as for edges, the next in the node's list, a code of the moves.
JOINT: Final = np.dtype([("parent", "i4"), ("child", "i4"), ("next", "i4"), ("code", "u8")], align=True)

#: Edges have numbers of 31 bits.
_MOST_LINES: Final = 2**28 - 1


class Tree(NamedTuple):
    """The arrays. Tables, of a power of two, have numbers by hash, -1 for none."""

    #: How many nodes, lines, joint moves and outcomes there are, the root, and how often there was no room.
    counts: NDArray[np.int64]
    #: The state of a generator of random numbers: (1,)
    random: NDArray[np.uint64]
    #: The lines, as words (lines * 8), and the same memory as values, which are sums of goals (0 to 1) of the roles
    #: whose moves edges are, and as numbers of 32 bits (lines * 16).
    words: NDArray[np.uint64]
    values: NDArray[np.float64]
    numbers: NDArray[np.int32]
    #: How many lines a head has, the first word of its state, and how many words a state has: (3,)
    shape: NDArray[np.int64]
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


def new_tree(
    memory: int,
    words: int,
    moves: int,
    limits: Sequence[Sequence[float]],
    nature: int,
    seed: int,
    branching: float,
    *,
    simultaneous: bool,
) -> Tree:
    """A tree without nodes, of so many bytes, where nodes have so many edges on average.

    Memory is taken by the system as it is filled.
    """
    roles = len(limits[0])
    state = OF_ROLES // 2 + roles
    head = -(-(state + words) // LINE)
    lines = head + BLOCK_LINES * max(1.0, branching / BLOCK)
    node = LINE_BYTES * lines + 4 * 2 + simultaneous * (JOINT.itemsize + 4 * 2)
    nodes = int(max(64, min(memory / node, _MOST_LINES / lines)))
    memory_words = np.empty(int(nodes * lines) * LINE, np.uint64)
    joints = nodes if simultaneous else 1
    return Tree(
        counts=np.zeros(6, np.int64),
        random=np.array([(2 * seed + 1) % 2**64], np.uint64),
        words=memory_words,
        values=memory_words.view(np.float64),
        numbers=memory_words.view(np.int32),
        shape=np.array([head, state, words], np.int64),
        table=np.full(_power(2 * nodes), -1, np.int32),
        joints=np.empty(joints, JOINT),
        joint_table=np.full(_power(2 * joints), -1, np.int32),
        outcomes=np.zeros((MAX_OUTCOMES, roles), np.float32),
        limits=np.array(limits, np.float32),
        nature=np.array([nature], np.int64),
        worth=np.zeros((moves, 2), np.float64),
    )


def _power(least: int) -> int:
    return 1 << (least - 1).bit_length()


def edge_at(edge: int) -> int:
    """Where the numbers of 32 bits of an edge are."""
    return 2 * edge - (edge & 7) + 16


class Edge(NamedTuple):
    """An edge, to be read: see the numbers of edges."""

    value: float
    visits: int
    proof: int
    child: int
    move: int


@final
class Node:
    """A node, to be read."""

    def __init__(self, tree: Tree, number: int) -> None:
        self.tree = tree
        self.number = number
        self._numbers = tree.numbers[16 * number :]
        self._roles = tree.limits.shape[1]
        self.visits = int(self._numbers[VISITS])
        self.mover = int(self._numbers[MOVER])
        self.proof = int(self._numbers[PROOF])
        self.joints = int(self._numbers[JOINT_LIST])
        self.lines = int(self._numbers[LINES])
        state, words = (int(part) for part in tree.shape[1:])
        self.state = tree.words[LINE * number + state : LINE * number + state + words]

    @property
    def choices(self) -> list[int]:
        """How many moves each role has."""
        return [int(self._numbers[OF_ROLES + 2 * role]) for role in range(self._roles)]

    def chooses(self, role: int) -> bool:
        """Whether a role's moves are edges."""
        return role == self.mover or (self.mover == SEVERAL and self.choices[role] > 1)

    def edges(self, role: int) -> list[Edge]:
        """The moves of a role, if it has a choice, or is the mover."""
        first = int(self._numbers[OF_ROLES + 2 * role + 1])
        if not self.chooses(role):
            return []
        edges = [first + i // BLOCK * BLOCK_WORDS + i % BLOCK for i in range(self.choices[role])]
        return [self._edge(edge) for edge in edges]

    def only_move(self, role: int) -> int:
        """The move of a role that has no choice."""
        return int(self._numbers[OF_ROLES + 2 * role + 1])

    def _edge(self, edge: int) -> Edge:
        numbers = self.tree.numbers[edge_at(edge) :]
        parts = (int(numbers[part]) for part in (EDGE_VISITS, EDGE_PROOF, EDGE_CHILD, EDGE_MOVE))
        return Edge(float(self.tree.values[edge]), *parts)
