"""The loops of the search, compiled by Numba: select leaves, insert nodes, back up. This module loads Numba.

Arrays are taken out of the tree once in each function: to do so in a loop would count references each time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from gdl.bits import prefetch
from ggp.players.mcts.tree import DROPPED, EDGES, JOINTS, MAX_OUTCOMES, NODES, OUTCOMES, ROOT, SEVERAL

#: More than any value.
_KNOWN = np.float32(1000)

#: So many paths are under way at the same time.
_TOGETHER = 8

#: What is backed up so many paths later is loaded meanwhile.
_AHEAD = 3

#: Logarithms of visits are kept for so many visits.
_FEW = 64

_EPSILON = np.float32(1e-6)
_LONGEST = 32767


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _below(random: Any, count: Any) -> Any:
    """A random number below a count: xorshift64* (Vigna, 2016)."""
    word = random[0]
    word ^= word >> np.uint64(12)
    word ^= word << np.uint64(25)
    word ^= word >> np.uint64(27)
    random[0] = word
    word *= np.uint64(0x2545F4914F6CDD1D)
    return np.int64(((word >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _mixed(word: Any) -> Any:
    """Bits that depend on all bits of a word (splitmix64's last step)."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@njit(cache=True, nogil=True, error_model="numpy")
def find(table: Any, known: Any, states: Any, number: Any) -> Any:
    """The node with a state, row `number` of states, or -1 - the place in the table where it belongs."""
    return _find_from(table, known, states, number, _place(table, states, number))


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _place(table: Any, states: Any, number: Any) -> Any:
    """Where to begin to look for a state in the table."""
    key = np.uint64(0)
    for i in range(states.shape[1]):
        key = _mixed(key + states[number, i] + np.uint64(0x9E3779B97F4A7C15))
    return np.int64(key & np.uint64(len(table) - 1))


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _find_from(table: Any, known: Any, states: Any, number: Any, place: Any) -> Any:
    """What `find` gives, from where to begin."""
    mask = len(table) - 1
    words = states.shape[1]
    while True:
        node = table[place]
        if node < 0:
            return np.int64(-1 - place)
        same = True
        for i in range(words):
            if known[node, i] != states[number, i]:
                same = False
                break
        if same:
            return np.int64(node)
        place = (place + 1) & mask


@njit(cache=True, nogil=True, error_model="numpy")
def _joint(table: Any, joints: Any, node: Any, code: Any) -> Any:
    """The number of a joint move of a node, or -1 - the place in the table where it belongs."""
    mask = len(table) - 1
    place = np.int64(_mixed(code + np.uint64(node) * np.uint64(0x9E3779B97F4A7C15)) & np.uint64(mask))
    while True:
        joint = table[place]
        if joint < 0:
            return np.int64(-1 - place)
        if joints[joint].parent == node and joints[joint].code == code:
            return np.int64(joint)
        place = (place + 1) & mask


@njit(cache=True, nogil=True, error_model="numpy")
def _add_joint(tree: Any, place: Any, node: Any, code: Any, child: Any) -> Any:
    joint = tree.counts[JOINTS]
    tree.counts[JOINTS] = joint + 1
    tree.joints[joint].parent = node
    tree.joints[joint].code = code
    tree.joints[joint].child = child
    tree.joints[joint].next = tree.nodes[node].joints
    tree.nodes[node].joints = joint
    tree.joint_table[place] = joint
    return joint


@njit(cache=True, nogil=True, error_model="numpy")
def _outcome_number(counts: Any, outcomes: Any, goals: Any, row: Any) -> Any:
    """The number of an outcome, or -1 if there are too many different ones."""
    count = counts[OUTCOMES]
    roles = outcomes.shape[1]
    for number in range(count):
        same = True
        for role in range(roles):
            if outcomes[number, role] != goals[row, role]:
                same = False
                break
        if same:
            return np.int64(number)
    if count == MAX_OUTCOMES:
        return np.int64(-1)
    for role in range(roles):
        outcomes[count, role] = goals[row, role]
    counts[OUTCOMES] = count + 1
    return np.int64(count)


@njit(cache=True, nogil=True, error_model="numpy")
def add_node(tree: Any, place: Any, states: Any, number: Any, offsets: Any, moves: Any) -> Any:
    """A node for row `number` of states, at its place in the table; -1 if there is no room.

    The moves of role `r` are those from `offsets[number * roles + r]` up to the next offset.
    """
    nodes, edges, choices = tree.nodes, tree.edges, tree.choices
    roles = choices.shape[1]
    first = number * roles
    total = offsets[first + roles] - offsets[first]
    node, edge = tree.counts[NODES], tree.counts[EDGES]
    if node >= len(nodes) or edge + total > len(edges):
        tree.counts[DROPPED] += 1
        return np.int64(-1)
    tree.counts[NODES] = node + 1
    tree.counts[EDGES] = edge + total
    for i in range(states.shape[1]):
        tree.states[node, i] = states[number, i]
    mover = 0
    choosing = 0
    nodes[node].start = edge
    for role in range(roles):
        count = offsets[first + role + 1] - offsets[first + role]
        choices[node, role] = count
        if count > 1:
            choosing += 1
            mover = role
        begin = np.int64(edge)
        if count > 1 or role == 0:
            nodes[node].first = edge
            nodes[node].count = count
        for i in range(offsets[first + role], offsets[first + role + 1]):
            # In random order, as of equal edges the first is taken: inside-out (Durstenfeld, 1964).
            at = begin + _below(tree.random, edge - begin + 1)
            edges[edge].move = edges[at].move
            edges[at].move = moves[i]
            edges[edge].visits = 0
            edges[edge].value = 0
            edges[edge].child = -1
            edges[edge].proof = -1
            edge += 1
    nodes[node].visits = 0
    nodes[node].log = 0
    nodes[node].joints = -1
    nodes[node].proof = -1
    nodes[node].length = 0
    nodes[node].mover = SEVERAL if choosing > 1 else mover
    tree.table[place] = node
    return node


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _first_edge(nodes: Any, choices: Any, node: Any, role: Any) -> Any:
    edge = np.int64(nodes[node].start)
    for other in range(role):
        edge += choices[node, other]
    return edge


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
                        share = np.float32(_below(random, 1024)) / np.float32(512)
                        wide *= share * share
                    beyond = False
                    while True:
                        if role == nature:
                            edge = first + _below(random, own)
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
                    joint = _joint(joint_table, joints, node, code)
                    fresh = False
                    if joint >= 0:
                        link = joint
                        child = np.int64(joints[joint].child)
                    elif counts[JOINTS] < len(joints):
                        link = _add_joint(tree, -1 - joint, node, code, -1)
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


@njit(cache=True, nogil=True, error_model="numpy")
def insert(tree: Any, count: Any, requests: Any, states: Any, looked: Any, outcome: Any, made: Any) -> Any:
    """Nodes for the states of requests; those that are terminal, or proven, get their `outcome`, others -1.

    Gives how many nodes are new; `made` has them, with the requests they are for.
    """
    parents, moves, links, making = requests
    terminal, goals, offsets, legal = looked
    nodes, edges, joints, table, known = tree.nodes, tree.edges, tree.joints, tree.table, tree.states
    places = np.empty(count, np.int64)
    table_at, known_at = np.int64(table.ctypes.data), np.int64(known.ctypes.data)
    for i in range(count):
        places[i] = _place(table, states, i)
        prefetch(table_at + 4 * places[i])
    for i in range(count):
        prefetch(known_at + 8 * known.shape[1] * np.int64(max(0, table[places[i]])))
    new = 0
    for i in range(count):
        outcome[i] = -1
        if moves[i, 0] < 0:
            continue
        link = links[i]
        alone = nodes[parents[i]].mover >= 0
        child = np.int64(-1)
        if terminal[i]:
            number = _outcome_number(tree.counts, tree.outcomes, goals, i)
            outcome[i] = number
            if alone:
                edges[link].child = -1
                if number >= 0:
                    edges[link].proof = number
                    edges[link].value = 0
                continue
        place = _find_from(table, known, states, i, places[i])
        if place >= 0:
            outcome[i] = nodes[place].proof
            child = place
        elif making[i] and (outcome[i] >= 0 or not terminal[i]):
            child = add_node(tree, -1 - place, states, i, offsets, legal)
            if child >= 0:
                if outcome[i] >= 0:
                    nodes[child].proof = outcome[i]
                else:
                    made[new, 0] = child
                    made[new, 1] = i
                    new += 1
        if link >= 0:
            if alone:
                edges[link].child = child
            else:
                joints[link].child = child
    return new


@njit(cache=True, nogil=True, error_model="numpy")
def give_up(tree: Any, count: Any, requests: Any) -> None:
    """Forget requests that will not be answered."""
    parents, moves, links, _ = requests
    for i in range(count):
        link = links[i]
        if moves[i, 0] < 0 or link < 0:
            continue
        if tree.nodes[parents[i]].mover >= 0:
            tree.edges[link].child = max(tree.edges[link].child, -1)
        else:
            tree.joints[link].child = max(tree.joints[link].child, -1)


@njit(cache=True, nogil=True, error_model="numpy")
def list_children(tree: Any, made: Any, new: Any, parents: Any, links: Any, moves: Any) -> Any:
    """All joint moves of new nodes where one role has a choice, as far as there is room: how many there are."""
    nodes, edges, choices = tree.nodes, tree.edges, tree.choices
    roles = choices.shape[1]
    count = 0
    for i in range(new):
        node = np.int64(made[i, 0])
        mover = np.int64(nodes[node].mover)
        if mover == SEVERAL:
            continue
        if count + choices[node, mover] > len(links):
            break
        first = _first_edge(nodes, choices, node, mover)
        for edge in range(first, first + choices[node, mover]):
            parents[count] = node
            links[count] = edge
            other = np.int64(nodes[node].start)
            for role in range(roles):
                moves[count, role] = edges[edge if role == mover else other].move
                other += choices[node, role]
            count += 1
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def mark_ends(tree: Any, count: Any, children: Any, ends: Any, made: Any, new: Any, outcome: Any) -> None:
    """Note which edges lead to terminal states, and which nodes are proven by that, with the requests they are for."""
    parents, links, _ = children
    terminal, goals = ends
    nodes, edges = tree.nodes, tree.edges
    last = np.int64(-1)
    for i in range(count):
        if terminal[i]:
            number = _outcome_number(tree.counts, tree.outcomes, goals, i)
            if number >= 0:
                edges[links[i]].proof = number
                edges[links[i]].value = 0
                if last >= 0 and parents[i] != last:
                    _solve(nodes, edges, tree.choices, tree.outcomes, tree.limits, tree.nature[0], last)
                last = np.int64(parents[i])
    if last >= 0:
        _solve(nodes, edges, tree.choices, tree.outcomes, tree.limits, tree.nature[0], last)
    for i in range(new):
        outcome[made[i, 1]] = nodes[made[i, 0]].proof


@njit(cache=True, nogil=True, error_model="numpy")
def _solve(nodes: Any, edges: Any, choices: Any, outcomes: Any, limits: Any, nature: Any, node: Any) -> Any:
    """Whether a node is proven by what is proven of its edges (MCTS-Solver: Winands, Bjornsson, Saito, 2008).

    It is if all its moves are proven, or if the mover has one with the highest goal there is, and the lowest for all
    others. Of moves with equal goals for the mover that is taken which is worst for the others; where there is no such
    one, nothing is proven.
    """
    mover = np.int64(nodes[node].mover)
    if mover == SEVERAL:
        return False
    first = _first_edge(nodes, choices, node, mover)
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
                if nodes[node].proof < 0 and not _solve(nodes, edges, choices, outcomes, limits, nature, node):
                    proof = np.int64(-1)
                else:
                    proof = np.int64(nodes[node].proof)
                    length = np.int64(nodes[node].length)


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
                place = _joint(new.joint_table, new.joints, at, code)
                if place < 0:
                    _add_joint(new, -1 - place, at, code, numbers[child])
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
