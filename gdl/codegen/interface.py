"""Where code finds its rows and leaves its results, and what kind of vectors it computes with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class RowAddress:
    """A row in memory: the pointer that it is found from (`in`, `out` or `base`), and its number from there.

    Of single states, `bit` is a bit of the words at `in`, and `flag` a byte at `out`, whose lowest bit counts.
    """

    pointer: str
    number: int


@final
@dataclass(frozen=True, slots=True)
class Target:
    """Vectors of so many bits, and whether there is an instruction for any three-input function of them."""

    bits: int
    ternary: bool

    @property
    def words(self) -> int:
        """How many 64-bit words a vector has."""
        return self.bits // 64

    @property
    def type(self) -> str:
        return f"<{self.words} x i64>" if self.words > 1 else "i64"

    def splat(self, value: int) -> str:
        """A constant vector of equal words."""
        return f"<{', '.join([f'i64 {value}'] * self.words)}>" if self.words > 1 else str(value)


@final
@dataclass(frozen=True, slots=True)
class Interface:
    """Where a netlist finds its inputs and leaves its results.

    `randoms` are input signals that a generator of random bits fills: its state is at `generators`, four rows.
    `stores` write a signal; `counts` add the number of ones in each word of a signal; `collects` OR a signal.
    """

    inputs: Mapping[int, RowAddress]
    stores: Sequence[tuple[int, RowAddress]]
    counts: Sequence[tuple[int, RowAddress]] = ()
    collects: Sequence[tuple[int, RowAddress]] = ()
    randoms: frozenset[int] = frozenset()
    generators: RowAddress = RowAddress("base", 0)
    #: The first row, from `base`, that may be used for what functions hand on.
    frame: int = 0
