"""Down the tree: which leaves are to be evaluated next; compiled by Numba, which this module loads.

Arrays are taken out of the tree once in each function: to do so in a loop would count references each time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from gdl.simulator.bits import lowest_one, prefetch
from ggp.players.mcts.ranking import rank
from ggp.players.mcts.tree import (
    BLOCK,
    BLOCK_WORDS,
    COUNT,
    DROPPED,
    EDGE_CHILD,
    EDGE_MOVE,
    EDGE_PROOF,
    EDGE_VISITS,
    JOINTS,
    LINE_BYTES,
    MAX_OUTCOMES,
    MOVER,
    OF_ROLES,
    PROOF,
    ROOT,
    SEVERAL,
    VISITS,
)
from ggp.players.mcts.tree_lookup import add_joint, below, joint_number, numbers_of

#: More than any value.
_KNOWN = np.float32(1000)

#: So many paths are under way at the same time.
_TOGETHER = 8

#: So many lines of a node are loaded as soon as it is known; then those of further blocks, but not of all.
_FIRST_LINES = 4
_MOST_LINES = 32


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy", inline="always")
def _pick(tables: Any, first: Any, count: Any, role: Any, visits: Any, rules: Any, beyond: Any) -> Any:
    """The edge of a role to try next: UCT (Kocsis and Szepesvari, 2006).

    `rules` are the weight of exploration, and how much more than its move was worth elsewhere in the tree an edge
    without visits is worth. What is proven is worth what is proven; if what is sought is `beyond` that, it comes last.
    """
    memory, numbers, worth, outcomes = tables
    weight, unvisited = rules
    best = first
    top = np.float32(-1e29)
    for start in range(first, first + BLOCK_WORDS * ((count + BLOCK - 1) // BLOCK), BLOCK_WORDS):
        at = numbers_of(start)
        value, which, untried, known = rank(memory + 8 * start, memory + 4 * at, visits, weight)
        if value > top:
            top = value
            best = start + np.int64(which)
        while untried:
            place = np.int64(lowest_one(untried))
            untried &= untried - np.uint64(1)
            move = numbers[at + place + EDGE_MOVE]
            value = unvisited + np.float32((worth[move, 0] + 0.5) / (worth[move, 1] + 1.0))
            if value > top:
                top = value
                best = start + place
        while known:
            place = np.int64(lowest_one(known))
            known &= known - np.uint64(1)
            value = outcomes[numbers[at + place + EDGE_PROOF] % MAX_OUTCOMES, role] - _KNOWN * np.float32(beyond)
            if value > top:
                top = value
                best = start + place
    return best


@njit(cache=True, nogil=True, error_model="numpy")
def select(tree: Any, batch: Any, parameters: Any, requests: Any, paths: Any) -> Any:
    """Go down the tree so many times, and note where to: how many requests there are.

    `parameters` are exploration, how much more than any other an edge without visits is worth, and how many visits an
    edge has before its child gets a node.

    A request is a state to be evaluated: (parent, its state, moves, edge or joint move, whether to make a node). A path
    ends with a request, or with an outcome that is proven.
    """
    path_nodes, path_links, path_edges, path_moves, path_known, lengths, leaves, ends = paths
    parents, states, moves, links, making = requests
    numbers, words, joints = tree.numbers, tree.words, tree.joints
    joint_table, counts, random, shape = tree.joint_table, tree.counts, tree.random, tree.shape
    nature = tree.nature[0]
    # Logarithms are to base 2.
    weight = np.float32(parameters[0] * parameters[0] * np.log(2.0))
    unvisited = np.float32(parameters[1])
    rules = (weight, unvisited)
    patience = np.int64(parameters[2])
    roles = tree.limits.shape[1]
    root = counts[ROOT]
    memory = np.int64(words.ctypes.data)
    tables = (memory, numbers, tree.worth, tree.outcomes)
    head, state_at = shape[0], shape[1]
    count = 0
    # Several paths are under way at the same time: what one of them needs next is loaded while others go on.
    slots = min(_TOGETHER, batch)
    path_of = np.arange(slots)
    node_of = np.full(slots, root)
    depth_of = np.zeros(slots, np.int64)
    following = slots
    left = batch
    while left > 0:
        for slot in range(slots):
            if path_of[slot] >= 0:
                lines = head + 3 * ((np.int64(numbers[16 * node_of[slot] + COUNT]) + BLOCK - 1) // BLOCK)
                for line in range(_FIRST_LINES, min(lines, _MOST_LINES)):
                    prefetch(memory + LINE_BYTES * (node_of[slot] + line))
        for slot in range(slots):
            path = path_of[slot]
            if path < 0:
                continue
            node, depth = node_of[slot], depth_of[slot]
            at = 16 * node
            child = np.int64(-1)
            if numbers[at + PROOF] >= 0:
                leaves[path] = -1
                ends[path] = numbers[at + PROOF]
            elif depth == path_nodes.shape[1]:
                # The path is too long, as where positions recur: the state is evaluated as it is.
                parents[count] = node
                for i in range(states.shape[1]):
                    states[count, i] = words[8 * node + state_at + i]
                moves[count, 0] = -1
                links[count] = -1
                making[count] = False
                leaves[path] = count
                count += 1
            else:
                visits = numbers[at + VISITS] + 1
                numbers[at + VISITS] = visits
                path_nodes[path, depth] = node
                mover = np.int64(numbers[at + MOVER])
                known = np.int64(-1)
                ended = False
                if mover >= 0:
                    own = np.int64(numbers[at + COUNT])
                    first = 8 * (node + head)
                    if mover == nature:
                        chosen = below(random, own)
                        link = first + BLOCK_WORDS * (chosen // BLOCK) + chosen % BLOCK
                    else:
                        link = _pick(tables, first, own, mover, visits, rules, False)
                        if numbers[numbers_of(link) + EDGE_PROOF] >= 0:
                            # The best move's outcome is known, and is what the node is worth; so there is time to find
                            # out about the others.
                            known = np.int64(numbers[numbers_of(link) + EDGE_PROOF])
                            link = _pick(tables, first, own, mover, visits, rules, True)
                    edge = numbers_of(link)
                    tried = numbers[edge + EDGE_VISITS] + 1
                    numbers[edge + EDGE_VISITS] = tried
                    child = np.int64(numbers[edge + EDGE_CHILD])
                    fresh = tried <= patience
                    path_moves[path, depth] = numbers[edge + EDGE_MOVE]
                    if numbers[edge + EDGE_PROOF] >= 0:
                        leaves[path] = -1
                        ends[path] = numbers[edge + EDGE_PROOF]
                        child = np.int64(-1)
                        ended = True
                else:
                    code = np.uint64(0)
                    for role in range(roles):
                        own = np.int64(numbers[at + OF_ROLES + 2 * role])
                        first = np.int64(numbers[at + OF_ROLES + 2 * role + 1])
                        path_edges[path, depth, role] = -1
                        if own < 2:
                            continue
                        if role == nature:
                            chosen = below(random, own)
                            link = first + BLOCK_WORDS * (chosen // BLOCK) + chosen % BLOCK
                        else:
                            # Roles whose numbers are alike would else always try the same joint moves together.
                            share = np.float32(below(random, 1024)) / np.float32(512)
                            link = _pick(tables, first, own, role, visits, (weight * share * share, unvisited), False)
                        numbers[numbers_of(link) + EDGE_VISITS] += 1
                        path_edges[path, depth, role] = link
                        code = code * np.uint64(own) + np.uint64(link - first)
                    fresh = False
                    link = joint_number(joint_table, joints, node, code)
                    if link >= 0:
                        child = np.int64(joints[link].child)
                    elif counts[JOINTS] < len(joints):
                        link = np.int64(add_joint(tree, -1 - link, node, code, -1))
                    else:
                        link = np.int64(-1)
                        counts[DROPPED] += 1
                path_known[path, depth] = known
                path_links[path, depth] = link
                depth += 1
                if child <= -2:
                    leaves[path] = -2 - child
                elif child == -1 and not ended:
                    parents[count] = node
                    links[count] = link
                    making[count] = not fresh and link >= 0
                    for i in range(states.shape[1]):
                        states[count, i] = words[8 * node + state_at + i]
                    for role in range(roles):
                        move = numbers[at + OF_ROLES + 2 * role + 1]
                        if mover == role:
                            move = path_moves[path, depth - 1]
                        elif mover == SEVERAL and path_edges[path, depth - 1, role] >= 0:
                            move = numbers[numbers_of(np.int64(path_edges[path, depth - 1, role])) + EDGE_MOVE]
                        moves[count, role] = move
                    if link >= 0:
                        if mover >= 0:
                            numbers[numbers_of(link) + EDGE_CHILD] = -2 - count
                        else:
                            joints[link].child = -2 - count
                    leaves[path] = count
                    count += 1
            if child >= 0:
                for line in range(_FIRST_LINES):
                    prefetch(memory + LINE_BYTES * (child + line))
                node_of[slot] = child
                depth_of[slot] = depth
                continue
            lengths[path] = depth
            left -= 1
            path_of[slot] = following if following < batch else -1
            node_of[slot] = root
            depth_of[slot] = 0
            following += 1
    return count
