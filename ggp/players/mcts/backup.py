"""Up the tree: what leaves are worth, and what is proven of them; compiled by Numba, which this module loads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from gdl.codegen.compiled_functions import I32_1, compiled, part_with
from gdl.simulator.bits import prefetch
from ggp.players.mcts.signatures import PATHS, TREE, VALUES
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
)
from ggp.players.mcts.tree_lookup import numbers_of

#: What is backed up so many paths later is loaded meanwhile.
_AHEAD = 3

_EPSILON = np.float32(1e-6)
_LONGEST = np.int64(32767)


@part_with(error_model="numpy", forceinline=False)
def solve(tree: Any, node: Any) -> Any:
    """Whether a node is proven by what is proven of its edges (MCTS-Solver: Winands, Bjornsson, Saito, 2008).

    It is if all its moves are proven, or if the mover has one with the highest goal there is, and the lowest for all
    others. Of moves with equal goals for the mover that is taken which is worst for the others; where there is no such
    one, nothing is proven.
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
    numbers[16 * node + PROOF] = best + MAX_OUTCOMES * min(np.int64(plies + 1), _LONGEST)
    return True


@compiled(types.int64(TREE, types.int64, PATHS, I32_1, VALUES), error_model="numpy")
def back_up(tree: Any, batch: Any, paths: Any, outcome: Any, leaf_values: Any) -> Any:
    """Add what paths ended with to their edges, and pass on what is proven.

    What a request is worth counts so many times as `leaf_values` says, for one of the paths that end with it. Gives how
    many visits there were, all in all.
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
        more = np.int32(weight - 1)
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
                values[edge] += share * value
                if more:
                    numbers[16 * node + VISITS] += more
                    numbers[numbers_of(edge) + EDGE_VISITS] += more
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
                        values[edge] += share * value
                        numbers[numbers_of(edge) + EDGE_VISITS] += more
                numbers[16 * node + VISITS] += more
            if path_known[path, depth] >= 0:
                known = np.int64(path_known[path, depth])
            if proof >= 0:
                if numbers[16 * node + PROOF] < 0 and not solve(tree, node):
                    proof = np.int64(-1)
                else:
                    proof = np.int64(numbers[16 * node + PROOF])
    return total
