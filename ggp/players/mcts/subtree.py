"""Keep a part of the tree when the root advances. Compiled by Numba, which this module loads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from gdl.codegen.compiled_functions import compiled, part, part_with
from ggp.players.mcts.signatures import TREE
from ggp.players.mcts.tree import (
    BLOCK,
    BLOCK_WORDS,
    EDGE_CHILD,
    JOINT_LIST,
    JOINTS,
    LINE,
    LINES,
    LINES_USED,
    MOVER,
    NODES,
    OF_ROLES,
    OUTCOMES,
    ROOT,
    SEVERAL,
)
from ggp.players.mcts.tree_lookup import add_joint, find, joint_number, numbers_of


@part
def has_edges(tree: Any, node: Any, role: Any) -> Any:
    """Return True if a role's moves are edges: those of the mover are, and of a role with a choice among several."""
    mover = np.int64(tree.numbers[16 * node + MOVER])
    count = tree.numbers[16 * node + OF_ROLES + 2 * role]
    return count > 0 and (role == mover or (mover == SEVERAL and count > 1))


@part_with(_nrt=True, forceinline=False)
def _copy_node(old: Any, new: Any, node: Any, places: Any, copies: Any, origins: Any) -> None:
    """Copy a node as it is, if there is room."""
    count, to = new.counts[NODES], new.counts[LINES_USED]
    lines = np.int64(old.numbers[16 * node + LINES])
    if count >= len(copies) or LINE * (to + lines) > len(new.words):
        return
    state = old.words[LINE * node + old.shape[1] : LINE * node + old.shape[1] + old.shape[2]]
    new.table[-1 - find(new, state.reshape(1, len(state)), 0)] = to
    places[node] = to
    copies[count] = to
    origins[count] = node
    new.counts[NODES] = count + 1
    new.counts[LINES_USED] = to + lines
    new.words[LINE * to : LINE * (to + lines)] = old.words[LINE * node : LINE * (node + lines)]
    new.numbers[16 * to + JOINT_LIST] = -1


@compiled(types.void(TREE, TREE, types.int64, types.int64), allocates=True, error_model="numpy")
def move_subtree(old: Any, new: Any, root: Any, most: Any) -> None:
    """Copy a node and at most `most` nodes in all that can be reached from it into an empty tree, as its root.

    The nearest nodes are copied first.
    """
    roles = old.limits.shape[1]
    # The new place of each old node, by its line; the new nodes, and the old nodes that they come from.
    places = np.full(old.counts[LINES_USED], -1, np.int32)
    most = min(most, old.counts[NODES])
    copies, origins = np.empty(most, np.int32), np.empty(most, np.int32)
    new.outcomes[:] = old.outcomes
    new.counts[OUTCOMES] = old.counts[OUTCOMES]
    new.random[0] = old.random[0]
    new.worth[:] = old.worth
    _copy_node(old, new, root, places, copies, origins)
    new.counts[ROOT] = 0
    at = np.int64(0)
    while at < new.counts[NODES]:
        node, to = np.int64(origins[at]), np.int64(copies[at])
        shift = LINE * (to - node)
        for role in range(roles):
            own = old.numbers[16 * node + OF_ROLES + 2 * role]
            first = np.int64(old.numbers[16 * node + OF_ROLES + 2 * role + 1])
            if not has_edges(old, node, role):
                continue
            new.numbers[16 * to + OF_ROLES + 2 * role + 1] = first + shift
            for k in range(own):
                edge = first + BLOCK_WORDS * (k // BLOCK) + k % BLOCK
                child = np.int64(old.numbers[numbers_of(edge) + EDGE_CHILD])
                if child >= 0:
                    if places[child] < 0:
                        _copy_node(old, new, child, places, copies, origins)
                    child = np.int64(places[child])
                new.numbers[numbers_of(edge + shift) + EDGE_CHILD] = max(child, -1)
        joint = np.int64(old.numbers[16 * node + JOINT_LIST])
        while joint >= 0:
            child = np.int64(old.joints[joint].child)
            if child >= 0 and places[child] < 0:
                _copy_node(old, new, child, places, copies, origins)
            if child >= 0 and places[child] >= 0 and new.counts[JOINTS] < len(new.joints):
                code = old.joints[joint].code
                place = joint_number(new.joint_table, new.joints, to, code)
                if place < 0:
                    add_joint(new, -1 - place, to, code, places[child])
            joint = np.int64(old.joints[joint].next)
        at += 1
