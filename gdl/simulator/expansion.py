"""Bits of packed states as arrays of numbers, 0 and 1, or of bytes of 8 bits each: what learning code reads.

This module loads Numba.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from gdl.codegen.array_types import F32_2, I32_1, I64_2, U8_2, U64_2_READ, Int
from gdl.codegen.compiled_functions import compiled, part
from gdl.simulator.bits import store_bytes, store_floats, store_rows

#: The types of elements that bits can be written as: 1 byte, or 32-bit floats.
_BYTES: Final = (np.dtype(np.bool_), np.dtype(np.int8), np.dtype(np.uint8))
_FLOATS: Final = np.dtype(np.float32)

#: Runs of consecutive bits are copied up to 64 at a time, if they have this many bits on average.
_RUN: Final = 8


@final
class Expansion:
    """The bits of states that are written next to each other, given by their numbers; -1 stands for a constant 0."""

    def __init__(self, bits: Sequence[int]) -> None:
        """Plan to write these bits in this order."""
        self.count = len(bits)
        self._bits = np.array(bits, np.int32)
        self._zeros = np.flatnonzero(self._bits < 0)
        chunks = _chunks(bits)
        self._chunks = np.array(chunks, np.int64).reshape(len(chunks), 3)
        self._in_chunks = -1 not in bits and len(chunks) * _RUN <= max(len(bits), _RUN)

    def write(self, words: NDArray[np.uint64], out: NDArray[Any]) -> None:
        """Write the bits of states, given as words (n, state_words), to `out` (n, bits).

        `out` has elements of bool, int8, uint8 or float32. Raises ValueError for another shape or type.
        """
        if out.shape != (len(words), self.count):
            raise ValueError(f"expected an array of the shape {(len(words), self.count)}, not {out.shape}")
        if out.dtype not in (*_BYTES, _FLOATS):
            raise ValueError(f"expected elements of bool, int8, uint8 or float32, not {out.dtype}")
        if not out.size:
            return
        target = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
        words = np.ascontiguousarray(words)
        numbers: Any = target if out.dtype == _FLOATS else target.view(np.uint8)
        if self._in_chunks:
            write = _write_floats if out.dtype == _FLOATS else _write_bytes
            write(words, self._chunks, numbers, target.ctypes.data)
        else:
            (_gather_floats if out.dtype == _FLOATS else _gather_bytes)(words, self._bits, numbers)
        if target is not out:
            out[:] = target

    def one(self, bits: bytes) -> NDArray[np.int8]:
        """Return the bits of one state, given as bytes: (bits,). This is faster than `write` for a single state."""
        found = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little").take(self._bits)
        if self._zeros.size:
            found[self._zeros] = 0
        return found.view(np.int8)

    @property
    def packed_size(self) -> int:
        """The number of bytes that the bits of a state take, eight to a byte."""
        return -(-self.count // 8)

    def pack(self, words: NDArray[np.uint64], out: NDArray[np.uint8]) -> None:
        """Write the bits of states (n, state_words) to `out` (n, packed_size), eight to a byte, the lowest first.

        That is the order of `numpy.packbits(..., bitorder="little")`. Raises ValueError for another shape or type.
        """
        if out.shape != (len(words), self.packed_size) or out.dtype != np.uint8:
            raise ValueError(f"expected an array of uint8 of the shape {(len(words), self.packed_size)}")
        if not out.size:
            return
        target = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
        _pack(np.ascontiguousarray(words), self._chunks, target)
        if target is not out:
            out[:] = target


def _chunks(bits: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return runs of at most 64 consecutive bits: the first bit, its place in the result, and the number of bits."""
    chunks: list[tuple[int, int, int]] = []
    for place, bit in enumerate(bits):
        if chunks:
            first, start, length = chunks[-1]
            if bit == first + length and length < 64 and first >= 0:
                chunks[-1] = first, start, length + 1
                continue
        chunks.append((bit, place, 1))
    return chunks


@part
def _word(words: U64_2_READ, state: Int, bit: Int) -> Any:
    """Return the 64 bits of a state from a bit on; zeros after its last word."""
    place, shift = bit >> 6, np.uint64(bit & 63)
    word = words[state, place] >> shift
    if shift and place + 1 < words.shape[1]:
        word |= words[state, place + 1] << (np.uint64(64) - shift)
    return word


# A store of 64 elements goes beyond a shorter chunk, into what is written later. At the end of the array, elements are
# written one by one.


@compiled
def _write_bytes(words: U64_2_READ, chunks: I64_2, out: U8_2, address: int) -> None:
    done = np.int64(0)
    in_order = True
    for c in range(len(chunks)):
        in_order &= (chunks[c, 0] == 64 * c) & (chunks[c, 1] == 64 * c)
    if in_order:
        done = store_rows(words, out.shape[1], out, address)
    for i in range(done, len(words)):
        for c in range(len(chunks)):
            word = _word(words, i, chunks[c, 0])
            at = i * out.shape[1] + chunks[c, 1]
            if at + 64 <= out.size:
                store_bytes(word, address + at)
            else:
                for j in range(chunks[c, 2]):
                    out[i, chunks[c, 1] + j] = word >> np.uint64(j) & np.uint64(1)


@compiled
def _write_floats(words: U64_2_READ, chunks: I64_2, out: F32_2, address: int) -> None:
    for i in range(len(words)):
        for c in range(len(chunks)):
            word = _word(words, i, chunks[c, 0])
            at = i * out.shape[1] + chunks[c, 1]
            if at + 64 <= out.size:
                store_floats(word, address + 4 * at)
            else:
                for j in range(chunks[c, 2]):
                    out[i, chunks[c, 1] + j] = word >> np.uint64(j) & np.uint64(1)


@compiled
def _pack(words: U64_2_READ, chunks: I64_2, out: U8_2) -> None:
    for i in range(len(words)):
        held, count, at = np.uint64(0), np.int64(0), 0
        for c in range(len(chunks)):
            word, length = np.uint64(0), chunks[c, 2]
            if chunks[c, 0] >= 0:
                word = _word(words, i, chunks[c, 0])
            if length < 64:
                word &= (np.uint64(1) << np.uint64(length)) - np.uint64(1)
            # `count` bits, fewer than 8, wait for their byte to be full.
            held |= word << np.uint64(count)
            spilt = word >> np.uint64(64 - count) if count else np.uint64(0)
            count += length
            while count >= 8:
                out[i, at] = held & np.uint64(255)
                held = held >> np.uint64(8) | spilt << np.uint64(56)
                spilt >>= np.uint64(8)
                at += 1
                count -= 8
        if count:
            out[i, at] = held


@part
def _gather(words: U64_2_READ, bits: I32_1, out: Any) -> None:
    for i in range(len(words)):
        for j in range(len(bits)):
            bit = bits[j]
            out[i, j] = words[i, bit >> 6] >> np.uint64(bit & 63) & np.uint64(1) if bit >= 0 else 0


@compiled
def _gather_bytes(words: U64_2_READ, bits: I32_1, out: U8_2) -> None:
    _gather(words, bits, out)


@compiled
def _gather_floats(words: U64_2_READ, bits: I32_1, out: F32_2) -> None:
    _gather(words, bits, out)
