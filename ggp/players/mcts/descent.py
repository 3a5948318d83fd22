"""Down the tree: which leaves are to be evaluated next; compiled by Numba, which this module loads.

Arrays are taken out of the tree once in each function: to do so in a loop would count references each time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from gdl.bits import prefetch
from ggp.players.mcts.lookup import add_joint, below, joint_number
from ggp.players.mcts.tree import DROPPED, JOINTS, ROOT, SEVERAL

#: More than any value.
_KNOWN = np.float32(1000)

#: So many paths are under way at the same time.
_TOGETHER = 8

#: Logarithms of visits are kept for so many visits; edges beyond so many are not loaded ahead.
_FEW = 64


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy", inline="always")
def _pick(tables: Any, first: Any, count: Any, role: Any, spread: Any, rules: Any, beyond: Any) -> Any:
    """The edge of a role to try next: UCT (Kocsis and Szepesvari, 2006), with what moves are worth elsewhere.

    What is proven is worth what is proven; if what is sought is `beyond` that, it comes last. `rules` are the weight of
    what the move was worth all over the tree, in visits of the edge, and how much more than that an edge without visits
    is worth.
    """
    edges, worth, outcomes = tables
    bias, unvisited = rules
    best = first
    top = np.float32(-1e30)
    for edge in range(first, first + count):
        proof = edges[edge].proof
        visits = np.float32(edges[edge].visits)
        if proof >= 0:
            value = outcomes[proof, role] - _KNOWN * np.float32(beyond)
        elif visits > 0:
            total = np.float32(edges[edge].value)
            if bias > 0:
                move = edges[edge].move
                total += bias * np.float32((worth[move, 0] + 0.5) / (worth[move, 1] + 1.0))
            value = total / (visits + bias) + np.sqrt(spread / visits)
        else:
            move = edges[edge].move
            value = unvisited + np.float32((worth[move, 0] + 0.5) / (worth[move, 1] + 1.0))
        if value > top:
            top = value
            best = edge
    return best


@njit(cache=True, nogil=True, error_model="numpy")
def select(tree: Any, batch: Any, parameters: Any, requests: Any, paths: Any) -> Any:
    """Go down the tree so many times, and note where to: how many requests there are.

    `parameters` are exploration, bias, unvisited, the share of an expected goal that a visit under way counts with,
    and how many visits an edge has before its child gets a node.

    A request is a state to be evaluated: (parent, moves, edge or joint move, whether to make a node). A path ends
    with a request, or with an outcome that is proven.
    """
    path_nodes, path_links, path_edges, path_known, expected, lengths, leaves, plies = paths
    parents, moves, links, making = requests
    nodes, edges, choices, joints = tree.nodes, tree.edges, tree.choices, tree.joints
    joint_table, outcomes, worth, counts, random = tree.joint_table, tree.outcomes, tree.worth, tree.counts, tree.random
    nature = tree.nature[0]
    exploration = np.float32(parameters[0])
    rules = (np.float32(parameters[1]), np.float32(parameters[2]))
    tables = (edges, worth, outcomes)
    trust = np.float32(parameters[3])
    patience = np.int64(parameters[4])
    roles = choices.shape[1]
    root = counts[ROOT]
    node_size, edge_size = nodes.itemsize, edges.itemsize
    nodes_at, edges_at = np.int64(nodes.ctypes.data), np.int64(edges.ctypes.data)
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
                node = node_of[slot]
                start = edges_at + edge_size * np.int64(nodes[node].first)
                for line in range(0, min(np.int64(nodes[node].count), _FEW) * edge_size + 63, 64):
                    prefetch(start + line)
        for slot in range(slots):
            path = path_of[slot]
            if path < 0:
                continue
            node, depth = node_of[slot], depth_of[slot]
            child = np.int64(-1)
            if nodes[node].proof >= 0:
                leaves[path] = -1 - nodes[node].proof
                plies[path] = nodes[node].length
            elif depth == path_nodes.shape[1]:
                # The path is too long, as where positions recur: the state is evaluated as it is.
                parents[count] = node
                moves[count, 0] = -1
                links[count] = -1
                making[count] = False
                leaves[path] = count
                count += 1
            else:
                visits = nodes[node].visits + 1
                nodes[node].visits = visits
                if visits < _FEW or visits % _FEW == 0:
                    nodes[node].log = np.log(np.float32(visits))
                spread = exploration * exploration * nodes[node].log
                path_nodes[path, depth] = node
                mover = np.int64(nodes[node].mover)
                code = np.uint64(0)
                link = np.int64(-1)
                known = np.int64(-1)
                low, high, first = mover, mover + 1, np.int64(nodes[node].first)
                if mover == SEVERAL:
                    low, high, first = np.int64(0), np.int64(roles), np.int64(nodes[node].start)
                for role in range(low, high):
                    own = np.int64(nodes[node].count) if mover >= 0 else np.int64(choices[node, role])
                    if mover == SEVERAL and own < 2:
                        path_edges[path, depth, role] = -1
                        first += own
                        continue
                    wide = spread
                    if mover == SEVERAL:
                        # Roles whose numbers are alike would else always try the same joint moves together.
                        share = np.float32(below(random, 1024)) / np.float32(512)
                        wide *= share * share
                    beyond = False
                    while True:
                        if role == nature:
                            edge = first + below(random, own)
                            break
                        edge = _pick(tables, first, own, role, wide, rules, beyond)
                        if beyond or mover != role or edges[edge].proof < 0:
                            break
                        # The best move's outcome is known, and is what the node is worth; so there is time to find out
                        # about the others.
                        known = np.int64(edges[edge].proof)
                        beyond = True
                    hope = np.float32(0)
                    if trust > 0 and edges[edge].visits > 0 and edges[edge].proof < 0:
                        hope = trust * np.float32(edges[edge].value / edges[edge].visits)
                        edges[edge].value += hope
                    edges[edge].visits += 1
                    path_edges[path, depth, role] = edge
                    expected[path, depth, role] = hope
                    code = code * np.uint64(own) + np.uint64(edge - first)
                    link = edge
                    first += own
                path_known[path, depth] = known
                path_links[path, depth] = link
                depth += 1
                ended = False
                if mover >= 0:
                    child = np.int64(edges[link].child)
                    fresh = edges[link].visits <= patience
                    if edges[link].proof >= 0:
                        leaves[path] = -1 - edges[link].proof
                        plies[path] = np.int64(edges[link].value)
                        child = np.int64(-1)
                        ended = True
                else:
                    joint = joint_number(joint_table, joints, node, code)
                    fresh = False
                    if joint >= 0:
                        link = joint
                        child = np.int64(joints[joint].child)
                    elif counts[JOINTS] < len(joints):
                        link = add_joint(tree, -1 - joint, node, code, -1)
                    else:
                        link = np.int64(-1)
                        counts[DROPPED] += 1
                if child <= -2:
                    leaves[path] = -2 - child
                elif child == -1 and not ended:
                    parents[count] = node
                    links[count] = link
                    making[count] = not fresh and link >= 0
                    edge = np.int64(nodes[node].start)
                    for role in range(roles):
                        own = np.int64(path_edges[path, depth - 1, role]) if mover in (role, SEVERAL) else np.int64(-1)
                        moves[count, role] = edges[own if own >= 0 else edge].move
                        edge += choices[node, role]
                    if link >= 0:
                        if mover >= 0:
                            edges[link].child = -2 - count
                        else:
                            joints[link].child = -2 - count
                    leaves[path] = count
                    count += 1
            if child >= 0:
                prefetch(nodes_at + node_size * child)
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
