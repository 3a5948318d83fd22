"""Instructions on 64-bit words that Numba does not offer; this module loads Numba."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


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
