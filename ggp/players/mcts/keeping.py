"""What is kept of a tree when its root moves on; compiled by Numba, which this module loads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ggp.players.mcts.lookup import add_joint, find, joint_number
from ggp.players.mcts.tree import EDGES, JOINTS, NODES, OUTCOMES, ROOT


@njit(cache=True, nogil=True, error_model="numpy")
def move_subtree(old: Any, new: Any, root: Any, most: Any) -> None:
    """Copy what can be reached from a node into an empty tree, at most so many nodes; it becomes the root.

    Those that are nearest come first.
    """
    roles = old.choices.shape[1]
    numbers = np.full(old.counts[NODES], -1, np.int32)
    origin = np.empty(min(most, len(new.nodes)), np.int32)
    new.outcomes[:] = old.outcomes
    new.counts[OUTCOMES] = old.counts[OUTCOMES]
    new.random[0] = old.random[0]
    new.worth[:] = old.worth
    _copy_node(old, new, root, numbers, origin)
    new.counts[ROOT] = 0
    at = np.int64(0)
    while at < new.counts[NODES]:
        node = np.int64(origin[at])
        edge, to = np.int64(old.nodes[node].start), np.int64(new.nodes[at].start)
        total = np.int64(0)
        for role in range(roles):
            total += old.choices[node, role]
        for i in range(total):
            child = np.int64(old.edges[edge + i].child)
            if child >= 0:
                if numbers[child] < 0:
                    _copy_node(old, new, child, numbers, origin)
                new.edges[to + i].child = numbers[child]
        joint = np.int64(old.nodes[node].joints)
        while joint >= 0:
            child = np.int64(old.joints[joint].child)
            if child >= 0 and numbers[child] < 0:
                _copy_node(old, new, child, numbers, origin)
            if child >= 0 and numbers[child] >= 0 and new.counts[JOINTS] < len(new.joints):
                code = old.joints[joint].code
                place = joint_number(new.joint_table, new.joints, at, code)
                if place < 0:
                    add_joint(new, -1 - place, at, code, numbers[child])
            joint = np.int64(old.joints[joint].next)
        at += 1


@njit(cache=True, nogil=True, error_model="numpy")
def _copy_node(old: Any, new: Any, node: Any, numbers: Any, origin: Any) -> None:
    """Copy a node, with edges that have no children yet; not if there is no room."""
    total = np.int64(0)
    for role in range(old.choices.shape[1]):
        total += old.choices[node, role]
    to, edge = new.counts[NODES], new.counts[EDGES]
    if to >= len(origin) or edge + total > len(new.edges):
        return
    place = find(new.table, new.states, old.states, node)
    numbers[node] = to
    origin[to] = node
    new.table[-1 - place] = to
    new.counts[NODES] = to + 1
    new.counts[EDGES] = edge + total
    new.states[to] = old.states[node]
    new.choices[to] = old.choices[node]
    new.nodes[to] = old.nodes[node]
    first = np.int64(old.nodes[node].start)
    new.nodes[to].start = edge
    new.nodes[to].first = edge + (old.nodes[node].first - first)
    new.nodes[to].joints = -1
    for i in range(total):
        new.edges[edge + i] = old.edges[first + i]
        new.edges[edge + i].child = -1
