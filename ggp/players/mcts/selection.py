"""Selection: walk down the tree to the leaves to evaluate next. Compiled by Numba, which this module loads."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdl.codegen.array_types import F64_1, I64_1, Int
from gdl.codegen.compiled_functions import compiled, part, part_with
from gdl.simulator.bits import lowest_one, prefetch
from ggp.players.mcts.ranking import rank
from ggp.players.mcts.signatures import Paths, Requests
from ggp.players.mcts.tree import (
    BLOCK,
    BLOCK_WORDS,
    COUNT,
    EDGE_CHILD,
    EDGE_MOVE,
    EDGE_PROOF,
    EDGE_VISITS,
    LINE_BYTES,
    MAX_OUTCOMES,
    MOVER,
    OF_ROLES,
    PROOF,
    ROOT,
    SEVERAL,
    VISITS,
    Tree,
)
from ggp.players.mcts.tree_lookup import add_joint, add_visits, below, joint_number, numbers_of

#: Larger than any value.
_KNOWN = np.float32(1000)

#: The number of paths under way at the same time.
_TOGETHER = 8

#: The lines of a node that are prefetched as soon as it is known, and the most that are prefetched in all.
_FIRST_LINES = 4
_MOST_LINES = 32


@part_with(error_model="numpy")
def _pick(
    tree: Tree,
    first: Int,
    count: Int,
    role: Int,
    visits: Int,
    rules: tuple[np.float32, np.float32, np.float32],
    beyond: bool,
) -> Any:
    """Return the edge of a role to try next, by UCT (Kocsis and Szepesvari, 2006) or PUCT (Rosin, 2011).

    `rules` are the weights of exploration by visits and by priors, and the bonus of an unvisited edge over the mean
    value of its move elsewhere in the tree. A proven edge has its proven value; with `beyond`, proven edges come last.
    """
    numbers, worth, outcomes = tree.numbers, tree.worth, tree.outcomes
    memory = np.int64(tree.words.ctypes.data)
    weight, by_prior, unvisited = rules
    best = first
    top = np.float32(-1e29)
    for start in range(first, first + BLOCK_WORDS * ((count + BLOCK - 1) // BLOCK), BLOCK_WORDS):
        at = numbers_of(start)
        value, which, untried, known = rank(memory + 8 * start, memory + 4 * at, visits, (weight, by_prior))
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


@part
def _load_first(tree: Tree, node: Int) -> None:
    """Prefetch the first lines of a node."""
    memory = np.int64(tree.words.ctypes.data)
    for line in range(_FIRST_LINES):
        prefetch(memory + LINE_BYTES * (node + line))


@part
def _load_rest(tree: Tree, node: Int) -> None:
    """Prefetch the remaining lines of a node, up to a limit."""
    memory = np.int64(tree.words.ctypes.data)
    lines = tree.shape[0] + 3 * ((np.int64(tree.numbers[16 * node + COUNT]) + BLOCK - 1) // BLOCK)
    for line in range(_FIRST_LINES, min(lines, _MOST_LINES)):
        prefetch(memory + LINE_BYTES * (node + line))


@part
def _random_edge(tree: Tree, first: Int, count: Int) -> Any:
    """Return one of a role's edges at random."""
    chosen = below(tree.random, count)
    return first + BLOCK_WORDS * (chosen // BLOCK) + chosen % BLOCK


@part
def _ask(tree: Tree, requests: Requests, count: Int, node: Int, link: Int, making: bool) -> None:
    """Make request number `count`, with the state of a node and no moves yet."""
    parents, states = requests.parents, requests.states
    parents[count] = node
    requests.links[count] = link
    requests.making[count] = making
    requests.moves[count, 0] = -1
    for i in range(states.shape[1]):
        states[count, i] = tree.words[8 * node + tree.shape[1] + i]


@part
def _note_moves(tree: Tree, requests: Requests, paths: Paths, count: Int, path: Int, depth: Int) -> None:
    """Store the moves of a path's last step in request number `count`, and the request's number at its link."""
    numbers = tree.numbers
    at = 16 * np.int64(requests.parents[count])
    mover = np.int64(numbers[at + MOVER])
    for role in range(tree.limits.shape[1]):
        move = numbers[at + OF_ROLES + 2 * role + 1]
        if mover == role:
            move = paths.moves[path, depth - 1]
        elif mover == SEVERAL and paths.edges[path, depth - 1, role] >= 0:
            move = numbers[numbers_of(np.int64(paths.edges[path, depth - 1, role])) + EDGE_MOVE]
        requests.moves[count, role] = move
    link = np.int64(requests.links[count])
    if link >= 0:
        if mover >= 0:
            numbers[numbers_of(link) + EDGE_CHILD] = -2 - requests.begin[0] - count
        else:
            tree.joints[link].child = -2 - requests.begin[0] - count


@part_with(error_model="numpy")
def _choose(tree: Tree, node: Int, visits: Int, rules: tuple[np.float32, np.float32, np.float32, np.float32]) -> Any:
    """Return the edge for the only role with a choice, and the outcome of the best move if that is proven, or -1.

    `rules` are those of `_pick`, then the weight of exploration by visits where several roles have a choice.
    """
    numbers = tree.numbers
    mover = np.int64(numbers[16 * node + MOVER])
    count = np.int64(numbers[16 * node + COUNT])
    first = 8 * (node + tree.shape[0])
    known = np.int64(-1)
    if mover == tree.nature[0]:
        return _random_edge(tree, first, count), known
    link = _pick(tree, first, count, mover, visits, rules[:3], False)
    if numbers[numbers_of(link) + EDGE_PROOF] >= 0:
        # The best move's outcome is proven, and is the node's value; so use the visit to explore another move.
        known = np.int64(numbers[numbers_of(link) + EDGE_PROOF])
        link = _pick(tree, first, count, mover, visits, rules[:3], True)
    return link, known


@part_with(error_model="numpy")
def _choose_together(
    tree: Tree,
    paths: Paths,
    path: Int,
    depth: Int,
    node: Int,
    visits: Int,
    rules: tuple[np.float32, np.float32, np.float32, np.float32],
) -> Any:
    """Choose an edge for each role with a choice, independently, and return a code of these edges.

    `rules` are those of `_choose`.
    """
    numbers = tree.numbers
    _, _, unvisited, weight = rules
    at = 16 * node
    code = np.uint64(0)
    for role in range(tree.limits.shape[1]):
        own = np.int64(numbers[at + OF_ROLES + 2 * role])
        first = np.int64(numbers[at + OF_ROLES + 2 * role + 1])
        paths.edges[path, depth, role] = -1
        if own < 2:
            continue
        if role == tree.nature[0]:
            link = _random_edge(tree, first, own)
        else:
            # Without noise, roles with similar statistics would always try the same joint moves.
            share = np.float32(below(tree.random, 1024)) / np.float32(512)
            link = _pick(tree, first, own, role, visits, (weight * share * share, np.float32(0), unvisited), False)
        add_visits(tree, numbers_of(link) + EDGE_VISITS, 1)
        paths.edges[path, depth, role] = link
        place = (link - first) // BLOCK_WORDS * BLOCK + (link - first) % BLOCK_WORDS
        # An odd factor, so that no role's choice is lost where there are more than 2^64 joint moves.
        code = code * np.uint64(own | 1) + np.uint64(place)
    return code


@part
def _joint_link(tree: Tree, node: Int, code: np.uint64) -> Any:
    """Return the number of a joint move and its child. A new one is added; -1 if there is no room."""
    link = joint_number(tree.joint_table, tree.joints, node, code)
    if link < 0:
        return np.int64(add_joint(tree, -1 - link, node, code, -1)), np.int64(-1)
    return link, np.int64(tree.joints[link].child)


@part_with(error_model="numpy")
def _step(
    tree: Tree,
    requests: Requests,
    paths: Paths,
    count: Int,
    path: Int,
    node: Int,
    depth: Int,
    rules: tuple[np.float32, np.float32, np.float32, np.float32],
    patience: Int,
) -> Any:
    """Take one step of a path from an unproven node; return the child (-1 for none) and the number of requests."""
    numbers = tree.numbers
    at = 16 * node
    visits = add_visits(tree, at + VISITS, 1)
    paths.nodes[path, depth] = node
    known = np.int64(-1)
    if numbers[at + MOVER] >= 0:
        link, known = _choose(tree, node, visits, rules)
        edge = numbers_of(link)
        tried = add_visits(tree, edge + EDGE_VISITS, 1)
        child = np.int64(numbers[edge + EDGE_CHILD])
        making = tried > patience
        paths.moves[path, depth] = numbers[edge + EDGE_MOVE]
        proof = np.int64(numbers[edge + EDGE_PROOF])
    else:
        code = _choose_together(tree, paths, path, depth, node, visits, rules)
        link, child = _joint_link(tree, node, code)
        making = link >= 0
        proof = np.int64(-1)
    paths.known[path, depth] = known
    paths.links[path, depth] = link
    if proof >= 0:
        paths.leaves[path] = -1
        paths.ends[path] = proof
        return np.int64(-1), count
    pending = -2 - child - np.int64(requests.begin[0])
    if child <= -2 and 0 <= pending < count:
        paths.leaves[path] = pending
        return np.int64(-1), count
    if child >= 0:
        return child, count
    _ask(tree, requests, count, node, link, making)
    _note_moves(tree, requests, paths, count, path, depth + 1)
    paths.leaves[path] = count
    return np.int64(-1), count + 1


@part_with(error_model="numpy")
def _walk(
    tree: Tree,
    batch: Int,
    rules: tuple[np.float32, np.float32, np.float32, np.float32],
    patience: Int,
    requests: Requests,
    paths: Paths,
    slots: tuple[I64_1, I64_1, I64_1],
) -> Any:
    """Walk all paths, several at a time: the next node of one is prefetched while others go on."""
    path_of, node_of, depth_of = slots
    root = tree.counts[ROOT]
    count, left, following = 0, batch, len(path_of)
    while left > 0:
        for slot in range(len(path_of)):
            if path_of[slot] >= 0:
                _load_rest(tree, node_of[slot])
        for slot in range(len(path_of)):
            path = path_of[slot]
            if path < 0:
                continue
            node, depth = node_of[slot], depth_of[slot]
            child = np.int64(-1)
            if tree.numbers[16 * node + PROOF] >= 0:
                paths.leaves[path] = -1
                paths.ends[path] = tree.numbers[16 * node + PROOF]
            elif depth == paths.nodes.shape[1]:
                # The path is too long, as when positions recur: evaluate the state as it is.
                _ask(tree, requests, count, node, -1, False)
                paths.leaves[path] = count
                count += 1
            else:
                child, count = _step(tree, requests, paths, count, path, node, depth, rules, patience)
                depth += 1
            if child >= 0:
                _load_first(tree, child)
                node_of[slot] = child
                depth_of[slot] = depth
                continue
            paths.lengths[path] = depth
            left -= 1
            path_of[slot] = following if following < batch else -1
            node_of[slot] = root
            depth_of[slot] = 0
            following += 1
    return count


@compiled(allocates=True, error_model="numpy")
def select(tree: Tree, batch: int, parameters: F64_1, requests: Requests, paths: Paths) -> int:
    """Walk down the tree `batch` times, and record the paths and requests. Return the number of requests.

    `parameters` are the options exploration, unvisited, patience, prior and prior_exploration. A path ends with a
    request or with a proven outcome.
    """
    exploration, unvisited, patience = parameters[0], parameters[1], parameters[2]
    prior, beside = parameters[3], parameters[4]
    alone = beside if prior > 0 else exploration
    # Logarithms are to base 2.
    weight = np.float32(alone * alone * np.log(2.0))
    together = np.float32(exploration * exploration * np.log(2.0))
    rules = (weight, np.float32(prior), np.float32(unvisited), together)
    slots = min(_TOGETHER, batch)
    under_way = (np.arange(slots), np.full(slots, tree.counts[ROOT]), np.zeros(slots, np.int64))
    return int(_walk(tree, batch, rules, np.int64(patience), requests, paths, under_way))
