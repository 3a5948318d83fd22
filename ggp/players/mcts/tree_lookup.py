"""Find states, joint moves and outcomes in a tree. Compiled by Numba, which this module loads."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdl.codegen.array_types import F32_2, I32_1, I64_1, U64_1, U64_2_READ, Int
from gdl.codegen.compiled_functions import compiled, part
from gdl.simulator.bits import add_at, exchange_at, replace_at
from gdl.simulator.hashing import hash_pair, hash_row
from ggp.players.mcts.tree import DROPPED, JOINT_LIST, JOINTS, LINE, LOCK, MAX_OUTCOMES, OUTCOMES, SHARED, Tree, edge_at

#: The index of an edge's 32-bit integers.
numbers_of: Any = part(edge_at)


@part
def below(random: U64_1, count: Int) -> Any:
    """Return a random number below a count, by xorshift64* (Vigna, 2016)."""
    word = random[0]
    word ^= word >> np.uint64(12)
    word ^= word << np.uint64(25)
    word ^= word >> np.uint64(27)
    random[0] = word
    word *= np.uint64(0x2545F4914F6CDD1D)
    return np.int64(((word >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))


@part
def place_of(table: I32_1, states: U64_2_READ, number: Int) -> Any:
    """Return the place in the table at which the search for a state begins."""
    return np.int64(hash_row(states, number, states.shape[1]) & np.uint64(len(table) - 1))


@part
def find_from(table: I32_1, words: U64_1, shift: Int, states: U64_2_READ, number: Int, place: Int) -> Any:
    """Return the result of `find`, given the place at which to begin."""
    mask = len(table) - 1
    while True:
        node = np.int64(table[place])
        if node < 0:
            return np.int64(-1 - place)
        same = True
        for i in range(states.shape[1]):
            if words[LINE * node + shift + i] != states[number, i]:
                same = False
                break
        if same:
            return node
        place = (place + 1) & mask


@part
def joint_number(table: I32_1, joints: Any, node: Int, code: np.uint64) -> Any:
    """Return the number of a joint move of a node, or -1 - the place in the table where it belongs."""
    mask = len(table) - 1
    place = np.int64(hash_pair(np.uint64(node), code) & np.uint64(mask))
    while True:
        joint = table[place]
        if joint < 0:
            return np.int64(-1 - place)
        if joints[joint].parent == node and joints[joint].code == code:
            return np.int64(joint)
        place = (place + 1) & mask


@part
def count_at(counts: I64_1, place: Int, number: Int) -> Any:
    """Add a number to one of a tree's counts, and return what it was before."""
    return add_at(np.int64(counts.ctypes.data) + 8 * place, np.int64(number))


@part
def add_visits(tree: Tree, at: Int, more: Int) -> Any:
    """Add to a number of visits, by its index among the 32-bit integers, and return the sum."""
    if tree.shape[SHARED]:
        return add_at(np.int64(tree.numbers.ctypes.data) + 4 * at, np.int32(more)) + np.int32(more)
    number = tree.numbers[at] + np.int32(more)
    tree.numbers[at] = number
    return number


@part
def add_value(tree: Tree, edge: Int, value: np.float64) -> Any:
    """Add to the value of an edge."""
    if tree.shape[SHARED]:
        add_at(np.int64(tree.values.ctypes.data) + 8 * edge, np.float64(value))
    else:
        tree.values[edge] += value


@part
def enter(table: I32_1, place: Int, number: Int) -> Any:
    """Put a number into an empty place of a table; return False if another thread was faster."""
    return replace_at(np.int64(table.ctypes.data) + 4 * place, np.int32(-1), np.int32(number))


@part
def add_joint(tree: Tree, place: Int, node: Int, code: np.uint64, child: Int) -> Any:
    """Add a joint move of a node at a place in the table, and return its number; -1 if there is no room."""
    joint = count_at(tree.counts, JOINTS, 1)
    if joint >= len(tree.joints):
        count_at(tree.counts, JOINTS, -1)
        tree.counts[DROPPED] += 1
        return np.int64(-1)
    tree.joints[joint].parent = node
    tree.joints[joint].code = code
    tree.joints[joint].child = child
    while not enter(tree.joint_table, place, joint):
        found = joint_number(tree.joint_table, tree.joints, node, code)
        if found >= 0:
            return found
        place = np.int64(-1 - found)
    first = np.int64(tree.numbers.ctypes.data) + 4 * (16 * node + JOINT_LIST)
    tree.joints[joint].next = exchange_at(first, np.int32(joint))
    return joint


@part
def _known_outcome(outcomes: F32_2, count: Int, goals: F32_2, row: Int) -> Any:
    """Return the number of the outcome with a row of goals, among the first `count`; -1 if it is none of them."""
    for number in range(count):
        same = True
        for role in range(outcomes.shape[1]):
            if outcomes[number, role] != goals[row, role]:
                same = False
                break
        if same:
            return np.int64(number)
    return np.int64(-1)


@part
def outcome_number(counts: I64_1, outcomes: F32_2, goals: F32_2, row: Int) -> Any:
    """Return the number of the outcome with a row of goals, adding it if it is new; -1 if there are too many."""
    number = _known_outcome(outcomes, counts[OUTCOMES], goals, row)
    if number >= 0:
        return number
    # There are few outcomes, so there are few threads that wait here.
    while count_at(counts, LOCK, 1):
        count_at(counts, LOCK, -1)
    number = _known_outcome(outcomes, counts[OUTCOMES], goals, row)
    if number < 0 and counts[OUTCOMES] < MAX_OUTCOMES:
        number = np.int64(counts[OUTCOMES])
        for role in range(outcomes.shape[1]):
            outcomes[number, role] = goals[row, role]
        count_at(counts, OUTCOMES, 1)
    count_at(counts, LOCK, -1)
    return number


@compiled
def find(tree: Tree, states: U64_2_READ, number: int) -> int:
    """Return the node of row `number` of states, or -1 - the place in the table where it belongs."""
    return int(find_from(tree.table, tree.words, tree.shape[1], states, number, place_of(tree.table, states, number)))
