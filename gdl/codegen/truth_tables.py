"""Boolean functions of some inputs as truth tables, and the operations that compute them.

A table is a number: its bit `i` is the function's value where input `k` is bit `k` of `i`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import product

from gdl.codegen.netlist import CHOOSE, Netlist

Table = int


@cache
def pattern(place: int, inputs: int) -> Table:
    """Return the table of one of several inputs."""
    block = ((1 << (1 << place)) - 1) << (1 << place)
    table = 0
    for start in range(0, 1 << inputs, 2 << place):
        table |= block << start
    return table


def either(table: Table, place: int, inputs: int) -> Table:
    """Return the table that holds where a table does for some value of one of its inputs."""
    mask, shift = pattern(place, inputs), 1 << place
    return table | (table & mask) >> shift | (table << shift) & mask


def applied(operation: int, one: Table, two: Table, three: Table, full: Table) -> Table:
    """Return the table of a three-input operation on tables."""
    result = 0
    for row in range(8):
        if operation >> row & 1:
            product_ = one if row & 4 else full ^ one
            product_ &= two if row & 2 else full ^ two
            result |= product_ & (three if row & 1 else full ^ three)
    return result


#: A function of some inputs, by place: its values, where they matter, and the places that matter.
_Partial = tuple[Table, Table, tuple[int, ...]]


def _narrowed(value: Table, matters: Table, places: Iterable[int], inputs: int) -> _Partial:
    """Return a function without the inputs on which it need not depend."""
    left = []
    for place in places:
        mask, shift = pattern(place, inputs), 1 << place
        ones, zeros = value & matters, ~value & matters
        low_on, high_on = ones & ~mask, (ones & mask) >> shift
        low_off, high_off = zeros & ~mask, (zeros & mask) >> shift
        if low_on & high_off or low_off & high_on:
            left.append(place)
            continue
        on, off = low_on | high_on, low_off | high_off
        value, matters = on | on << shift, (on | off) | (on | off) << shift
    return value, matters, tuple(left)


def synthesized(netlist: Netlist, value: Table, matters: Table, signals: Mapping[int, int], inputs: int) -> int:
    """Return the signal of a function that is given as a table of its values, and one of where they matter.

    `signals` are those of its inputs, by their places among `inputs` inputs.
    """
    value, matters, places = _narrowed(value, matters, signals, inputs)
    if len(places) <= 3:
        ones = value & matters
        for place in range(inputs):
            if place not in places:
                ones = either(ones, place, inputs)
        rows = (
            sum(1 << place for place, one in zip(places, values, strict=True) if one)
            for values in product((False, True), repeat=len(places))
        )
        return netlist.operation(
            operation_table([bool(ones >> row & 1) for row in rows]), *(signals[p] for p in places)
        )

    def halves(place: int) -> tuple[_Partial, _Partial]:
        mask = pattern(place, inputs)
        rest = tuple(other for other in places if other != place)
        return _narrowed(value, matters & ~mask, rest, inputs), _narrowed(value, matters & mask, rest, inputs)

    # Choose by the input that leaves the fewest inputs to both halves.
    chosen = min(places, key=lambda place: sum(len(left) for _, _, left in halves(place)))
    low, high = (
        synthesized(netlist, part, where, {place: signals[place] for place in left}, inputs)
        for part, where, left in halves(chosen)
    )
    return netlist.operation(CHOOSE, signals[chosen], high, low)


def operation_table(values: Sequence[bool]) -> int:
    """Return the table of an operation with given values for each combination of its first arguments."""
    repeated = 8 // len(values)
    return sum(1 << row for row in range(8) if values[row // repeated])
