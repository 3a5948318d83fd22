"""A set of packed states in flat arrays; this module loads Numba.

A state is a row of 64-bit words. The set has the rows in the order in which they were added, so that a row's index is
its number, and a hash table of numbers with open addressing. Rows are compared whole, so states are never confused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import numpy as np

from gdl.codegen.array_types import I32_1, U64_2
from gdl.codegen.compiled_functions import compiled
from gdl.simulator.hashing import hash_row, same_row

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[np.uint64]
    Numbers = NDArray[np.int32]

#: The places of the table at first, a power of two.
_FIRST: Final = 1 << 12

#: The table is doubled when more than this share of it is in use.
_FULL: Final = 0.6

#: Marks free places in the table.
NONE: Final = -1


@compiled
def _add(states: U64_2, count: int, table: I32_1, rows: U64_2, numbers: I32_1) -> int:
    """Append new rows to the states, write each row's number to `numbers`, and return the new number of states.

    There must be room for all rows.
    """
    mask = np.uint64(len(table) - 1)
    for i in range(len(rows)):
        at = hash_row(rows, i, rows.shape[1]) & mask
        while True:
            number = table[at]
            if number < 0:
                for word in range(rows.shape[1]):
                    states[count, word] = rows[i, word]
                table[at] = count
                numbers[i] = count
                count += 1
                break
            if same_row(states, number, rows, i, rows.shape[1]):
                numbers[i] = number
                break
            at = (at + np.uint64(1)) & mask
    return count


@compiled
def _rehash(states: U64_2, count: int, table: I32_1) -> None:
    """Fill an empty table with the numbers of the first `count` rows."""
    mask = np.uint64(len(table) - 1)
    for number in range(count):
        at = hash_row(states, number, states.shape[1]) & mask
        while table[at] >= 0:
            at = (at + np.uint64(1)) & mask
        table[at] = number


@final
class StateTable:
    """States, numbered in the order in which they are first added."""

    def __init__(self, words: int, capacity: int) -> None:
        """Start empty, with room for `capacity` states of `words` words; memory is taken up as it is used."""
        self._states = np.empty((capacity, words), np.uint64)
        self._table = np.full(_FIRST, NONE, np.int32)
        self._count = 0

    def __len__(self) -> int:
        """Return the number of states."""
        return self._count

    @property
    def capacity(self) -> int:
        """The maximum number of states."""
        return len(self._states)

    @property
    def states(self) -> Rows:
        """The states in the order of their numbers: (number of states, words)."""
        return self._states[: self._count]

    @property
    def bytes(self) -> int:
        """The memory in use, in bytes, including that for doubling the table."""
        return self._count * self._states.shape[1] * 8 + len(self._table) * 12

    def add(self, rows: Rows) -> Numbers:
        """Add states that are new, and return the numbers of all. Raises MemoryError if there is no room."""
        if self._count + len(rows) > self.capacity:
            raise MemoryError(f"more than {self.capacity:,} states")
        if self._count + len(rows) > _FULL * len(self._table):
            size = len(self._table)
            while self._count + len(rows) > _FULL * size:
                size *= 2
            self._table = np.full(size, NONE, np.int32)
            _rehash(self._states, self._count, self._table)
        numbers = np.empty(len(rows), np.int32)
        self._count = int(
            _add(self._states, self._count, self._table, np.require(rows, np.uint64, ["C", "W"]), numbers)
        )
        return numbers
