"""Measure what access to memory costs in straight-line code on rows of 512 bits. Needs Linux and AVX-512.

    python docs/examples/measure_stores.py

Each line shows the cycles of 480 operations: on registers alone, with a row of memory for each operation, and with a
store after every other one; first by an instruction on three rows, then by one on two.
"""

from __future__ import annotations

import ctypes
import time

import numpy as np

from gdl.codegen.llvm.machine_code import Library, compiled, host
from gdl.simulator.inspection import frequency

OPERATIONS = 480
ROUNDS = 200_000


def body(name: str, *, read: bool, stores: bool) -> str:
    """Return the instructions; no operation needs the result of one of the last 23 before it."""
    lines = []
    for i in range(OPERATIONS):
        source = f"{64 * (i % 128)}(%rdi)" if read else f"%zmm{24 + i % 4}"
        lines.append(f"{name}{source}, %zmm{28 + i % 3}, %zmm{i % 24}")
        if stores and i % 2:
            lines.append(f"vmovdqa64 %zmm{(i + 12) % 24}, {64 * (128 + i % 128)}(%rdi)")
    return "\n".join(lines)


def cycles(name: str, *, read: bool = False, stores: bool = False) -> float:
    """Return the cycles that the instructions take."""
    text = (
        f".globl loop\nloop:\nagain:\n{body(name, read=read, stores=stores)}\ndecq %rsi\njnz again\nvzeroupper\nret\n"
    )
    code = compiled(f'module asm "{text}"'.replace("\n", "\\0A"), host())
    loop = Library(code).function("loop", None, ctypes.c_void_p, ctypes.c_long)
    memory = np.zeros(256 * 64 + 64, np.uint8)
    rows = memory.ctypes.data + -memory.ctypes.data % 64
    loop(rows, ROUNDS)
    hertz = frequency()
    start = time.perf_counter()
    loop(rows, ROUNDS)
    return (time.perf_counter() - start) / ROUNDS * hertz


def main() -> None:
    """Print the table."""
    if not host().vector.registers:
        raise SystemExit("this needs Linux and a processor with AVX-512")
    for instruction, name in (("vpternlogq", "vpternlogq $150, "), ("vpandq", "vpandq ")):
        found = cycles(name), cycles(name, read=True), cycles(name, stores=True)
        print(f"{instruction:<11} " + ", ".join(f"{count:.0f}" for count in found))


if __name__ == "__main__":
    main()
