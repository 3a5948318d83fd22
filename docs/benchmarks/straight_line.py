"""Measure what limits straight-line code on rows of 512 bits. Needs Linux and AVX-512.

    python docs/benchmarks/straight_line.py

The first two lines show what access to memory costs: the cycles of 480 operations on registers alone, with a row of
memory for each operation, and with a store after every other one; first by an instruction on three rows, then by one
on two. The others show what the size of code costs: the cycles per operation in loops of more and more operations,
and the bytes of code per cycle. Every other operation reads a row of memory, by a short or by a long address.
"""

from __future__ import annotations

import ctypes
import time

import numpy as np

from gdl.codegen.llvm.machine_code import Library, compiled, host
from gdl.simulator.inspection import frequency

OPERATIONS = 480
ROUNDS = 200_000
SIZES = 2_000, 4_000, 8_000, 16_000

#: The bytes of an operation, if every other one reads a row by a short or by a long address.
SHORT, LONG = 7.5, 9.0


def body(name: str, operations: int, *, first: int, every: int, stores: bool) -> str:
    """Return the instructions; no operation needs the result of one of the last 23 before it.

    With `every=1`, all operations read a row from memory, with `every=2` every other one, and with 0 none of them does.
    They read 64 rows, starting at row `first`.
    """
    lines = []
    for i in range(operations):
        source = f"%zmm{24 + i % 4}" if not every or i % every else f"{64 * (first + i % 64)}(%rdi)"
        lines.append(f"{name}{source}, %zmm{28 + i % 3}, %zmm{i % 24}")
        if stores and i % 2:
            lines.append(f"vmovdqa64 %zmm{(i + 12) % 24}, {64 * (128 + i % 128)}(%rdi)")
    return "\n".join(lines)


def cycles(name: str, operations: int = OPERATIONS, *, first: int = 0, every: int = 0, stores: bool = False) -> float:
    """Return the cycles that the instructions take."""
    inner = body(name, operations, first=first, every=every, stores=stores)
    text = f".globl loop\nloop:\nagain:\n{inner}\ndecq %rsi\njnz again\nvzeroupper\nret\n"
    code = compiled(f'module asm "{text}"'.replace("\n", "\\0A"), host())
    loop = Library(code).function("loop", None, ctypes.c_void_p, ctypes.c_long)
    memory = np.zeros(512 * 64 + 64, np.uint8)
    rows = memory.ctypes.data + -memory.ctypes.data % 64
    rounds = ROUNDS * OPERATIONS // operations
    loop(rows, rounds)
    hertz = frequency()
    start = time.perf_counter()
    loop(rows, rounds)
    return (time.perf_counter() - start) / rounds * hertz


def main() -> None:
    """Print the table."""
    if not (host().vector.registers and host().vector.ternary):
        raise SystemExit("this needs Linux and a processor with AVX-512")
    three = "vpternlogq $150, "
    for instruction, name in (("vpternlogq", three), ("vpandq", "vpandq ")):
        taken = cycles(name), cycles(name, every=1), cycles(name, stores=True)
        print(f"{instruction:<11} " + ", ".join(f"{count:.0f}" for count in taken), flush=True)
    for size in SIZES:
        found = []
        for length, first in ((SHORT, 0), (LONG, 256)):
            each = cycles(three, size, first=first, every=2) / size
            found.append(f"{each:.2f} ({length / each:.1f} bytes)")
        print(f"{size:>11} " + ", ".join(found), flush=True)


if __name__ == "__main__":
    main()
