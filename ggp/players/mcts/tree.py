"""The tree of a search in one block of memory, divided into cache lines.

A line is 64 bytes, the unit in which a processor loads memory. A node represents a state. It is a run of lines: a head,
then edges, which are the moves of the roles that have a choice, in blocks of eight edges to three lines. So everything
that a step down the tree reads is in one place. If only one role has a choice (the `mover`), each of its edges leads to
a child. If several have one (`SEVERAL`), they choose independently, and a table maps each joint move to its child. A
state reached by several paths is a single node.

    head    VISITS, COUNT, MOVER, JOINT_LIST, PROOF, LINES, -, - (32 bits each), two numbers for each role, the state
    edges   eight values (64 bits each) | eight VISITS, eight PROOFs | eight CHILDs, eight MOVEs (32 bits each)

A node's number is the number of its first line. An edge's number is the index of its value among all 64-bit words. The
edges of a role are numbered consecutively in a block; each block begins 24 words after the previous one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from gdl.codegen.array_types import F32_2, F64_1, F64_2, I32_1, I64_1, U64_1, Form

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The mover of a node where several roles have a choice.
SEVERAL: Final = -1

#: The most different outcomes, by the roles' goal values, that proofs can distinguish.
MAX_OUTCOMES: Final = 4096

#: Words of 64 bits in a line, and bytes.
LINE: Final = 8
LINE_BYTES: Final = 64

#: Edges in a block, and the block's lines and words.
BLOCK: Final = 8
BLOCK_LINES: Final = 3
BLOCK_WORDS: Final = 24

#: Places in `Tree.counts`.
NODES, LINES_USED, JOINTS, OUTCOMES, ROOT, DROPPED, LOCK, COUNTS = range(8)

#: The place of the flag in `Tree.shape`.
SHARED: Final = 3

#: The head of a node, as 32-bit integers: visits; the number of the mover's moves; the mover, or SEVERAL; the first of
#: the node's joint moves, or -1; the proof, or -1 (the number of the outcome, plus MAX_OUTCOMES for each ply until
#: then); the number of the node's lines. From OF_ROLES on there are two numbers for each role: its number of moves, and
#: its first edge, or its only move if it has no choice. The state follows.
VISITS, COUNT, MOVER, JOINT_LIST, PROOF, LINES = range(6)
OF_ROLES: Final = 8

#: The offsets of an edge's 32-bit integers from `edge_at`: visits, including those under way; the proof, as for nodes;
#: the child, -1 for none, or -2 - i while request number i of all threads is pending for it; the move. An edge without
#: a proof has -1 there, less its prior probability in units of 1 / PRIOR_ONE, and GAP if there is no edge.
EDGE_VISITS, EDGE_PROOF, EDGE_CHILD, EDGE_MOVE = 0, 8, 16, 24
PRIOR_ONE: Final = 1 << 24
GAP: Final = -(1 << 30)

#: A joint move: its node, the child as for edges, the next one in the node's list, a code of the moves.
JOINT: Final = np.dtype([("parent", "i4"), ("child", "i4"), ("next", "i4"), ("code", "u8")], align=True)

#: Keeps the numbers of edges within 31 bits.
_MOST_LINES: Final = 2**28 - 1


class Tree(NamedTuple):
    """The arrays of a tree. Hash tables have a power of two places, with a number in each, or -1 for none."""

    #: The number of nodes, lines, joint moves and outcomes, the root, the number of times that there was no room, and 1
    #: while a thread adds an outcome.
    counts: I64_1
    #: The state of the random number generator: (1,). Each thread has its own; all else is shared.
    random: U64_1
    #: The lines as 64-bit words (lines * 8); the same memory as floats, for the values of edges, each the sum of the
    #: goals (0 to 1) of the role whose move it is; and the same memory as 32-bit integers (lines * 16).
    words: U64_1
    values: F64_1
    numbers: I32_1
    #: The number of lines in a head, the index of the first word of its state, the number of words in a state, and 1 if
    #: several threads search the tree: (4,)
    shape: I64_1
    table: I32_1
    #: Entries of type JOINT; only one if no roles move simultaneously.
    joints: Annotated[NDArray[np.void], Form(1, record=JOINT)]
    joint_table: I32_1
    #: The roles' goals in each outcome, 0 to 1: (MAX_OUTCOMES, roles)
    outcomes: F32_2
    #: The lowest and the highest goal that each role can get: (2, roles)
    limits: F32_2
    #: The number of the chance role, or -1: (1,)
    nature: I64_1
    #: For each move, the sum of its goals over the whole tree, and the number of times it was tried: (moves, 2)
    worth: F64_2


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
    shared: bool = False,
) -> Tree:
    """Return an empty tree of about `memory` bytes, laid out for nodes with `branching` edges on average.

    The system provides the memory only as it is filled.
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
        counts=np.zeros(COUNTS, np.int64),
        random=np.array([(2 * seed + 1) % 2**64], np.uint64),
        words=memory_words,
        values=memory_words.view(np.float64),
        numbers=memory_words.view(np.int32),
        shape=np.array([head, state, words, shared], np.int64),
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
    """Return the index of an edge's 32-bit integers."""
    return 2 * edge - (edge & 7) + 16


class Edge(NamedTuple):
    """A read-only view of an edge; see the offsets of edges."""

    value: float
    visits: int
    proof: int
    child: int
    move: int


@final
class Node:
    """A read-only view of a node."""

    def __init__(self, tree: Tree, number: int) -> None:
        """Read the head of a node by its number."""
        self.tree = tree
        self.number = number
        self._numbers = tree.numbers[16 * number :]
        self._roles = tree.limits.shape[1]
        self.visits = int(self._numbers[VISITS])
        self.mover = int(self._numbers[MOVER])
        self.proof = int(self._numbers[PROOF])
        self.joints = int(self._numbers[JOINT_LIST])
        self.lines = int(self._numbers[LINES])
        state, words = (int(part) for part in tree.shape[1:3])
        self.state = tree.words[LINE * number + state : LINE * number + state + words]

    @property
    def choices(self) -> list[int]:
        """The number of moves of each role."""
        return [int(self._numbers[OF_ROLES + 2 * role]) for role in range(self._roles)]

    def chooses(self, role: int) -> bool:
        """Return True if a role's moves are edges."""
        return role == self.mover or (self.mover == SEVERAL and self.choices[role] > 1)

    def edges(self, role: int) -> list[Edge]:
        """Return a role's edges, if it has a choice or is the mover; otherwise an empty list."""
        first = int(self._numbers[OF_ROLES + 2 * role + 1])
        if not self.chooses(role):
            return []
        edges = [first + i // BLOCK * BLOCK_WORDS + i % BLOCK for i in range(self.choices[role])]
        return [self._edge(edge) for edge in edges]

    def only_move(self, role: int) -> int:
        """Return the move of a role that has no choice."""
        return int(self._numbers[OF_ROLES + 2 * role + 1])

    def _edge(self, edge: int) -> Edge:
        numbers = self.tree.numbers[edge_at(edge) :]
        parts = (int(numbers[part]) for part in (EDGE_VISITS, EDGE_PROOF, EDGE_CHILD, EDGE_MOVE))
        return Edge(float(self.tree.values[edge]), *parts)
