"""Expansion: add nodes to the tree and look one ply ahead of them. Compiled by Numba, which this module loads."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdl.codegen.array_types import B_1, F32_2, I32_1, I32_2, I64_1, U64_2, U64_2_READ, Int
from gdl.codegen.compiled_functions import compiled, part, part_with
from gdl.simulator.bits import prefetch
from ggp.players.mcts.backup import solve
from ggp.players.mcts.signatures import Looked, Requests
from ggp.players.mcts.tree import (
    BLOCK,
    BLOCK_LINES,
    BLOCK_WORDS,
    COUNT,
    DROPPED,
    EDGE_CHILD,
    EDGE_MOVE,
    EDGE_PROOF,
    EDGE_VISITS,
    GAP,
    JOINT_LIST,
    LINE,
    LINE_BYTES,
    LINES,
    LINES_USED,
    MOVER,
    NODES,
    OF_ROLES,
    PRIOR_ONE,
    PROOF,
    SEVERAL,
    VISITS,
    Tree,
)
from ggp.players.mcts.tree_lookup import (
    add_value,
    add_visits,
    below,
    count_at,
    enter,
    find_from,
    numbers_of,
    outcome_number,
    place_of,
)

#: The temperature of priors: a move whose goal is lower by this, 0 to 1, has a prior that is lower by a factor of e.
_HEAT = np.float32(0.05)


@part_with(error_model="numpy", forceinline=False)
def _add_edges(tree: Tree, first: Int, moves: I32_1, start: Int, count: Int) -> None:
    """Add edges for some moves, in random order, because selection takes the first of equal edges."""
    numbers, values, random = tree.numbers, tree.values, tree.random
    for block in range(first, first + BLOCK_WORDS * ((count + BLOCK - 1) // BLOCK), BLOCK_WORDS):
        at = 2 * block + 16
        for i in range(BLOCK):
            values[block + i] = 0
            numbers[at + EDGE_VISITS + i] = 0
            numbers[at + EDGE_PROOF + i] = GAP
            numbers[at + EDGE_CHILD + i] = -1
    for i in range(count):
        # Inside-out (Durstenfeld, 1964).
        j = below(random, i + 1)
        to = 2 * (first + BLOCK_WORDS * (i // BLOCK)) + 16 + i % BLOCK
        other = 2 * (first + BLOCK_WORDS * (j // BLOCK)) + 16 + j % BLOCK
        numbers[to + EDGE_PROOF] = -1 - PRIOR_ONE // count
        numbers[to + EDGE_MOVE] = numbers[other + EDGE_MOVE]
        numbers[other + EDGE_MOVE] = moves[start + i]


@compiled(error_model="numpy")
def add_node(tree: Tree, place: int, states: U64_2_READ, number: int, offsets: I64_1, moves: I32_1) -> int:
    """Add a node for row `number` of states at its place in the table, and return its number; -1 if there is no room.

    If another thread has just added one for the same state, it is that one, and the room is lost. The moves of role
    `r` are those from `offsets[number * roles + r]` up to the next offset.
    """
    numbers, words, counts = tree.numbers, tree.words, tree.counts
    roles = tree.limits.shape[1]
    head = tree.shape[0]
    base = number * roles
    choosing = mover = np.int64(0)
    lines = np.int64(0)
    for role in range(roles):
        count = offsets[base + role + 1] - offsets[base + role]
        if count > 1:
            choosing += 1
            mover = np.int64(role)
            lines += BLOCK_LINES * ((count + BLOCK - 1) // BLOCK)
    if choosing == 0:
        lines += BLOCK_LINES * min(1, offsets[base + 1] - offsets[base])
    lines += head
    node = count_at(counts, LINES_USED, lines)
    if (node + lines) * LINE > len(words) or 2 * counts[NODES] >= len(tree.table):
        count_at(counts, LINES_USED, -lines)
        counts[DROPPED] += 1
        return -1
    count_at(counts, NODES, 1)
    at = 16 * node
    numbers[at + VISITS] = 0
    numbers[at + COUNT] = 0
    numbers[at + MOVER] = SEVERAL if choosing > 1 else mover
    numbers[at + JOINT_LIST] = -1
    numbers[at + PROOF] = -1
    numbers[at + LINES] = lines
    first = LINE * (node + head)
    for role in range(roles):
        start = offsets[base + role]
        count = offsets[base + role + 1] - start
        numbers[at + OF_ROLES + 2 * role] = count
        numbers[at + OF_ROLES + 2 * role + 1] = moves[start] if count == 1 else -1
        if count > 1 or (role == mover and choosing == 0 and count > 0):
            if role == mover and choosing < 2:
                numbers[at + COUNT] = count
            numbers[at + OF_ROLES + 2 * role + 1] = first
            _add_edges(tree, first, moves, start, count)
            first += BLOCK_WORDS * ((count + BLOCK - 1) // BLOCK)
    for i in range(states.shape[1]):
        words[LINE * node + tree.shape[1] + i] = states[number, i]
    while not enter(tree.table, place, node):
        found = find_from(tree.table, words, tree.shape[1], states, number, place)
        if found >= 0:
            return int(found)
        place = -1 - found
    return int(node)


@part
def _answer(tree: Tree, alone: bool, link: Int, mark: Int, child: Int) -> None:
    """Put a child, or -1, in the place of the mark of a request, unless another thread has replaced the mark."""
    if alone:
        at = numbers_of(link) + EDGE_CHILD
        if child >= 0 or tree.numbers[at] == mark:
            tree.numbers[at] = child
    elif child >= 0 or tree.joints[link].child == mark:
        tree.joints[link].child = child


@compiled(allocates=True, error_model="numpy")
def insert(
    tree: Tree, count: int, requests: Requests, states: U64_2_READ, looked: Looked, outcome: I32_1, made: I32_2
) -> int:
    """Add nodes for the states of requests, and return the number of new ones.

    `outcome` is set to the outcome of each state that is terminal or proven, and to -1 for the others. `made` is filled
    with the new nodes and the requests that they belong to.
    """
    parents, _, moves, links, making, begin = requests
    terminal, goals, offsets, legal = looked
    numbers, table, words = tree.numbers, tree.table, tree.words
    places = np.empty(count, np.int64)
    table_at, memory = np.int64(table.ctypes.data), np.int64(words.ctypes.data)
    for i in range(count):
        places[i] = place_of(table, states, i)
        prefetch(table_at + 4 * places[i])
    for i in range(count):
        prefetch(memory + LINE_BYTES * np.int64(max(0, table[places[i]])))
    new = 0
    for i in range(count):
        outcome[i] = -1
        if moves[i, 0] < 0:
            continue
        link = np.int64(links[i])
        alone = numbers[16 * np.int64(parents[i]) + MOVER] >= 0
        child = -1
        if terminal[i]:
            number = outcome_number(tree.counts, tree.outcomes, goals, i)
            outcome[i] = number
            if alone:
                _answer(tree, alone, link, -2 - begin[0] - i, -1)
                if number >= 0:
                    numbers[numbers_of(link) + EDGE_PROOF] = number
                continue
        place = find_from(table, words, tree.shape[1], states, i, places[i])
        if place >= 0:
            outcome[i] = numbers[16 * place + PROOF]
            child = place
        elif making[i] and (outcome[i] >= 0 or not terminal[i]):
            child = add_node(tree, -1 - place, states, i, offsets, legal)
            if child >= 0:
                if outcome[i] >= 0:
                    numbers[16 * child + PROOF] = outcome[i]
                else:
                    made[new, 0] = child
                    made[new, 1] = i
                    new += 1
        if link >= 0:
            _answer(tree, alone, link, -2 - begin[0] - i, child)
    return new


@compiled(error_model="numpy")
def give_up(tree: Tree, count: int, requests: Requests) -> None:
    """Take back requests that will not be answered."""
    parents, _, moves, links, _, begin = requests
    for i in range(count):
        link = np.int64(links[i])
        if link < 0 or moves[i, 0] < 0:
            continue
        _answer(tree, tree.numbers[16 * np.int64(parents[i]) + MOVER] >= 0, link, -2 - begin[0] - i, -1)


@compiled(error_model="numpy")
def list_children(tree: Tree, made: I32_2, new: int, links: I32_1, states: U64_2, moves: I32_2) -> int:
    """List the joint moves of the new nodes in which one role has a choice, as far as there is room.

    Fills `links` with their edges, `states` with the states that they are made in, and `moves` with the moves of all
    roles. Returns the number of joint moves.
    """
    numbers, words = tree.numbers, tree.words
    roles = tree.limits.shape[1]
    head, state_at = tree.shape[0], tree.shape[1]
    count = 0
    for i in range(new):
        node = np.int64(made[i, 0])
        mover = np.int64(numbers[16 * node + MOVER])
        if mover == SEVERAL:
            continue
        own = np.int64(numbers[16 * node + COUNT])
        if count + own > len(links):
            break
        for k in range(own):
            edge = LINE * (node + head) + BLOCK_WORDS * (k // BLOCK) + k % BLOCK
            links[count] = edge
            for word in range(states.shape[1]):
                states[count, word] = words[LINE * node + state_at + word]
            for role in range(roles):
                moves[count, role] = numbers[16 * node + OF_ROLES + 2 * role + 1]
            moves[count, mover] = numbers[numbers_of(edge) + EDGE_MOVE]
            count += 1
    return count


@part_with(error_model="numpy", forceinline=False)
def _add_priors(tree: Tree, links: I32_1, goals: F32_2, start: Int, end: Int, mover: Int) -> Any:
    """Give the edges of a node priors: the softmax of their goals for the mover, divided by _HEAT. Return the best."""
    best = start
    for i in range(start + 1, end):
        if goals[i, mover] > goals[best, mover]:
            best = i
    total = np.float32(0)
    for i in range(start, end):
        total += np.exp((goals[i, mover] - goals[best, mover]) / _HEAT)
    for i in range(start, end):
        prior = np.exp((goals[i, mover] - goals[best, mover]) / _HEAT) / total
        at = numbers_of(np.int64(links[i])) + EDGE_PROOF
        if tree.numbers[at] < 0:
            tree.numbers[at] = -1 - np.int32(prior * PRIOR_ONE)
    return best


@compiled(error_model="numpy")
def note_children(
    tree: Tree,
    count: int,
    links: I32_1,
    looked: tuple[B_1, F32_2],
    trying: tuple[bool, bool],
    made: I32_2,
    new: int,
    outcome: I32_1,
    values: tuple[F32_2, I32_1],
) -> None:
    """Record which edges of new nodes end the game, and which nodes and requests are proven by that.

    `trying` are two flags. With the first, each edge also gets one visit with its goals, and the value of a request
    becomes the mean over its node's moves. With the second, too, edges also get priors, and the value becomes that of
    the best move; but chance has no best move. `values` are the goals of the requests and their weights.
    """
    terminal, goals = looked
    leaf_goals, weights = values
    tried, with_priors = trying
    numbers = tree.numbers
    roles = tree.limits.shape[1]
    at = 0
    for i in range(new):
        node = np.int64(made[i, 0])
        request = np.int64(made[i, 1])
        mover = np.int64(numbers[16 * node + MOVER])
        own = np.int64(numbers[16 * node + COUNT])
        if mover == SEVERAL:
            continue
        if at + own > count:
            break
        some = False
        best = np.int64(-1)
        if tried:
            leaf_goals[request] = 0
            weights[request] = own
            add_visits(tree, 16 * node + VISITS, own)
            if with_priors and mover != tree.nature[0]:
                best = _add_priors(tree, links, goals, at, at + own, mover)
        for _ in range(own):
            edge = np.int64(links[at])
            if terminal[at]:
                number = outcome_number(tree.counts, tree.outcomes, goals, at)
                if number >= 0:
                    numbers[numbers_of(edge) + EDGE_PROOF] = number
                    some = True
            if tried:
                # Another thread may have come here first.
                add_visits(tree, numbers_of(edge) + EDGE_VISITS, 1)
                add_value(tree, edge, np.float64(goals[at, mover]))
                if best < 0 or best == at:
                    share = np.float32(1 if best == at else own)
                    for role in range(roles):
                        leaf_goals[request, role] += goals[at, role] / share
            at += 1
        if some:
            solve(tree, node)
        outcome[request] = numbers[16 * node + PROOF]
        if outcome[request] >= 0:
            # A losing move is recognized at once and never played, so its value must not weigh as much as that of all
            # the moves after it.
            weights[request] = 1
