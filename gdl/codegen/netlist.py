"""Straight-line programs of three-input functions over rows: the form between circuits and machine code.

A row holds one bit per lane. A signal is the number of a row: inputs come first, and each operation makes one more. An
operation has three signals and a truth table of 8 bits, read as by the instruction `vpternlog`: bit `4a + 2b + c`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, final

#: Signals of every netlist: a row of zeros and a row of ones.
ZEROS: Final = 0
ONES: Final = 1

#: The truth tables of the three arguments; others are made from them with `&`, `|`, `^` and `NOT`.
A: Final = 0xF0
B: Final = 0xCC
C: Final = 0xAA
NOT: Final = 0xFF

XOR3: Final = A ^ B ^ C
MAJORITY: Final = (A & B) | (A & C) | (B & C)
#: `a` chooses `b` (where it holds) or `c`.
CHOOSE: Final = (A & B) | ((A ^ NOT) & C)


@final
@dataclass(frozen=True, slots=True)
class NetLoop:
    """The operations from `start` to `end`, the first of which are the variables; repeated until nothing changes."""

    start: int
    end: int
    variables: tuple[int, ...]
    updates: tuple[int, ...]


class Netlist:
    """Operations under construction; equal ones are made only once."""

    def __init__(self, inputs: int) -> None:
        """Start without operations; `inputs` is the number of input rows besides zeros and ones."""
        self.inputs = 2 + inputs
        self.tables = bytearray()
        self.args: tuple[array[int], array[int], array[int]] = (array("i"), array("i"), array("i"))
        self._known: dict[tuple[int, int, int, int], int] = {}
        #: Ranges of operations that are repeated until their variables no longer change.
        self.loops: list[NetLoop] = []
        self._starts: list[int] = []

    def open_loop(self, variables: int) -> list[int]:
        """Begin a loop, and return the signals of its variables, which are false at first."""
        self._starts.append(len(self))
        first = self.signals
        self.tables += bytes(variables)
        for column in self.args:
            column.extend([ZEROS] * variables)
        return list(range(first, first + variables))

    def close_loop(self, variables: Sequence[int], updates: Sequence[int]) -> None:
        """End the innermost loop, which repeats all operations since its beginning and updates its variables."""
        self.loops.append(NetLoop(self._starts.pop(), len(self), tuple(variables), tuple(updates)))

    def __len__(self) -> int:
        """Return the number of operations."""
        return len(self.tables)

    @property
    def signals(self) -> int:
        """The number of signals."""
        return self.inputs + len(self.tables)

    def operation(self, table: int, a: int = ZEROS, b: int = ZEROS, c: int = ZEROS) -> int:
        """Return the signal of a three-input function, after bringing it to a normal form."""
        signals = [a, b, c]
        for place, signal in enumerate(signals):
            number = signal - self.inputs
            if number >= 0 and self.tables[number] == A ^ NOT:  # operations absorb the negation of their arguments
                signals[place] = self.args[0][number]
                table = flipped(table, place)
        support, table = normal_form((signals[0], signals[1], signals[2]), table)
        if not support:
            return ONES if table else ZEROS
        if len(support) == 1 and table == A:
            return support[0]
        a, b, c = (*support, ZEROS, ZEROS)[:3]
        key = (table, a, b, c)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._append(*key)
        return known

    def copy(self, a: int) -> int:
        """Return a new signal with the value of another one."""
        return self._append(A, a, ZEROS, ZEROS)

    def exact(self, table: int, a: int = ZEROS, b: int = ZEROS, c: int = ZEROS) -> int:
        """Return the signal of a new operation, without bringing it to a normal form."""
        return self._append(table, a, b, c)

    def _append(self, table: int, a: int, b: int, c: int) -> int:
        signal = self.signals
        self.tables.append(table)
        for column, argument in zip(self.args, (a, b, c), strict=True):
            column.append(argument)
        return signal

    def not_(self, a: int) -> int:
        """Return the signal of NOT a."""
        return self.operation(A ^ NOT, a)

    def and_(self, a: int, b: int) -> int:
        """Return the signal of a AND b."""
        return self.operation(A & B, a, b)

    def or_(self, a: int, b: int) -> int:
        """Return the signal of a OR b."""
        return self.operation(A | B, a, b)

    def any_of(self, signals: Sequence[int]) -> int:
        """Return the OR of some signals."""
        left = list(dict.fromkeys(signals))
        while len(left) > 1:
            left = [self.operation(A | B | C, *left[i : i + 3]) for i in range(0, len(left), 3)]
        return left[0] if left else ZEROS


_PLACES = (A, B, C)


def cofactor(table: int, place: int, value: int) -> int:
    """Return the table with its argument at a place fixed."""
    shift = 4 >> place
    chosen = table & _PLACES[place] if value else table & (_PLACES[place] ^ NOT)
    return chosen | (chosen >> shift if value else chosen << shift)


def flipped(table: int, place: int) -> int:
    """Return the table with its argument at a place negated."""
    shift = 4 >> place
    return (table & _PLACES[place]) >> shift | (table << shift) & _PLACES[place]


def normal_form(signals: tuple[int, int, int], table: int) -> tuple[tuple[int, ...], int]:
    """Return the signals that matter, sorted, and the table over them: over A for one signal, A and B for two."""
    # Constants stay what they are; of the others, only the order and equality matter.
    ranks = sorted({signal for signal in signals if signal > ONES})
    one, two, three = signals
    matter, found = _normal_places(
        one if one <= ONES else 2 + ranks.index(one),
        two if two <= ONES else 2 + ranks.index(two),
        three if three <= ONES else 2 + ranks.index(three),
        table,
    )
    return tuple([signals[place] for place in matter]), found


@cache
def _normal_places(one: int, two: int, three: int, table: int) -> tuple[tuple[int, ...], int]:
    """Return the places of the signals that matter, sorted by signal, and the table over them."""
    signals = (one, two, three)
    for place, signal in enumerate(signals):
        if signal <= ONES:
            table = cofactor(table, place, signal)
    for left, right in ((0, 1), (0, 2), (1, 2)):
        if signals[left] == signals[right]:
            high = cofactor(cofactor(table, left, 1), right, 1)
            low = cofactor(cofactor(table, left, 0), right, 0)
            table = (high & _PLACES[left]) | (low & (_PLACES[left] ^ NOT))
    matter = [place for place in range(3) if cofactor(table, place, 0) != cofactor(table, place, 1)]
    matter.sort(key=lambda place: signals[place])
    return tuple(matter), gathered(table, tuple(matter))


@cache
def gathered(table: int, places: tuple[int, ...]) -> int:
    """Return the table over other arguments: new argument `i` is old argument `places[i]`; the rest must not matter."""
    return _moved(table, lambda row: sum(4 >> old for new, old in enumerate(places) if row & (4 >> new)))


@cache
def spread(table: int, places: tuple[int, ...]) -> int:
    """Return the table over other arguments: old argument `i` becomes new argument `places[i]`."""
    return _moved(table, lambda row: sum(4 >> old for old, new in enumerate(places) if row & (4 >> new)))


def _moved(table: int, old_row: Callable[[int], int]) -> int:
    return sum(1 << row for row in range(8) if table >> old_row(row) & 1)
