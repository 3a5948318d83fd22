"""The loops of the search, compiled by Numba: select leaves, insert nodes, back up. This module loads Numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ggp.players.mcts.tree import DROPPED, EDGES, JOINTS, MAX_OUTCOMES, NODES, OUTCOMES, ROOT, SEVERAL

_EPSILON = np.float32(1e-6)


@njit(cache=True, nogil=True)
def _draw(random: Any) -> Any:
    """A random word: xorshift64* (Vigna, 2016)."""
    word = random[0]
    word ^= word >> np.uint64(12)
    word ^= word << np.uint64(25)
    word ^= word >> np.uint64(27)
    random[0] = word
    return word * np.uint64(0x2545F4914F6CDD1D)


@njit(cache=True, nogil=True)
def _below(random: Any, count: Any) -> Any:
    """A random number below a count."""
    return np.int64((_draw(random) >> np.uint64(32)) * np.uint64(count) >> np.uint64(32))


@njit(cache=True, nogil=True)
def _mixed(word: Any) -> Any:
    """Bits that depend on all bits of a word (splitmix64's last step)."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@njit(cache=True, nogil=True)
def find(tree: Any, state: Any) -> Any:
    """The node of a state, or -1 - the place in the table where it belongs."""
    key = np.uint64(0)
    for word in state:
        key = _mixed(key + word + np.uint64(0x9E3779B97F4A7C15))
    mask = len(tree.table) - 1
    place = np.int64(key & np.uint64(mask))
    while True:
        node = tree.table[place]
        if node < 0:
            return np.int64(-1 - place)
        same = True
        for i in range(len(state)):
            if tree.states[node, i] != state[i]:
                same = False
                break
        if same:
            return np.int64(node)
        place = (place + 1) & mask


@njit(cache=True, nogil=True)
def _joint(tree: Any, node: Any, code: Any) -> Any:
    """The number of a joint move of a node, or -1 - the place in the table where it belongs."""
    mask = len(tree.joint_table) - 1
    place = np.int64(_mixed(code + np.uint64(node) * np.uint64(0x9E3779B97F4A7C15)) & np.uint64(mask))
    while True:
        joint = tree.joint_table[place]
        if joint < 0:
            return np.int64(-1 - place)
        if tree.joint_parent[joint] == node and tree.joint_code[joint] == code:
            return np.int64(joint)
        place = (place + 1) & mask


@njit(cache=True, nogil=True)
def _add_joint(tree: Any, place: Any, node: Any, code: Any, child: Any) -> Any:
    joint = tree.counts[JOINTS]
    tree.counts[JOINTS] = joint + 1
    tree.joint_parent[joint] = node
    tree.joint_code[joint] = code
    tree.joint_child[joint] = child
    tree.joint_next[joint] = tree.joints[node]
    tree.joints[node] = joint
    tree.joint_table[place] = joint
    return joint


@njit(cache=True, nogil=True)
def outcome_number(tree: Any, goals: Any) -> Any:
    """The number of an outcome, or -1 if there are too many different ones."""
    count = tree.counts[OUTCOMES]
    for number in range(count):
        same = True
        for role in range(len(goals)):
            if tree.outcomes[number, role] != goals[role]:
                same = False
                break
        if same:
            return np.int64(number)
    if count == MAX_OUTCOMES:
        return np.int64(-1)
    for role in range(len(goals)):
        tree.outcomes[count, role] = goals[role]
    tree.counts[OUTCOMES] = count + 1
    return np.int64(count)


@njit(cache=True, nogil=True)
def add_node(tree: Any, place: Any, state: Any, offsets: Any, moves: Any, first: Any) -> Any:
    """A new node, at its place in the table; -1 if there is no room.

    The moves of role `r` are those from `offsets[first + r]` to `offsets[first + r + 1]`.
    """
    roles = tree.choices.shape[1]
    total = offsets[first + roles] - offsets[first]
    node, edge = tree.counts[NODES], tree.counts[EDGES]
    if node >= len(tree.start) or edge + total > len(tree.edge_move):
        tree.counts[DROPPED] += 1
        return np.int64(-1)
    tree.counts[NODES] = node + 1
    tree.counts[EDGES] = edge + total
    for i in range(len(state)):
        tree.states[node, i] = state[i]
    tree.start[node] = edge
    tree.visits[node] = 0
    tree.proof[node] = -1
    tree.length[node] = 0
    mover = np.int64(0)
    choosing = 0
    for role in range(roles):
        count = offsets[first + role + 1] - offsets[first + role]
        tree.choices[node, role] = count
        if count > 1:
            choosing += 1
            mover = role
        begin = edge
        for i in range(offsets[first + role], offsets[first + role + 1]):
            # In random order, as of equal edges the first is taken: inside-out (Durstenfeld, 1964).
            at = begin + _below(tree.random, edge - begin + 1)
            tree.edge_move[edge] = tree.edge_move[at]
            tree.edge_move[at] = moves[i]
            tree.edge_visits[edge] = 0
            tree.edge_value[edge] = 0
            tree.edge_child[edge] = -1
            tree.edge_proof[edge] = -1
            edge += 1
    tree.mover[node] = SEVERAL if choosing > 1 else mover
    if len(tree.joints) > 1:
        tree.joints[node] = -1
    tree.table[place] = node
    return node


@njit(cache=True, nogil=True)
def _first_edge(tree: Any, node: Any, role: Any) -> Any:
    edge = np.int64(tree.start[node])
    for other in range(role):
        edge += tree.choices[node, other]
    return edge


@njit(cache=True, nogil=True, fastmath=True)
def _pick(tree: Any, node: Any, role: Any, exploration: Any, bias: Any, unvisited: Any) -> Any:
    """The edge of a role to try next: UCT (Kocsis and Szepesvari, 2006), with what moves are worth elsewhere.

    What is proven is worth what is proven. `bias` is the weight of what the move was worth all over the tree, in
    visits of the edge; an edge without visits is worth so much more by `unvisited`.
    """
    first = _first_edge(tree, node, role)
    count = tree.choices[node, role]
    if role == tree.nature[0]:
        return first + _below(tree.random, count)
    spread = exploration * exploration * np.log(np.float32(tree.visits[node] + 1))
    best = first
    top = np.float32(-1e30)
    for edge in range(first, first + count):
        proof = tree.edge_proof[edge]
        if proof >= 0:
            value = tree.outcomes[proof, role]
        else:
            visits = np.float32(tree.edge_visits[edge])
            move = tree.edge_move[edge]
            prior = np.float32((tree.move_value[move] + 0.5) / (tree.move_visits[move] + 1.0))
            total = visits + bias
            if visits > 0:
                value = (tree.edge_value[edge] + bias * prior) / total + np.sqrt(spread / visits)
            else:
                value = unvisited + prior
        if value > top:
            top = value
            best = edge
    return best


@njit(cache=True, nogil=True)
def select(tree: Any, batch: Any, parameters: Any, requests: Any, paths: Any) -> Any:
    """Go down the tree so many times, and note where to: how many requests there are.

    `parameters` are exploration, bias, unvisited, the share of an expected goal that a visit under way counts with,
    and how many visits an edge has before its child gets a node.

    A request is a state to be evaluated: (parent, moves, edge or joint move, whether to make a node, how many want it).
    A path ends with a request, or with an outcome that is proven.
    """
    nodes, edges, expected, lengths, leaves, plies = paths
    parents, moves, links, making, wanted = requests
    exploration, bias, unvisited, trust, patience = (
        np.float32(parameters[0]),
        np.float32(parameters[1]),
        np.float32(parameters[2]),
        np.float32(parameters[3]),
        np.int64(parameters[4]),
    )
    roles = tree.choices.shape[1]
    count = 0
    for path in range(batch):
        node = np.int64(tree.counts[ROOT])
        depth = 0
        while True:
            if tree.proof[node] >= 0:
                leaves[path] = -1 - tree.proof[node]
                plies[path] = tree.length[node]
                break
            if depth == nodes.shape[1]:
                # The path is too long, as where positions recur: the state is evaluated as it is.
                parents[count] = node
                moves[count, 0] = -1
                links[count] = -1
                making[count] = False
                wanted[count] = 1
                leaves[path] = count
                count += 1
                break
            tree.visits[node] += 1
            nodes[path, depth] = node
            mover = np.int64(tree.mover[node])
            code = np.uint64(0)
            chosen = np.int64(-1)
            for role in range(roles):
                edges[path, depth, role] = -1
                if mover == role or (mover == SEVERAL and tree.choices[node, role] > 1):
                    edge = _pick(tree, node, role, exploration, bias, unvisited)
                    visits = tree.edge_visits[edge]
                    hope = np.float32(0)
                    if visits > 0 and tree.edge_proof[edge] < 0:
                        hope = trust * tree.edge_value[edge] / np.float32(visits)
                        tree.edge_value[edge] += hope
                    tree.edge_visits[edge] = visits + 1
                    edges[path, depth, role] = edge
                    expected[path, depth, role] = hope
                    code = code * np.uint64(tree.choices[node, role]) + np.uint64(edge - tree.start[node])
                    chosen = edge
            depth += 1
            child = np.int64(-1)
            fresh = True
            link = chosen
            if mover >= 0:
                proof = tree.edge_proof[chosen]
                if proof >= 0:
                    leaves[path] = -1 - proof
                    plies[path] = np.int64(tree.edge_value[chosen])
                    break
                child = np.int64(tree.edge_child[chosen])
                fresh = tree.edge_visits[chosen] <= patience
            else:
                joint = _joint(tree, node, code)
                fresh = False
                if joint >= 0:
                    link = joint
                    child = np.int64(tree.joint_child[joint])
                elif tree.counts[JOINTS] < len(tree.joint_parent):
                    link = _add_joint(tree, -1 - joint, node, code, -1)
                else:
                    link = np.int64(-1)
                    tree.counts[DROPPED] += 1
            if child >= 0:
                node = child
                continue
            if child <= -2:
                leaves[path] = -2 - child
                wanted[-2 - child] += 1
                break
            parents[count] = node
            links[count] = link
            making[count] = not fresh and link >= 0
            wanted[count] = 1
            edge = np.int64(tree.start[node])
            for role in range(roles):
                own = edges[path, depth - 1, role]
                moves[count, role] = tree.edge_move[own if own >= 0 else edge]
                edge += tree.choices[node, role]
            if link >= 0:
                if mover >= 0:
                    tree.edge_child[link] = -2 - count
                else:
                    tree.joint_child[link] = -2 - count
            leaves[path] = count
            count += 1
            break
        lengths[path] = depth
    return count


@njit(cache=True, nogil=True)
def _link(tree: Any, parent: Any, link: Any, child: Any) -> None:
    if link >= 0:
        if tree.mover[parent] >= 0:
            tree.edge_child[link] = child
        else:
            tree.joint_child[link] = child


@njit(cache=True, nogil=True)
def insert(tree: Any, count: Any, requests: Any, states: Any, looked: Any, outcome: Any, made: Any) -> Any:
    """Nodes for the states of requests; those that are terminal, or proven, get their `outcome`, others -1.

    Gives how many nodes are new; `made` has them, with the requests they are for.
    """
    parents, moves, links, making, _ = requests
    terminal, goals, offsets, legal = looked
    roles = tree.choices.shape[1]
    new = 0
    for i in range(count):
        outcome[i] = -1
        if moves[i, 0] < 0:
            continue
        parent = parents[i]
        _link(tree, parent, links[i], -1)
        if terminal[i]:
            number = outcome_number(tree, goals[i])
            if number >= 0:
                outcome[i] = number
                if tree.mover[parent] >= 0:
                    tree.edge_proof[links[i]] = number
                    tree.edge_value[links[i]] = 0
                    continue
        place = find(tree, states[i])
        if place >= 0:
            outcome[i] = tree.proof[place]
            _link(tree, parent, links[i], place)
        elif (making[i] or (outcome[i] >= 0 and links[i] >= 0)) and not (terminal[i] and outcome[i] < 0):
            node = add_node(tree, -1 - place, states[i], offsets, legal, i * roles)
            if node >= 0:
                _link(tree, parent, links[i], node)
                if outcome[i] >= 0:
                    tree.proof[node] = outcome[i]
                else:
                    made[new, 0] = node
                    made[new, 1] = i
                    new += 1
    return new


@njit(cache=True, nogil=True)
def list_children(tree: Any, made: Any, new: Any, parents: Any, edges: Any, moves: Any) -> Any:
    """All joint moves of new nodes where one role has a choice, as far as there is room: how many there are."""
    roles = tree.choices.shape[1]
    count = 0
    for i in range(new):
        node = np.int64(made[i, 0])
        mover = np.int64(tree.mover[node])
        if mover == SEVERAL:
            continue
        if count + tree.choices[node, mover] > len(edges):
            break
        first = _first_edge(tree, node, mover)
        for edge in range(first, first + tree.choices[node, mover]):
            parents[count] = node
            edges[count] = edge
            other = np.int64(tree.start[node])
            for role in range(roles):
                moves[count, role] = tree.edge_move[edge if role == mover else other]
                other += tree.choices[node, role]
            count += 1
    return count


@njit(cache=True, nogil=True)
def mark_ends(
    tree: Any, count: Any, parents: Any, edges: Any, terminal: Any, goals: Any, made: Any, new: Any, outcome: Any
) -> None:
    """Note which edges lead to terminal states; nodes that are proven by that, and the outcomes of their requests."""
    for i in range(count):
        if terminal[i]:
            number = outcome_number(tree, goals[i])
            if number >= 0:
                tree.edge_proof[edges[i]] = number
                tree.edge_value[edges[i]] = 0
    last = -1
    for i in range(count):
        if parents[i] != last:
            last = parents[i]
            _solve(tree, last)
    for i in range(new):
        outcome[made[i, 1]] = tree.proof[made[i, 0]]


@njit(cache=True, nogil=True)
def _solve(tree: Any, node: Any) -> Any:
    """Whether a node is proven by what is proven of its edges (MCTS-Solver: Winands, Bjornsson, Saito, 2008).

    It is if the mover has a move that gives it the highest goal there is, or if all its moves are proven.
    """
    mover = np.int64(tree.mover[node])
    if mover == SEVERAL:
        return False
    first = _first_edge(tree, node, mover)
    best = np.int64(-1)
    top = np.float32(-1)
    shortest = np.float32(0)
    complete = True
    for edge in range(first, first + tree.choices[node, mover]):
        proof = np.int64(tree.edge_proof[edge])
        if proof < 0:
            complete = False
            if mover == tree.nature[0]:
                return False
            continue
        if mover == tree.nature[0]:
            if best >= 0 and proof != best:
                return False
            best = proof
            shortest = max(shortest, tree.edge_value[edge])
            continue
        value = tree.outcomes[proof, mover]
        length = tree.edge_value[edge]
        # Good ends soon, bad ones late.
        if value > top or (value == top and ((length < shortest) == (value >= 0.5))):
            top = value
            best = proof
            shortest = length
    if best < 0 or not (complete or top >= tree.highest[mover] - _EPSILON):
        return False
    tree.proof[node] = best
    tree.length[node] = min(np.int64(shortest) + 1, 32767)
    return True


@njit(cache=True, nogil=True)
def back_up(tree: Any, batch: Any, paths: Any, outcome: Any, values: Any) -> None:
    """Add what paths ended with to their edges, and pass on what is proven."""
    nodes, edges, expected, lengths, leaves, plies = paths
    roles = tree.choices.shape[1]
    for path in range(batch):
        leaf = leaves[path]
        proof = np.int64(-1)
        length = np.int64(0)
        if leaf < 0:
            proof = np.int64(-1 - leaf)
            length = np.int64(plies[path])
        elif outcome[leaf] >= 0:
            proof = np.int64(outcome[leaf])
            # The request's node may have been proven by its own edges.
            last = lengths[path] - 1
            if last >= 0:
                length = _child_length(tree, nodes[path, last], edges[path, last])
        known = proof
        for depth in range(lengths[path] - 1, -1, -1):
            node = np.int64(nodes[path, depth])
            mover = np.int64(tree.mover[node])
            for role in range(roles):
                edge = np.int64(edges[path, depth, role])
                if edge < 0:
                    continue
                value = tree.outcomes[known, role] if known >= 0 else values[leaf, role]
                move = tree.edge_move[edge]
                tree.move_value[move] += value
                tree.move_visits[move] += 1.0
                if tree.edge_proof[edge] < 0:
                    tree.edge_value[edge] += value - expected[path, depth, role]
                    if proof >= 0 and mover == role:
                        tree.edge_proof[edge] = proof
                        tree.edge_value[edge] = length
            if proof >= 0:
                if tree.proof[node] < 0 and not (mover >= 0 and _solve(tree, node)):
                    proof = np.int64(-1)
                else:
                    proof = np.int64(tree.proof[node])
                    length = np.int64(tree.length[node])


@njit(cache=True, nogil=True)
def _child_length(tree: Any, node: Any, edges: Any) -> Any:
    """In how many plies the child of a path's last edge is decided."""
    mover = np.int64(tree.mover[node])
    if mover >= 0:
        child = tree.edge_child[edges[mover]]
        if child >= 0:
            return np.int64(tree.length[child])
    return np.int64(0)


@njit(cache=True, nogil=True)
def move_subtree(old: Any, new: Any, root: Any) -> None:
    """Copy what can be reached from a node into an empty tree, as far as there is room; it becomes the root."""
    roles = old.choices.shape[1]
    numbers = np.full(old.counts[NODES], -1, np.int32)
    origin = np.empty(len(new.start), np.int32)
    for i in range(old.counts[OUTCOMES]):
        new.outcomes[i] = old.outcomes[i]
    new.counts[OUTCOMES] = old.counts[OUTCOMES]
    new.random[0] = old.random[0]
    new.move_value[:] = old.move_value
    new.move_visits[:] = old.move_visits
    _copy_node(old, new, root, numbers, origin)
    new.counts[ROOT] = 0
    at = 0
    while at < new.counts[NODES]:
        node = np.int64(origin[at])
        edge, to = np.int64(old.start[node]), np.int64(new.start[at])
        for role in range(roles):
            for _ in range(old.choices[node, role]):
                child = np.int64(old.edge_child[edge])
                if child >= 0 and numbers[child] < 0:
                    _copy_node(old, new, child, numbers, origin)
                if child >= 0:
                    new.edge_child[to] = numbers[child]
                edge += 1
                to += 1
        if len(old.joints) > 1:
            joint = np.int64(old.joints[node])
            while joint >= 0:
                child = np.int64(old.joint_child[joint])
                if child >= 0 and numbers[child] < 0:
                    _copy_node(old, new, child, numbers, origin)
                if child >= 0 and numbers[child] >= 0 and new.counts[JOINTS] < len(new.joint_parent):
                    place = _joint(new, at, old.joint_code[joint])
                    if place < 0:
                        _add_joint(new, -1 - place, at, old.joint_code[joint], numbers[child])
                joint = np.int64(old.joint_next[joint])
        at += 1


@njit(cache=True, nogil=True)
def _copy_node(old: Any, new: Any, node: Any, numbers: Any, origin: Any) -> None:
    """Copy a node, with edges that have no children yet; not if there is no room."""
    total = 0
    for role in range(old.choices.shape[1]):
        total += old.choices[node, role]
    to, edge = new.counts[NODES], new.counts[EDGES]
    if to >= len(new.start) or edge + total > len(new.edge_move):
        return
    place = find(new, old.states[node])
    numbers[node] = to
    origin[to] = node
    new.table[-1 - place] = to
    new.counts[NODES] = to + 1
    new.counts[EDGES] = edge + total
    new.states[to] = old.states[node]
    new.start[to] = edge
    new.choices[to] = old.choices[node]
    new.mover[to] = old.mover[node]
    new.visits[to] = old.visits[node]
    new.proof[to] = old.proof[node]
    new.length[to] = old.length[node]
    if len(new.joints) > 1:
        new.joints[to] = -1
    first = np.int64(old.start[node])
    for i in range(total):
        new.edge_visits[edge + i] = old.edge_visits[first + i]
        new.edge_value[edge + i] = old.edge_value[first + i]
        new.edge_move[edge + i] = old.edge_move[first + i]
        new.edge_child[edge + i] = -1
        new.edge_proof[edge + i] = old.edge_proof[first + i]
