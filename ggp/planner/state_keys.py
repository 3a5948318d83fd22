"""Loops over packed states, compiled by Numba: keys of states, and a set of keys. This module loads Numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types

_WORDS = types.Array(types.uint64, 2, "C")
_LIST = types.Array(types.int32, 1, "C")
_FLAGS = types.Array(types.boolean, 1, "C")

_ONE = np.uint64(1)
_SIX = np.uint64(6)
_LOW = np.uint64(63)

#: The multipliers of splitmix64's finalizer (Steele, Lea and Flood, OOPSLA 2014).
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@njit(types.void(_WORDS, _LIST, _LIST, _LIST, types.Array(types.int32, 2, "C"), _WORDS, _WORDS), cache=True, nogil=True)
def keys(states: Any, owner: Any, place: Any, code: Any, classes: Any, blocks: Any, out: Any) -> None:
    """Write each state's key to `out`.

    Fact `f` of no object (`owner[f]` is -1) adds `code[f]` at bit `place[f]`, or nothing where that is -1. A fact of
    object `o` is bit `place[f]` of the object's block. A row of `classes` is one class: its first object, the one after
    its last, the bits of a block, and the bit of the key from which its blocks are written, in their order as numbers.
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
                low = rest & (~rest + _ONE)
                rest ^= low
                number = np.int64(64) * word
                # The place of the only one: count the ones below it.
                below = low - _ONE
                below = below - ((below >> _ONE) & np.uint64(0x5555555555555555))
                below = (below & np.uint64(0x3333333333333333)) + (
                    (below >> np.uint64(2)) & np.uint64(0x3333333333333333)
                )
                below = (below + (below >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
                number += np.int64((below * np.uint64(0x0101010101010101)) >> np.uint64(56))
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


@njit(types.int64(_WORDS, _LIST, _WORDS, types.int64, _FLAGS), cache=True, nogil=True)
def insert(found: Any, table: Any, store: Any, count: int, fresh: Any) -> int:
    """Add keys to a set of `count` keys in `store`; `fresh` says which were not in it. Gives the new count.

    `table` has the keys' numbers at the places that their hashes say, or the next free one, and -1 where it is free.
    Its length is a power of two.
    """
    last = np.uint64(len(table) - 1)
    words = found.shape[1]
    for row in range(found.shape[0]):
        mixed = _GOLDEN
        for word in range(words):
            mixed = (mixed ^ found[row, word]) * _MIX1
            mixed ^= mixed >> np.uint64(29)
        mixed *= _MIX2
        at = (mixed ^ (mixed >> np.uint64(32))) & last
        fresh[row] = True
        while table[at] >= 0:
            known = table[at]
            same = True
            for word in range(words):
                if store[known, word] != found[row, word]:
                    same = False
                    break
            if same:
                fresh[row] = False
                break
            at = (at + _ONE) & last
        if fresh[row]:
            for word in range(words):
                store[count, word] = found[row, word]
            table[at] = count
            count += 1
    return count


@njit(types.void(_LIST, _WORDS, types.int64), cache=True, nogil=True)
def rehash(table: Any, store: Any, count: int) -> None:
    """Fill a table that is all free with the first `count` keys of a store."""
    last = np.uint64(len(table) - 1)
    for row in range(count):
        mixed = _GOLDEN
        for word in range(store.shape[1]):
            mixed = (mixed ^ store[row, word]) * _MIX1
            mixed ^= mixed >> np.uint64(29)
        mixed *= _MIX2
        at = (mixed ^ (mixed >> np.uint64(32))) & last
        while table[at] >= 0:
            at = (at + _ONE) & last
        table[at] = row
