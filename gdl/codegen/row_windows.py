"""Short addresses of rows in code for AVX-512.

An instruction needs three bytes less for a row that is at most 128 rows from where a register points to. That matters
where code is larger than the caches from which the processor executes it: a Xeon (Sapphire Rapids) then gets some 13
bytes of it per cycle, fewer than it could execute (`docs/benchmarks/straight_line.py`). So spare registers point
to the rows that are used most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final, final

from gdl.codegen.interface import RowAddress

#: The bytes of a row.
_SIZE: Final = 64

#: The numbers of rows before and from the one that a register points to, with short addresses.
_REACH: Final = 128

#: Registers that a function may change, by the conventions of Linux, and those that it must restore.
_FREE: Final = ("rax", "r10", "r11", "r9", "r8", "rcx", "rdx", "rsi", "rdi")
_SAVED: Final = ("rbx", "rbp", "r12", "r13", "r14", "r15")

#: A register points to rows if they are used at least this many times.
_WORTHWHILE: Final = 16


@final
class RowWindows:
    """The registers of a function that point to rows, each with the rows around it."""

    def __init__(self, uses: Mapping[RowAddress, int], pointers: Mapping[str, str]) -> None:
        """Choose rows to point to; `uses` counts how often each one is used, `pointers` has the registers' names."""
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
        return f"{_SIZE * (place.number - self._rows[register])}(%{register})"

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
            self.before.append(f"leaq {_SIZE * row}(%{self._pointers[pointer]}), %{register}")
            self._rows[register] = row
            self._cover(pointer, row, register)
            best[pointer] = self._best(pointer)
        # The others are computed from them, so that these change last.
        for pointer, (_, row) in own.items():
            if row:
                self.before.append(f"addq ${_SIZE * row}, %{self._pointers[pointer]}")

    def _best(self, pointer: str) -> tuple[int, int]:
        """Return the number of uses around the best row of those that have no short address yet, and that row."""
        left = self._left[pointer]
        numbers = sorted(left)
        best = sum(count for number, count in left.items() if number < _REACH), 0
        count, end = 0, 0
        for number in numbers:
            while end < len(numbers) and numbers[end] < number + 2 * _REACH:
                count += left[numbers[end]]
                end += 1
            if count > best[0]:
                best = count, number + _REACH
            count -= left[number]
        return best

    def _cover(self, pointer: str, row: int, register: str) -> None:
        left = self._left[pointer]
        for number in [number for number in left if -_REACH <= number - row < _REACH]:
            del left[number]
            self._registers[RowAddress(pointer, number)] = register
