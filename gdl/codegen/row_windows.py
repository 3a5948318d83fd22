"""Short addresses of rows in straight-line code.

An instruction needs three bytes less for a row near the place that a register points to: with AVX-512, at most 128 rows
from it, and with AVX, 128 bytes. That matters where code is larger than the caches from which the processor executes
it: a Xeon (Sapphire Rapids) then gets some 13 bytes of it per cycle, fewer than it could execute
(`docs/benchmarks/straight_line.py`). On processors by Arm, an instruction reaches 4,096 rows from a register on, and
others need two more instructions. So spare registers point to the rows that are used most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

from gdl.codegen.interface import RowAddress

#: The number of units before and from the place that a register points to, with short addresses.
_REACH: Final = 128

#: A register points to rows if they are used at least this many times.
_WORTHWHILE: Final = 16


@final
@dataclass(frozen=True, slots=True)
class Addressing:
    """The ways in which a kind of processor addresses memory, by the conventions of Linux."""

    #: The registers of the pointers that functions take, in their order.
    pointers: tuple[str, ...]
    #: Registers that a function may change, and those that it must restore.
    free: tuple[str, ...]
    saved: tuple[str, ...]
    #: The bytes of a unit of short offsets, and whether there are offsets below zero.
    unit: int
    signed: bool

    def window(self, size: int) -> tuple[int, int]:
        """Return the numbers of rows with short addresses before a register's place, and from there on."""
        rows = max(1, _REACH * self.unit // size)
        return rows if self.signed else 0, rows

    def moved(self, register: str, base: str, offset: int) -> list[str]:
        """Return instructions after which a register points to an offset from where another one points to."""
        if not self.signed:
            return [*_constant(offset), f"add {register}, {base}, {_FAR}"]
        if register == base:
            return [f"addq ${offset}, %{base}"]
        return [f"leaq {offset}(%{base}), %{register}"]

    def filled(self, text: str, register: str, offset: int, *, near: bool) -> str:
        """Return an instruction with an address, after others that this needs."""
        if self.signed:
            return text.format(f"{offset}(%{register})")
        if near:
            return text.format(f"[{register}, #{offset}]")
        return "\n".join([*_constant(offset), text.format(f"[{register}, {_FAR}]")])


#: The register for far offsets on processors by Arm.
_FAR: Final = "x17"


def _constant(number: int) -> list[str]:
    first = f"movn {_FAR}, #{~number & 0xFFFF}" if number < 0 else f"movz {_FAR}, #{number & 0xFFFF}"
    return [first, f"movk {_FAR}, #{number >> 16 & 0xFFFF}, lsl #16"]


X86: Final = Addressing(
    pointers=("rdi", "rsi", "rdx", "rcx", "r8", "r9"),
    free=("rax", "r10", "r11", "r9", "r8", "rcx", "rdx", "rsi", "rdi"),
    saved=("rbx", "rbp", "r12", "r13", "r14", "r15"),
    unit=1,
    signed=True,
)
ARM: Final = Addressing(
    pointers=tuple(f"x{number}" for number in range(6)),
    free=tuple(f"x{number}" for number in range(16, -1, -1)),
    saved=(),
    unit=512,
    signed=False,
)


@final
class RowWindows:
    """The registers of a function that point to rows, each with the rows around it."""

    def __init__(
        self, uses: Mapping[RowAddress, int], pointers: Sequence[str], size: int, addressing: Addressing
    ) -> None:
        """Choose rows, of `size` bytes, to point to; `uses` counts how often each one is used."""
        self._size = size
        self._addressing = addressing
        self._before, self._after = addressing.window(size)
        #: What a function does first and last.
        self.before: list[str] = []
        self.after: list[str] = []
        self._pointers = dict(zip(pointers, addressing.pointers, strict=False))
        self._left = {
            pointer: Counter({place.number: count for place, count in uses.items() if place.pointer == pointer})
            for pointer in {place.pointer for place in uses}
        }
        #: The register for each row with a short address, and the row that each register points to.
        self._registers: dict[RowAddress, str] = {}
        self._rows = {register: 0 for pointer, register in self._pointers.items() if pointer in self._left}
        self._choose()

    def filled(self, text: str, place: RowAddress) -> str:
        """Return an instruction with the address of a row in place of braces."""
        register = self._registers.get(place, self._pointers[place.pointer])
        offset = self._size * (place.number - self._rows[register])
        return self._addressing.filled(text, register, offset, near=place in self._registers)

    def _choose(self) -> None:
        own = {pointer: self._best(pointer) for pointer in sorted(self._left)}
        for pointer, (_, row) in own.items():
            register = self._pointers[pointer]
            self._rows[register] = row
            self._cover(pointer, row, register)
        free, saved = self._addressing.free, self._addressing.saved
        spare = [register for register in (*free, *saved) if register not in self._rows]
        best = {pointer: self._best(pointer) for pointer in own}
        for register in spare:
            if not best:
                break
            pointer = max(best, key=lambda each: best[each][0])
            count, row = best[pointer]
            if count < _WORTHWHILE:
                break
            if register in saved:
                self.before.insert(0, f"pushq %{register}")
                self.after.append(f"popq %{register}")
            self.before += self._addressing.moved(register, self._pointers[pointer], self._size * row)
            self._rows[register] = row
            self._cover(pointer, row, register)
            best[pointer] = self._best(pointer)
        # The others are computed from them, so that these change last.
        for pointer, (_, row) in own.items():
            if row:
                register = self._pointers[pointer]
                self.before += self._addressing.moved(register, register, self._size * row)

    def _best(self, pointer: str) -> tuple[int, int]:
        """Return the number of uses around the best row of those that have no short address yet, and that row."""
        left = self._left[pointer]
        numbers = sorted(left)
        best = sum(count for number, count in left.items() if number < self._after), 0
        count, end = 0, 0
        for number in numbers:
            while end < len(numbers) and numbers[end] < number + self._before + self._after:
                count += left[numbers[end]]
                end += 1
            if count > best[0]:
                best = count, number + self._before
            count -= left[number]
        return best

    def _cover(self, pointer: str, row: int, register: str) -> None:
        left = self._left[pointer]
        for number in [number for number in left if -self._before <= number - row < self._after]:
            del left[number]
            self._registers[RowAddress(pointer, number)] = register
