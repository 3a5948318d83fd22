"""What the compiled loops have in common: calls of a game's kernels, and what a state is worth. It loads Numba.

The functions here are compiled as parts of the loops in `descent`, `rehearsal` and `training`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from ggp.players.alphabeta.layout import GOALS_WORD, HEADS, LEGAL_WORD, MOVE_WORDS, START, STATE_WORDS, UNIT
from ggp.players.alphabeta.values import MOST

_INT = ir.IntType(64)


def _calling(result: Any, arguments: Sequence[Any]) -> Any:
    """Types and code of a call of a function by its address, all arguments integers of 64 bits."""

    def generate(_context: Any, builder: Any, _signature: Any, values: Sequence[Any]) -> Any:
        kind = ir.FunctionType(ir.VoidType() if result is types.void else _INT, [_INT] * (len(values) - 1))
        found = builder.call(builder.inttoptr(values[0], kind.as_pointer()), values[1:])
        return _context.get_dummy_value() if result is types.void else found

    return result(*[types.int64] * len(arguments)), generate


def _call3(_context: Any, function: Any, a: Any, b: Any, c: Any) -> Any:
    return _calling(types.void, (function, a, b, c))


def _call4(_context: Any, function: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    return _calling(types.void, (function, a, b, c, d))


def _count4(_context: Any, function: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    return _calling(types.int64, (function, a, b, c, d))


look: Any = intrinsic(_call3)
move: Any = intrinsic(_call4)
list_moves: Any = intrinsic(_count4)

#: Types of arrays.
I64_1, I64_2 = types.Array(types.int64, 1, "C"), types.Array(types.int64, 2, "C")
U64_1, U64_2 = types.Array(types.uint64, 1, "C"), types.Array(types.uint64, 2, "C")
I32_1, I32_2 = types.Array(types.int32, 1, "C"), types.Array(types.int32, 2, "C")
F32_1, F32_2 = types.Array(types.float32, 1, "C"), types.Array(types.float32, 2, "C")


def stamp() -> int:
    """A number for the text of all that is compiled.

    Numba keeps compiled code by what a closure holds, so by the stamp: it would not notice by itself that a file has
    changed which the compiled function only imports from.
    """
    found = 0
    for name in ("values", "layout", "evaluation", "descent", "rehearsal", "training"):
        found = crc32(Path(__file__).with_name(f"{name}.py").read_bytes(), found)
    return found


def kept(signature: Any, function: Callable[..., Any], **options: Any) -> Any:
    """A function compiled for a signature, or read from Numba's cache. It does not hold the GIL."""
    try:
        return njit(signature, nogil=True, cache=True, **options)(function)
    except Exception:
        # The cache may be read-only, full or damaged; what is wrong with the function itself is raised again.
        return njit(signature, nogil=True, **options)(function)


@njit(nogil=True)
def hashed(states: Any, row: int, words: int) -> Any:
    """A hash of 64 bits of a state's words."""
    found = np.uint64(0x9E3779B97F4A7C15)
    for word in range(words):
        found = (found ^ states[row, word]) * np.uint64(0xFF51AFD7ED558CCD)
        found ^= found >> np.uint64(32)
    found *= np.uint64(0xC4CEB9FE1A85EC53)
    return found ^ (found >> np.uint64(29))


@njit(nogil=True)
def estimate(setup: Any, states: Any, row: int, sums: Any) -> Any:
    """What a state is worth to the first role, by a network over its facts; `network` says how it is made.

    `sums` has the columns of each half byte of a state and each value of it. Numbers of 16 bits that are packed in one
    of 64 are added at once: as long as no sum leaves its range, borrows between them are made good in the end.
    """
    first, second, third = setup[START], setup[START + 1], setup[START + 2]
    fourth, found = setup[START + 3], setup[START + 4]
    for word in range(setup[STATE_WORDS]):
        bits = states[row, word]
        place = 256 * word
        while bits:
            at = place + np.int64(bits & np.uint64(15))
            first += sums[at, 0]
            second += sums[at, 1]
            third += sums[at, 2]
            fourth += sums[at, 3]
            found += sums[at, 4]
            bits >>= np.uint64(4)
            place += 16
    one = setup[UNIT]
    hidden: Any = 0
    for column, packed in enumerate((first, second, third, fourth)):
        rest = packed
        for lane in range(4):
            unit = (rest << 48) >> 48
            rest = (rest - unit) >> 16
            hidden += min(max(unit, 0), one) * setup[HEADS + 4 * column + lane]
    return min(max(found + (hidden >> 16), -MOST), MOST)


@njit(nogil=True)
def difference(setup: Any, outs: Any, row: int, goals: Any) -> Any:
    """The first role's goal less that of the second; a goal that there is not counts as 0."""
    found: Any = 0
    for number in range(len(goals)):
        word = outs[row, setup[GOALS_WORD] + (number >> 6)]
        if (word >> np.uint64(number & 63)) & np.uint64(1):
            found += -goals[number, 1] if goals[number, 0] else goals[number, 1]
    return found


@njit(nogil=True)
def choices(setup: Any, outs: Any, row: int, role: int) -> Any:
    """How many legal moves a role has: 0, 1, or 2 for any more."""
    found = 0
    first = setup[LEGAL_WORD + role]
    for word in range(first, first + setup[MOVE_WORDS + role]):
        bits = outs[row, word]
        if bits:
            found += 2 if bits & (bits - np.uint64(1)) else 1
    return min(found, 2)
