"""The arrays of one round of the search, and the Numba types of the compiled functions. This module loads Numba."""

from __future__ import annotations

from typing import NamedTuple

from gdl.codegen.array_types import B_1, F32_2, I32_1, I32_2, I32_3, I64_1, U64_2


class Paths(NamedTuple):
    """Paths down the tree, as 32-bit integers: arrays for each step of each path, then for each path."""

    #: The node, and its edge or joint move: (paths, steps), as are `moves` and `known`.
    nodes: I32_2
    links: I32_2
    #: The edge of each role, where several have a choice: (paths, steps, roles)
    edges: I32_3
    #: The move, where one role has a choice.
    moves: I32_2
    #: The outcome of the best move if that is proven and another one was tried instead, or -1.
    known: I32_2
    #: The number of steps; the request at the end, or -1; the proven outcome if there is no request: (paths,)
    lengths: I32_1
    leaves: I32_1
    ends: I32_1


class Requests(NamedTuple):
    """States to evaluate, as the children of nodes."""

    parents: I32_1
    #: The parent's state, and the roles' moves; the first is -1 if the parent itself is to be evaluated.
    states: U64_2
    moves: I32_2
    #: The edge or joint move that leads to the state, or -1; True to make a node for it.
    links: I32_1
    making: B_1
    #: The number of the thread's first request, of those of all threads: (1,). A request that another thread waits for
    #: is made once more.
    begin: I64_1


class Looked(NamedTuple):
    """The properties of n states: terminal (n,), goals (n, roles) from 0 to 1, and legal moves.

    A state in which a role has no legal move counts as terminal, with unknown goals.

    The moves of role `r` in state `i` are those from `offsets[i * roles + r]` up to the next offset.
    """

    terminal: B_1
    goals: F32_2
    offsets: I64_1
    moves: I32_1
