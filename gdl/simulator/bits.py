"""Instructions of the processor that Numba does not offer; this module loads Numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from gdl.codegen.array_types import U8_2, Int
from gdl.codegen.compiled_functions import part


def _places_of(_context: Any, word: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(word), generate


def _ones(_context: Any, word: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(word), generate


#: Returns the position of the lowest one in a word (uint64); 64 if there is none.
lowest_one: Any = intrinsic(_places_of)

#: Returns the number of ones in a word (uint64).
count_ones: Any = intrinsic(_ones)


def _selected(context: Any, condition: Any, one: Any, other: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.select(*arguments)

    kind = context.unify_types(one, other)
    return kind(condition, kind, kind), generate


#: `select(condition, one, other)` returns `one` if the condition (boolean) is true. Both are computed: other than
#: `one if condition else other`, it never becomes a jump, which keeps loops from being vectorized.
select: Any = intrinsic(_selected)


def _fetched(_context: Any, address: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        pointer, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, flag, flag, flag])
        function = builder.module.globals.get("llvm.prefetch.p0")
        function = function or ir.Function(builder.module, kind, "llvm.prefetch.p0")
        read, near, data = (ir.Constant(flag, number) for number in (0, 3, 1))
        builder.call(function, [builder.inttoptr(arguments[0], pointer), read, near, data])
        return ir.Constant(ir.IntType(64), 0)

    return types.int64(address), generate


#: Lets the processor load the memory at an address (int64) that will be needed soon; returns 0.
prefetch: Any = intrinsic(_fetched)


def _added(_context: Any, address: Any, number: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        kind = arguments[1].type
        operation = "add" if isinstance(kind, ir.IntType) else "fadd"
        return builder.atomic_rmw(operation, builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1], "seq_cst")

    return number(address, number), generate


def _exchanged(_context: Any, address: Any, _number: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(32).as_pointer())
        return builder.atomic_rmw("xchg", pointer, arguments[1], "seq_cst")

    return types.int32(address, types.int32), generate


def _replaced(_context: Any, address: Any, _old: Any, _new: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(32).as_pointer())
        return builder.extract_value(builder.cmpxchg(pointer, *arguments[1:], "seq_cst", "seq_cst"), 1)

    return types.boolean(address, types.int32, types.int32), generate


#: What several threads may do at the same address (int64) at once. All that a thread has stored before is seen by one
#: that finds the new number there. `add_at(address, number)` adds to a number of that type and returns the one before;
#: `exchange_at(address, number)` returns the 32-bit integer that was there; `replace_at(address, old, new)` stores the
#: new 32-bit integer if the old one is there, and returns True if so.
add_at: Any = intrinsic(_added)
exchange_at: Any = intrinsic(_exchanged)
replace_at: Any = intrinsic(_replaced)


def _stored(element: ir.Type, count: int) -> Any:
    """Return an intrinsic that stores the lowest bits of a word as numbers of a type, 0 and 1, from an address on."""

    def typed(_context: Any, word: Any, address: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            vector = ir.VectorType(element, count)
            bits = arguments[0] if count == 64 else builder.trunc(arguments[0], ir.IntType(count))
            flags = builder.bitcast(bits, ir.VectorType(ir.IntType(1), count))
            numbers = (
                builder.uitofp(flags, vector) if isinstance(element, ir.FloatType) else builder.zext(flags, vector)
            )
            builder.store(numbers, builder.inttoptr(arguments[1], vector.as_pointer()), align=1)
            return ir.Constant(ir.IntType(64), 0)

        return types.int64(word, address), generate

    return intrinsic(typed)


#: Store the lowest bits of a word (uint64) at an address (int64), each as a byte or a 32-bit float, 0 or 1; return 0.
_store_16_bytes: Any = _stored(ir.IntType(8), 16)
_store_32_bytes: Any = _stored(ir.IntType(8), 32)
_store_64_bytes: Any = _stored(ir.IntType(8), 64)
_store_64_floats: Any = _stored(ir.FloatType(), 64)


@part
def store_bytes(word: np.uint64, address: Int) -> None:
    """Store the bits of a word (uint64) as 64 bytes, 0 or 1, from an address (int64) on."""
    _store_64_bytes(word, address)


@part
def store_floats(word: np.uint64, address: Int) -> None:
    """Store the bits of a word (uint64) as 64 32-bit floats, 0 or 1, from an address (int64) on."""
    _store_64_floats(word, address)


@part
def store_rows(words: Any, width: Int, out: U8_2, address: Int) -> Any:
    """Store the lowest `width` bits of each row of words (n, words) as the bytes, 0 or 1, of a row of `out` (n, width).

    `address` is that of `out`. Returns the number of rows that have been stored: the last ones are not, as stores go
    beyond the end of a row, into what is stored later.
    """
    whole = (width - 1) // 64
    rest = width - 64 * whole
    rows = min(len(words), (out.size - 64 * (whole + 1)) // width + 1)
    for i in range(rows):
        for k in range(whole):
            _store_64_bytes(words[i, k], address + i * width + 64 * k)
        # Wide stores that reach into the next line of the cache take long, so they are no wider than needed.
        at = address + i * width + 64 * whole
        if rest <= 16:
            _store_16_bytes(words[i, whole], at)
        elif rest <= 32:
            _store_32_bytes(words[i, whole], at)
        else:
            _store_64_bytes(words[i, whole], at)
    return max(rows, 0)


@part
def bit_position(word: np.uint64, rank: Int, half: Int) -> Any:
    """Return the position of the one in a word (uint64) that has `rank` ones below it; there must be such a one.

    All ones are below `2 * half`, a power of two of at most 64.
    """
    place = np.int64(0)
    width: Any = min(half, 32)
    while width:
        low = np.int64(count_ones(word & ((np.uint64(1) << np.uint64(width)) - np.uint64(1))))
        above = rank >= low
        rank -= int(low) if above else 0
        place += width if above else 0
        word >>= np.uint64(width if above else 0)
        width >>= 1
    return place
