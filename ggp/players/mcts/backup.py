"""Backpropagation: pass the values and proofs of leaves up the tree. Compiled by Numba, which this module loads."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdl.codegen.array_types import F32_2, I32_1, Int
from gdl.codegen.compiled_functions import compiled, part_with
from gdl.simulator.bits import prefetch
from ggp.players.mcts.signatures import Paths
from ggp.players.mcts.tree import (
    BLOCK,
    BLOCK_WORDS,
    COUNT,
    EDGE_MOVE,
    EDGE_PROOF,
    EDGE_VISITS,
    LINE,
    LINE_BYTES,
    MAX_OUTCOMES,
    MOVER,
    PROOF,
    SEVERAL,
    VISITS,
    Tree,
)
from ggp.players.mcts.tree_lookup import add_value, add_visits, numbers_of

#: The memory of a path is prefetched this many paths in advance.
_AHEAD = 3

_EPSILON = np.float32(1e-6)
_LONGEST = np.int64(32767)


@part_with(error_model="numpy", forceinline=False)
def solve(tree: Tree, node: Int) -> Any:
    """Try to prove a node from the proofs of its edges; return True if it is proven.

    This is MCTS-Solver (Winands, Bjornsson, Saito, 2008). A node is proven if all its moves are, or if the mover has a
    proven move with the highest possible goal for itself and the lowest for all others. Among moves with equal goals
    for the mover, the one that is worst for the others counts; if there is no such move, nothing is proven.
    """
    numbers, outcomes, limits, nature = tree.numbers, tree.outcomes, tree.limits, tree.nature[0]
    mover = np.int64(numbers[16 * node + MOVER])
    if mover == SEVERAL:
        return False
    roles = limits.shape[1]
    first = LINE * (node + tree.shape[0])
    best = np.int64(-1)
    plies = np.int64(0)
    complete = True
    certain = True
    for k in range(numbers[16 * node + COUNT]):
        known = np.int64(numbers[numbers_of(first + BLOCK_WORDS * (k // BLOCK) + k % BLOCK) + EDGE_PROOF])
        if known < 0:
            complete = False
            continue
        proof, length = known % MAX_OUTCOMES, known // MAX_OUTCOMES
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
            # Prefer good outcomes soon and bad ones late.
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
    numbers[16 * node + PROOF] = best + MAX_OUTCOMES * min(np.int64(plies + 1), _LONGEST)
    return True


@compiled(error_model="numpy")
def back_up(tree: Tree, batch: int, paths: Paths, outcome: I32_1, leaf_values: tuple[F32_2, I32_1]) -> int:
    """Add the values of leaves to the edges of their paths, and pass proofs up. Return the number of visits in total.

    `leaf_values` are the goals of the requests, and their weights: for the first path that ends with a request, its
    goals count as that many visits; for further paths they count once.
    """
    goals, weights = leaf_values
    total = np.int64(0)
    path_nodes, path_links, path_edges, path_moves, path_known, lengths, leaves, ends = paths
    numbers, values, outcomes, worth = tree.numbers, tree.values, tree.outcomes, tree.worth
    roles = tree.limits.shape[1]
    memory = np.int64(values.ctypes.data)
    for path in range(batch):
        ahead = path + _AHEAD
        if ahead < batch:
            for depth in range(lengths[ahead]):
                node = np.int64(path_nodes[ahead, depth])
                prefetch(memory + LINE_BYTES * node)
                edge = np.int64(path_links[ahead, depth])
                prefetch(memory + 8 * edge)
                prefetch(memory + 4 * numbers_of(edge))
        leaf = leaves[path]
        proof = np.int64(outcome[leaf]) if leaf >= 0 else np.int64(ends[path])
        known = proof
        weight = np.int32(1)
        if leaf >= 0:
            weight = weights[leaf]
            weights[leaf] = 1
        total += weight
        more = np.int64(weight - 1)
        share = np.float64(weight)
        for depth in range(lengths[path] - 1, -1, -1):
            node = np.int64(path_nodes[path, depth])
            mover = np.int64(numbers[16 * node + MOVER])
            if mover >= 0:
                edge = np.int64(path_links[path, depth])
                value = outcomes[known % MAX_OUTCOMES, mover] if known >= 0 else goals[leaf, mover]
                move = path_moves[path, depth]
                worth[move, 0] += value
                worth[move, 1] += 1
                add_value(tree, edge, share * value)
                if more:
                    add_visits(tree, 16 * node + VISITS, more)
                    add_visits(tree, numbers_of(edge) + EDGE_VISITS, more)
                if proof >= 0 and numbers[numbers_of(edge) + EDGE_PROOF] < 0:
                    numbers[numbers_of(edge) + EDGE_PROOF] = proof
            else:
                for role in range(roles):
                    edge = np.int64(path_edges[path, depth, role])
                    if edge >= 0:
                        value = outcomes[known % MAX_OUTCOMES, role] if known >= 0 else goals[leaf, role]
                        move = numbers[numbers_of(edge) + EDGE_MOVE]
                        worth[move, 0] += value
                        worth[move, 1] += 1
                        add_value(tree, edge, share * value)
                        add_visits(tree, numbers_of(edge) + EDGE_VISITS, more)
                add_visits(tree, 16 * node + VISITS, more)
            if path_known[path, depth] >= 0:
                known = np.int64(path_known[path, depth])
            if proof >= 0:
                if numbers[16 * node + PROOF] < 0 and not solve(tree, node):
                    proof = np.int64(-1)
                else:
                    proof = np.int64(numbers[16 * node + PROOF])
    return int(total)
