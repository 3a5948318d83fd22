"""Call a game's kernels from compiled code, by their addresses; this module loads Numba.

The address comes first, followed by the arguments that `Kernels` describes, all as 64-bit integers, including pointers.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_INT = ir.IntType(64)


def address_of(kernel: Any) -> int:
    """Return the address of a function of `Kernels`, which must stay alive as long as the address is used."""
    return ctypes.cast(kernel, ctypes.c_void_p).value or 0


def _typed(result: Any, arguments: Sequence[Any]) -> Any:
    """Return the types of a call, and a function that generates its code."""

    def generate(context: Any, builder: Any, _signature: Any, values: Sequence[Any]) -> Any:
        kind = ir.FunctionType(ir.VoidType() if result is types.void else _INT, [_INT] * (len(values) - 1))
        found = builder.call(builder.inttoptr(values[0], kind.as_pointer()), values[1:])
        return context.get_dummy_value() if result is types.void else found

    return result(*[types.int64] * len(arguments)), generate


def _look(_context: Any, kernel: Any, state: Any, out: Any, work: Any) -> Any:
    return _typed(types.void, (kernel, state, out, work))


def _move(_context: Any, kernel: Any, state: Any, moves: Any, out: Any, work: Any) -> Any:
    return _typed(types.void, (kernel, state, moves, out, work))


def _move_columns(
    _context: Any,
    kernel: Any,
    states: Any,
    moves: Any,
    still: Any,
    looked: Any,
    parts: Any,
    state: Any,
    out: Any,
    seen: Any,
    work: Any,
) -> Any:
    return _typed(types.void, (kernel, states, moves, still, looked, parts, state, out, seen, work))


def _list_moves(_context: Any, kernel: Any, out: Any, first_word: Any, words: Any, moves: Any) -> Any:
    return _typed(types.int64, (kernel, out, first_word, words, moves))


#: `look(kernel, state, out, work)`, for `Kernels.look`.
look: Any = intrinsic(_look)

#: `move(kernel, state, moves, out, work)`, for `Kernels.move`.
move: Any = intrinsic(_move)

#: `list_moves(kernel, out, first_word, words, moves)`, for `Kernels.legal`; returns the number of moves (int64).
list_moves: Any = intrinsic(_list_moves)

#: `move_columns(kernel, states, moves, still, looked, parts, in, out, seen, base)`, for the function `move` of
#: `gdl.codegen.llvm.column_loops`.
move_columns: Any = intrinsic(_move_columns)
