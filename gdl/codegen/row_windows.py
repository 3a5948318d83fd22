"""Short addresses of rows in straight-line code.

An instruction needs three bytes less for a row near the place that a register points to: with AVX-512, at most 128 rows
from it, and with AVX, 128 bytes. That matters where code is larger than the caches from which the processor executes
it: a Xeon (Sapphire Rapids) then gets some 13 bytes of it per cycle, fewer than it could execute
(`docs/benchmarks/straight_line.py`). So spare registers point to the rows that are used most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final, final

from gdl.codegen.interface import RowAddress

#: The numbers of rows, or of bytes, before and from the place that a register points to, with short addresses.
_REACH: Final = 128

#: Registers that a function may change, by the conventions of Linux, and those that it must restore.
_FREE: Final = ("rax", "r10", "r11", "r9", "r8", "rcx", "rdx", "rsi", "rdi")
_SAVED: Final = ("rbx", "rbp", "r12", "r13", "r14", "r15")

#: A register points to rows if they are used at least this many times.
_WORTHWHILE: Final = 16


@final
class RowWindows:
    """The registers of a function that point to rows, each with the rows around it."""

    def __init__(self, uses: Mapping[RowAddress, int], pointers: Mapping[str, str], size: int, unit: int) -> None:
        """Choose rows to point to; `uses` counts how often each one is used, `pointers` has the registers' names.

        A row has `size` bytes, and short addresses count in `unit` bytes.
        """
        self._size = size
        self._reach = max(1, _REACH * unit // size)
        #: What a function does first and last.
        self.before: list[str] = []
        self.after: list[str] = []
        self._pointers = pointers
        self._left = {
            pointer: Counter({place.number: count for place, count in uses.items() if place.pointer == pointer})
            for pointer in {place.pointer for place in uses}
        }
        #: The register for each row with a short address, and the row that each register points to.
        self._registers: dict[RowAddress, str] = {}
        self._rows = {register: 0 for pointer, register in pointers.items() if pointer in self._left}
        self._choose()

    def address(self, place: RowAddress) -> str:
        """Return the address of a row."""
        register = self._registers.get(place, self._pointers[place.pointer])
        return f"{self._size * (place.number - self._rows[register])}(%{register})"

    def _choose(self) -> None:
        own = {pointer: self._best(pointer) for pointer in sorted(self._left)}
        for pointer, (_, row) in own.items():
            register = self._pointers[pointer]
            self._rows[register] = row
            self._cover(pointer, row, register)
        spare = [register for register in (*_FREE, *_SAVED) if register not in self._rows]
        best = {pointer: self._best(pointer) for pointer in own}
        for register in spare:
            if not best:
                break
            pointer = max(best, key=lambda each: best[each][0])
            count, row = best[pointer]
            if count < _WORTHWHILE:
                break
            if register in _SAVED:
                self.before.insert(0, f"pushq %{register}")
                self.after.append(f"popq %{register}")
            self.before.append(f"leaq {self._size * row}(%{self._pointers[pointer]}), %{register}")
            self._rows[register] = row
            self._cover(pointer, row, register)
            best[pointer] = self._best(pointer)
        # The others are computed from them, so that these change last.
        for pointer, (_, row) in own.items():
            if row:
                self.before.append(f"addq ${self._size * row}, %{self._pointers[pointer]}")

    def _best(self, pointer: str) -> tuple[int, int]:
        """Return the number of uses around the best row of those that have no short address yet, and that row."""
        left = self._left[pointer]
        numbers = sorted(left)
        best = sum(count for number, count in left.items() if number < self._reach), 0
        count, end = 0, 0
        for number in numbers:
            while end < len(numbers) and numbers[end] < number + 2 * self._reach:
                count += left[numbers[end]]
                end += 1
            if count > best[0]:
                best = count, number + self._reach
            count -= left[number]
        return best

    def _cover(self, pointer: str, row: int, register: str) -> None:
        left = self._left[pointer]
        for number in [number for number in left if -self._reach <= number - row < self._reach]:
            del left[number]
            self._registers[RowAddress(pointer, number)] = register
