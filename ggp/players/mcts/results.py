"""Up the tree: what leaves are worth, and what is proven of them; compiled by Numba, which this module loads.

Arrays are taken out of the tree once in each function: to do so in a loop would count references each time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from gdl.bits import prefetch
from ggp.players.mcts.tree import SEVERAL

#: What is backed up so many paths later is loaded meanwhile.
_AHEAD = 3

_EPSILON = np.float32(1e-6)
_LONGEST = 32767


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def first_edge(nodes: Any, choices: Any, node: Any, role: Any) -> Any:
    edge = np.int64(nodes[node].start)
    for other in range(role):
        edge += choices[node, other]
    return edge


@njit(cache=True, nogil=True, error_model="numpy")
def solve(nodes: Any, edges: Any, choices: Any, outcomes: Any, limits: Any, nature: Any, node: Any) -> Any:
    """Whether a node is proven by what is proven of its edges (MCTS-Solver: Winands, Bjornsson, Saito, 2008).

    It is if all its moves are proven, or if the mover has one with the highest goal there is, and the lowest for all
    others. Of moves with equal goals for the mover that is taken which is worst for the others; where there is no such
    one, nothing is proven.
    """
    mover = np.int64(nodes[node].mover)
    if mover == SEVERAL:
        return False
    first = first_edge(nodes, choices, node, mover)
    roles = choices.shape[1]
    best = np.int64(-1)
    plies = np.float64(0)
    complete = True
    certain = True
    for edge in range(first, first + choices[node, mover]):
        proof = np.int64(edges[edge].proof)
        if proof < 0:
            complete = False
            continue
        length = edges[edge].value
        if best < 0:
            best = proof
            plies = length
            continue
        value, top = outcomes[proof, mover], outcomes[best, mover]
        if mover == nature:
            certain = certain and proof == best
            plies = max(plies, length)
        elif value > top:
            best = proof
            plies = length
            certain = True
        elif value == top and proof == best:
            # Good ends soon, bad ones late.
            if (length < plies) == (value >= 0.5):
                plies = length
        elif value == top:
            better = worse = False
            for role in range(roles):
                if role != mover and role != nature:
                    better = better or outcomes[proof, role] > outcomes[best, role]
                    worse = worse or outcomes[proof, role] < outcomes[best, role]
            certain = certain and not (better and worse)
            if worse and not better:
                best = proof
                plies = length
    if best < 0 or not certain:
        return False
    if not complete:
        if mover == nature:
            return False
        for role in range(roles):
            if role == mover:
                if outcomes[best, role] < limits[1, role] - _EPSILON:
                    return False
            elif role != nature and outcomes[best, role] > limits[0, role] + _EPSILON:
                return False
    nodes[node].proof = best
    nodes[node].length = min(np.int64(plies) + 1, _LONGEST)
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def back_up(tree: Any, batch: Any, paths: Any, outcome: Any, values: Any) -> None:
    """Add what paths ended with to their edges, and pass on what is proven."""
    path_nodes, path_links, path_edges, path_known, expected, lengths, leaves, plies = paths
    nodes, edges, choices, outcomes, worth = tree.nodes, tree.edges, tree.choices, tree.outcomes, tree.worth
    limits, nature = tree.limits, tree.nature[0]
    roles = choices.shape[1]
    nodes_at, edges_at = np.int64(nodes.ctypes.data), np.int64(edges.ctypes.data)
    for path in range(batch):
        ahead = path + _AHEAD
        if ahead < batch:
            for depth in range(lengths[ahead]):
                prefetch(nodes_at + nodes.itemsize * np.int64(path_nodes[ahead, depth]))
                prefetch(edges_at + edges.itemsize * np.int64(path_links[ahead, depth]))
        leaf = leaves[path]
        proof = np.int64(-1)
        length = np.int64(0)
        if leaf < 0:
            proof = np.int64(-1 - leaf)
            length = np.int64(plies[path])
        elif outcome[leaf] >= 0:
            proof = np.int64(outcome[leaf])
            last = lengths[path] - 1
            mover = np.int64(nodes[path_nodes[path, last]].mover)
            if mover >= 0:
                child = edges[path_edges[path, last, mover]].child
                if child >= 0:
                    length = np.int64(nodes[child].length)
        known = proof
        for depth in range(lengths[path] - 1, -1, -1):
            node = np.int64(path_nodes[path, depth])
            mover = np.int64(nodes[node].mover)
            low, high = mover, mover + 1
            if mover == SEVERAL:
                low, high = np.int64(0), np.int64(roles)
            for role in range(low, high):
                edge = np.int64(path_edges[path, depth, role])
                if edge < 0:
                    continue
                value = outcomes[known, role] if known >= 0 else values[leaf, role]
                move = edges[edge].move
                worth[move, 0] += value
                worth[move, 1] += 1
                if edges[edge].proof < 0:
                    edges[edge].value += value - expected[path, depth, role]
                    if proof >= 0 and mover == role:
                        edges[edge].proof = proof
                        edges[edge].value = length
            if path_known[path, depth] >= 0:
                known = np.int64(path_known[path, depth])
            if proof >= 0:
                if nodes[node].proof < 0 and not solve(nodes, edges, choices, outcomes, limits, nature, node):
                    proof = np.int64(-1)
                else:
                    proof = np.int64(nodes[node].proof)
                    length = np.int64(nodes[node].length)
