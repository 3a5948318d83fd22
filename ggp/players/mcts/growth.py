"""New nodes, and what is seen of them at once; compiled by Numba, which this module loads.

Arrays are taken out of the tree once in each function: to do so in a loop would count references each time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from gdl.bits import prefetch
from ggp.players.mcts.lookup import below, find_from, outcome_number, place_of
from ggp.players.mcts.results import first_edge, solve
from ggp.players.mcts.tree import DROPPED, EDGES, NODES, SEVERAL


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
            at = begin + below(tree.random, edge - begin + 1)
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
        places[i] = place_of(table, states, i)
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
            number = outcome_number(tree.counts, tree.outcomes, goals, i)
            outcome[i] = number
            if alone:
                edges[link].child = -1
                if number >= 0:
                    edges[link].proof = number
                    edges[link].value = 0
                continue
        place = find_from(table, known, states, i, places[i])
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
        first = first_edge(nodes, choices, node, mover)
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
            number = outcome_number(tree.counts, tree.outcomes, goals, i)
            if number >= 0:
                edges[links[i]].proof = number
                edges[links[i]].value = 0
                if last >= 0 and parents[i] != last:
                    solve(nodes, edges, tree.choices, tree.outcomes, tree.limits, tree.nature[0], last)
                last = np.int64(parents[i])
    if last >= 0:
        solve(nodes, edges, tree.choices, tree.outcomes, tree.limits, tree.nature[0], last)
    for i in range(new):
        outcome[made[i, 1]] = nodes[made[i, 0]].proof
