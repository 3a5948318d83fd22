"""Keys of packed states, and a set of keys: loops compiled by Numba. This module loads Numba."""

from __future__ import annotations

import numpy as np
from numba import types

import gdl.simulator.enumeration  # noqa: F401 - what else a search calls, for those who import this module ahead
from gdl.codegen.array_types import B_1, I32_1, I32_2, U64_2
from gdl.codegen.compiled_functions import compiled
from gdl.simulator.bits import lowest_one
from gdl.simulator.hashing import hash_row, same_row

_FLAGS = types.Array(types.boolean, 1, "C")

_ONE = np.uint64(1)
_SIX = np.uint64(6)
_LOW = np.uint64(63)


@compiled
def keys(states: U64_2, owner: I32_1, place: I32_1, code: I32_1, classes: I32_2, blocks: U64_2, out: U64_2) -> None:
    """Write each state's key to `out`.

    If fact `f` belongs to no object (`owner[f]` is -1), it adds `code[f]` at bit `place[f]`, unless that is -1. A fact
    of an object is bit `place[f]` of the object's block. Each row of `classes` is a class: its first object, the one
    after its last, the number of bits of a block, and the bit of the key at which its blocks begin, sorted as numbers.
    """
    words = blocks.shape[1]
    for row in range(states.shape[0]):
        for word in range(out.shape[1]):
            out[row, word] = 0
        for o in range(blocks.shape[0]):
            for word in range(words):
                blocks[o, word] = 0
        for word in range(states.shape[1]):
            rest = states[row, word]
            while rest:
                number = np.int64(64) * word + np.int64(lowest_one(rest))
                rest &= rest - _ONE
                at = place[number]
                if at < 0:
                    continue
                bit = np.uint64(at)
                if owner[number] >= 0:
                    blocks[owner[number], bit >> _SIX] |= _ONE << (bit & _LOW)
                else:
                    out[row, bit >> _SIX] |= np.uint64(code[number]) << (bit & _LOW)
        for kind in range(classes.shape[0]):
            first, last, width, base = classes[kind, 0], classes[kind, 1], classes[kind, 2], classes[kind, 3]
            for i in range(first + 1, last):
                j = i
                while j > first:
                    smaller = False
                    for word in range(words):
                        if blocks[j, word] != blocks[j - 1, word]:
                            smaller = blocks[j, word] < blocks[j - 1, word]
                            break
                    if not smaller:
                        break
                    for word in range(words):
                        held = blocks[j, word]
                        blocks[j, word] = blocks[j - 1, word]
                        blocks[j - 1, word] = held
                    j -= 1
            for i in range(first, last):
                for word in range((width + 63) // 64):
                    bit = np.uint64(base + (i - first) * width + 64 * word)
                    value, shift = blocks[i, word], bit & _LOW
                    out[row, bit >> _SIX] |= value << shift
                    if shift and value >> (np.uint64(64) - shift):
                        out[row, (bit >> _SIX) + _ONE] |= value >> (np.uint64(64) - shift)


@compiled
def insert(found: U64_2, table: I32_1, store: U64_2, count: int, fresh: B_1) -> int:
    """Add keys to a set of `count` keys in `store`, and return the new count; `fresh` is set for new keys.

    `table` has the number of each key at the position of its hash, or at the next free one; free ones are -1. Its
    length is a power of two.
    """
    last = np.uint64(len(table) - 1)
    words = found.shape[1]
    for row in range(found.shape[0]):
        at = hash_row(found, row, words) & last
        fresh[row] = True
        while table[at] >= 0:
            if same_row(store, table[at], found, row, words):
                fresh[row] = False
                break
            at = (at + _ONE) & last
        if fresh[row]:
            for word in range(words):
                store[count, word] = found[row, word]
            table[at] = count
            count += 1
    return count


@compiled
def rehash(table: I32_1, store: U64_2, count: int) -> None:
    """Fill an empty table with the first `count` keys of a store."""
    last = np.uint64(len(table) - 1)
    for row in range(count):
        at = hash_row(store, row, store.shape[1]) & last
        while table[at] >= 0:
            at = (at + _ONE) & last
        table[at] = row
