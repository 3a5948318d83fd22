"""Keep a part of the tree when the root advances. Compiled by Numba, which this module loads."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdl.codegen.array_types import I32_1, U64_2, Int
from gdl.codegen.compiled_functions import compiled, part, part_with
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
    Tree,
)
from ggp.players.mcts.tree_lookup import add_joint, find, joint_number, numbers_of


@part
def has_edges(tree: Tree, node: Int, role: Int) -> Any:
    """Return True if a role's moves are edges: those of the mover are, and of a role with a choice among several."""
    mover = np.int64(tree.numbers[16 * node + MOVER])
    count = tree.numbers[16 * node + OF_ROLES + 2 * role]
    return count > 0 and (role == mover or (mover == SEVERAL and count > 1))


@part_with(forceinline=False)
def _copy_node(old: Tree, new: Tree, node: Int, places: I32_1, copies: I32_1, origins: I32_1, row: U64_2) -> None:
    """Copy a node as it is, if there is room. `row` has room for one state."""
    count, to = new.counts[NODES], new.counts[LINES_USED]
    lines = np.int64(old.numbers[16 * node + LINES])
    if count >= len(copies) or LINE * (to + lines) > len(new.words):
        return
    for i in range(row.shape[1]):
        row[0, i] = old.words[LINE * node + old.shape[1] + i]
    new.table[-1 - find(new, row, 0)] = to
    places[node] = to
    copies[count] = to
    origins[count] = node
    new.counts[NODES] = count + 1
    new.counts[LINES_USED] = to + lines
    for i in range(LINE * lines):
        new.words[LINE * to + i] = old.words[LINE * node + i]
    new.numbers[16 * to + JOINT_LIST] = -1


@part_with(forceinline=False)
def _copied(old: Tree, new: Tree, node: Int, places: I32_1, copies: I32_1, origins: I32_1, row: U64_2) -> Any:
    """Return the new place of a node, which is copied if it has none yet; -1 if there is no room."""
    if node < 0:
        return np.int64(-1)
    if places[node] < 0:
        _copy_node(old, new, node, places, copies, origins, row)
    return np.int64(places[node])


def move_subtree(old: Tree, new: Tree, root: int, most: int) -> None:
    """Copy a node and at most `most` nodes in all that can be reached from it into an empty tree, as its root.

    The nearest nodes are copied first.
    """
    new.outcomes[:] = old.outcomes
    new.counts[OUTCOMES] = old.counts[OUTCOMES]
    new.counts[ROOT] = 0
    new.random[0] = old.random[0]
    new.worth[:] = old.worth
    most = min(most, int(old.counts[NODES]))
    # The new place of each old node, by its line; the new nodes, and the old nodes that they come from.
    places = np.full(int(old.counts[LINES_USED]), -1, np.int32)
    copies, origins = np.empty(most, np.int32), np.empty(most, np.int32)
    _copy_reachable(old, new, root, places, copies, origins, np.empty((1, int(old.shape[2])), np.uint64))


@compiled(error_model="numpy")
def _copy_reachable(old: Tree, new: Tree, root: int, places: I32_1, copies: I32_1, origins: I32_1, row: U64_2) -> None:
    """Copy nodes, breadth first, with all their links."""
    roles = old.limits.shape[1]
    _copied(old, new, root, places, copies, origins, row)
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
                child = _copied(old, new, child, places, copies, origins, row)
                new.numbers[numbers_of(edge + shift) + EDGE_CHILD] = child
        joint = np.int64(old.numbers[16 * node + JOINT_LIST])
        while joint >= 0:
            child = _copied(old, new, np.int64(old.joints[joint].child), places, copies, origins, row)
            if child >= 0 and new.counts[JOINTS] < len(new.joints):
                code = old.joints[joint].code
                place = joint_number(new.joint_table, new.joints, to, code)
                if place < 0:
                    add_joint(new, -1 - place, to, code, child)
            joint = np.int64(old.joints[joint].next)
        at += 1
