"""The tree of information sets, and the loops that choose moves in it. Compiled by Numba, which this module loads.

A node is an information set of one role: what the role has done and seen, as a hash. Its slots are its moves. Many
simulations go down side by side, so a slot that is chosen counts as visited at once, and its value follows later.

Where the role alone has a choice, it plays the move with the highest upper confidence bound (UCB1). Where several roles
choose at once, moves are drawn by regret matching (Hart and Mas-Colell 2000), with some exploration; the policy to play
is the average of what regret matching gave, with weights that grow with the visits. A move that was not drawn counts
with its mean value, which takes most of the noise out of regrets (Schmid et al. 2019).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import types

from gdl.codegen.array_types import B_1, F64_1, F64_2, I8_1, I32_1, I32_1_READ, I32_2, I64_1, U64_1, U64_2, Int
from gdl.codegen.compiled_functions import compiled, part

#: Places in `InformationTree.counts`: nodes, and slots.
NODES, SLOTS = range(2)

#: In `InformationTree.rule`: moves are chosen by UCB1, or by regret matching.
UCB, MATCHING = range(2)

_F64_1: Final = types.Array(types.float64, 1, "C")
_F64_2: Final = types.Array(types.float64, 2, "C")
_I8_1: Final = types.Array(types.int8, 1, "C")
_B_1: Final = types.Array(types.boolean, 1, "C")


class InformationTree(NamedTuple):
    """Nodes and slots in arrays; `table` finds a node by its key, with open addressing, and is at most half full."""

    counts: I64_1
    #: (a power of two,): the node, or -1.
    table: I32_1
    #: (nodes,): the key, the first slot, the number of slots, UCB or MATCHING, the round in which it was made, visits.
    keys: U64_1
    first: I32_1
    size: I32_1
    rule: I8_1
    born: I64_1
    visits: I64_1
    #: (slots,): the move, numbered over all roles; the node; visits whose values are known, and all visits; the sum of
    #: the values, from 0 to 1 each; the regret; the sum of the probabilities, with weights.
    moves: I32_1
    node: I32_1
    done: I64_1
    begun: I64_1
    total: F64_1
    regret: F64_1
    policy: F64_1


def new_tree(nodes: int, slots: int) -> InformationTree:
    """Return an empty tree with room for these numbers of nodes and slots."""
    table = 1 << (2 * nodes - 1).bit_length()
    first, size = (np.zeros(nodes, np.int32) for _ in range(2))
    born, visits = (np.zeros(nodes, np.int64) for _ in range(2))
    moves, node = (np.zeros(slots, np.int32) for _ in range(2))
    done, begun = (np.zeros(slots, np.int64) for _ in range(2))
    return InformationTree(
        np.zeros(2, np.int64),
        np.full(table, -1, np.int32),
        np.zeros(nodes, np.uint64),
        first,
        size,
        np.zeros(nodes, np.int8),
        born,
        visits,
        *(moves, node, done, begun),
        *(np.zeros(slots), np.zeros(slots), np.zeros(slots)),
    )


@part
def _place(tree: InformationTree, key: np.uint64) -> Any:
    """Return the place of a key in the table, or the free place where it belongs."""
    mask = np.uint64(len(tree.table) - 1)
    place = key & mask
    while tree.table[place] >= 0 and tree.keys[tree.table[place]] != key:
        place = (place + np.uint64(1)) & mask
    return place


@compiled
def find(tree: InformationTree, key: np.uint64) -> int:
    """Return the node of a key, or -1."""
    return int(tree.table[_place(tree, key)])


@part
def _added(tree: InformationTree, place: np.uint64, key: np.uint64, moves: I32_1_READ, start: Int, count: Int) -> Any:
    """Return a new node with some moves, or -1 if there is no room."""
    node, first = tree.counts[NODES], tree.counts[SLOTS]
    if node >= len(tree.keys) or first + count > len(tree.moves):
        return np.int64(-1)
    tree.counts[NODES] += 1
    tree.counts[SLOTS] += count
    tree.table[place] = node
    tree.keys[node] = key
    tree.first[node] = first
    tree.size[node] = count
    tree.visits[node] = 0
    for i in range(count):
        slot = first + i
        tree.moves[slot] = moves[start + i]
        tree.node[slot] = node
        tree.done[slot] = tree.begun[slot] = 0
        tree.total[slot] = tree.regret[slot] = tree.policy[slot] = 0.0
    return node


@part
def _positive(tree: InformationTree, first: Int, count: Int) -> Any:
    """Return the sum of the positive regrets of some slots."""
    total = 0.0
    for slot in range(first, first + count):
        total += max(0.0, tree.regret[slot])
    return total


@part
def _matched(tree: InformationTree, first: Int, count: Int, draw: float, explored: float) -> Any:
    """Draw a slot by regret matching, and add its policy to the average; return the slot and its probability."""
    positive = _positive(tree, first, count)
    weight = np.float64(1 + tree.visits[tree.node[first]])
    chosen, odds = first, 0.0
    found = False
    for slot in range(first, first + count):
        share = max(0.0, tree.regret[slot]) / positive if positive > 0 else 1 / count
        tree.policy[slot] += weight * share
        mixed = explored / count + (1 - explored) * share
        if not found and (draw < mixed or slot == first + count - 1):
            chosen, odds, found = slot, mixed, True
        draw -= mixed
    return chosen, odds


@part
def _highest(tree: InformationTree, first: Int, count: Int, draw: float, exploration: float) -> Any:
    """Return the slot with the highest upper confidence bound; unvisited slots come first, beginning anywhere."""
    total = np.float64(1)
    for slot in range(first, first + count):
        total += tree.begun[slot]
    spread = exploration * np.sqrt(np.log(total))
    begin: Any = np.int64(draw * count)
    best, most = first, -1.0
    for i in range(count):
        slot = first + (begin + i) % count
        if tree.begun[slot] == 0:
            return slot
        mean = tree.total[slot] / tree.done[slot] if tree.done[slot] else 0.5
        bound = mean + spread / np.sqrt(np.float64(tree.begun[slot]))
        if bound > most:
            best, most = slot, bound
    return best


@part
def _same(tree: InformationTree, node: Int, moves: I32_1_READ, start: Int, count: Int) -> Any:
    """Return True if a node has just these moves."""
    if tree.size[node] != count:
        return False
    for i in range(count):  # noqa: SIM110
        if tree.moves[tree.first[node] + i] != moves[start + i]:
            return False
    return True


@compiled
def choose(
    tree: InformationTree,
    keys: U64_2,
    offsets: I64_1,
    legal: I32_1_READ,
    nature: int,
    draws: F64_2,
    parameters: F64_1,
    round_: int,
    moves: I32_2,
    slots: I32_2,
    odds: F64_2,
    leaves: B_1,
) -> None:
    """Choose a joint move in each of n states.

    `keys` (n, roles) are those of the roles' information sets. `offsets` and `legal` are the roles' legal moves as in
    `mcts.requests.Looked`; every role has one. `nature` is the role that stands for chance, or -1. `draws` (n, roles)
    are random, from 0 to 1. `parameters` are the weight of exploration in UCB1, the share of exploration in regret
    matching, and 1 if that is used everywhere. Write the moves (n, roles), the slots (n, roles; -1 for a choice outside
    the tree), the probabilities of the moves, and a flag if a node is new in this round.
    """
    roles = keys.shape[1]
    for i in range(len(keys)):
        choosers = 0
        for role in range(roles):
            choosers += role != nature and offsets[i * roles + role + 1] - offsets[i * roles + role] > 1
        leaves[i] = False
        for role in range(roles):
            start = offsets[i * roles + role]
            count = offsets[i * roles + role + 1] - start
            moves[i, role] = legal[start + np.int64(draws[i, role] * count)]
            slots[i, role] = -1
            odds[i, role] = 1.0
            if count == 1 or role == nature:
                continue
            place = _place(tree, keys[i, role])
            node = np.int64(tree.table[place])
            if node < 0:
                node = _added(tree, place, keys[i, role], legal, start, count)
                leaves[i] = True
                if node < 0:
                    continue
                tree.rule[node] = MATCHING if choosers > 1 or parameters[2] > 0 else UCB
                tree.born[node] = round_
            elif not _same(tree, node, legal, start, count):
                continue
            if tree.born[node] == round_:
                leaves[i] = True
            first = np.int64(tree.first[node])
            if tree.rule[node] == MATCHING:
                slot, share = _matched(tree, first, count, draws[i, role], parameters[1])
                odds[i, role] = share
            else:
                slot = _highest(tree, first, count, draws[i, role], parameters[0])
            tree.visits[node] += 1
            tree.begun[slot] += 1
            moves[i, role] = tree.moves[slot]
            slots[i, role] = slot


@part
def _mean(tree: InformationTree, slot: Int) -> Any:
    """Return the mean value of a slot, 1/2 before there is one."""
    return tree.total[slot] / tree.done[slot] if tree.done[slot] else 0.5


@part
def _learn(tree: InformationTree, first: Int, count: Int, chosen: np.int32, odds: float, value: float) -> None:
    """Add to the regrets of a node's slots what they would have gained over its policy."""
    positive = _positive(tree, first, count)
    mean = tree.total[chosen] / tree.done[chosen] if tree.done[chosen] else value
    better = mean + (value - mean) / odds
    expected = 0.0
    for slot in range(first, first + count):
        share = max(0.0, tree.regret[slot]) / positive if positive > 0 else 1 / count
        expected += share * (better if slot == chosen else _mean(tree, slot))
    for slot in range(first, first + count):
        tree.regret[slot] = max(0.0, tree.regret[slot] + (better if slot == chosen else _mean(tree, slot)) - expected)


@compiled
def back_up(tree: InformationTree, slots: I32_2, odds: F64_2, values: F64_2) -> None:
    """Credit the values (n, roles), 0 to 1, that joint moves led to, to their slots; `choose` gave these and `odds`."""
    for i in range(len(slots)):
        for role in range(slots.shape[1]):
            slot = slots[i, role]
            if slot < 0:
                continue
            node = tree.node[slot]
            value = values[i, role]
            if tree.rule[node] == MATCHING:
                _learn(tree, np.int64(tree.first[node]), np.int64(tree.size[node]), slot, odds[i, role], value)
            tree.done[slot] += 1
            tree.total[slot] += value
