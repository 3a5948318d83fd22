"""The interface of generated code: the memory locations of inputs and results, and the vectors of the target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class RowAddress:
    """A row in memory: a base pointer (`in`, `out` or `base`), and the number of the row from there.

    For single states, `bit` is a bit of the words at `in`, and `flag` a byte at `out`, of which the lowest bit counts.
    """

    pointer: str
    number: int


@final
@dataclass(frozen=True, slots=True)
class Target:
    """Vectors of a processor.

    `ternary` tells if an instruction computes any three-input function. `registers` names the instructions of
    `gdl.codegen.straight_line` if it allocates registers rather than LLVM.
    """

    #: The size in bits.
    bits: int
    ternary: bool
    registers: str = ""

    @property
    def words(self) -> int:
        """The number of 64-bit words in a vector."""
        return self.bits // 64

    @property
    def type(self) -> str:
        """The LLVM type of a vector."""
        return f"<{self.words} x i64>" if self.words > 1 else "i64"

    def splat(self, value: int) -> str:
        """Return a constant vector with the value in every word."""
        return f"<{', '.join([f'i64 {value}'] * self.words)}>" if self.words > 1 else str(value)


@final
@dataclass(frozen=True, slots=True)
class Interface:
    """The locations of a netlist's inputs and results.

    `randoms` are input signals filled by a generator of random bits, with its state in four rows at `generators`.
    `stores` write a signal; `counts` add the number of ones in each word of a signal; `collects` OR a signal into
    a row.
    """

    inputs: Mapping[int, RowAddress]
    stores: Sequence[tuple[int, RowAddress]]
    counts: Sequence[tuple[int, RowAddress]] = ()
    collects: Sequence[tuple[int, RowAddress]] = ()
    randoms: frozenset[int] = frozenset()
    generators: RowAddress = RowAddress("base", 0)
    #: The first row, from `base`, of the space in which functions pass rows to each other.
    frame: int = 0
