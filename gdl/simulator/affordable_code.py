"""Estimate which code can be made within a budget.

Results never depend on it: machine code and the interpreter agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gdl.codegen.interface import Target
from gdl.compile_budget import Watch

#: Netlists with more operations than this are interpreted, whatever the budget: LLVM's memory and the code itself grow,
#: and the interpreter stays within the processor's cache.
LARGEST: Final = 60_000

#: The same where registers are allocated by `gdl.codegen.straight_line`. With AVX-512, code for chess_200 (148,000
#: operations, 2.6 MB) is still 1.6 times as fast as the interpreter.
LARGEST_WITH_REGISTERS: Final = 400_000

#: Assembly of more bytes than this, some 10,000 operations, is compiled at LLVM's level 0. It takes less than half the
#: time, and makes the code 7 to 12 % slower.
_LONG: Final = 2_700_000

#: Seconds of processor time per byte of assembly, at LLVM's levels 0 and 1, and bytes of assembly per operation.
#: Measured for knights_and_pawns and othello (6,700 and 9,900 operations, 199 and 228 bytes each): 44 to 50 and 105
#: microseconds per operation on a machine with AVX-512; the same again as a margin, as LLVM cannot be stopped.
_SECONDS_PER_BYTE: Final = (0.5e-6, 1.0e-6)
_BYTES: Final = 230

#: The same per operation where registers are allocated by `gdl.codegen.straight_line`, with AVX-512 and without it: 40
#: microseconds were measured for chess_200 with AVX-512. Without it, an operation becomes about two instructions.
_SECONDS_WITH_REGISTERS: Final = (80e-6, 160e-6)

#: The share of the budget that LLVM may take, by this estimate, for code that computes everything of a single state.
#: What is left of the budget does not count, so that players always find the same code.
_SINGLE: Final = 0.05

#: Seconds per operation to prepare the interpreter, with all limits that are tried for moving steps, and with one.
#: Measured for the same games: 32 to 37 and 20 to 26 microseconds.
_INTERPRETER: Final = (40e-6, 25e-6)


def affordable(target: Target, watch: Watch, *operations: int) -> bool:
    """Return True if netlists of some numbers of operations can be compiled in the time that is left."""
    largest, seconds = LARGEST, _BYTES * _SECONDS_PER_BYTE[0]
    if target.registers:
        largest, seconds = LARGEST_WITH_REGISTERS, _SECONDS_WITH_REGISTERS[0 if target.ternary else 1]
    return max(operations) <= largest and sum(operations) * seconds <= watch.left


def level(length: int, watch: Watch) -> int:
    """Return the level at which LLVM compiles assembly of some bytes: 1 unless that takes long."""
    return int(length <= _LONG and length * _SECONDS_PER_BYTE[1] <= watch.left)


def largest_single(watch: Watch) -> float:
    """Return the largest number of operations for code that computes everything of a single state."""
    return _SINGLE * watch.budget.seconds / (_BYTES * _SECONDS_PER_BYTE[0])


def windows(operations: int, watch: Watch) -> Sequence[int]:
    """Return the limits to try for moving steps in the interpreter: only one if time is short. Results are equal."""
    from gdl.codegen.interpreter import ordering

    return ordering.WINDOWS if operations * _INTERPRETER[0] <= watch.left else ordering.WINDOWS[1:2]
