"""Functions of a few signals with rows as coefficients, and the operations that compute them.

A function has a label for each combination of its signals: a constant, a coefficient, or nothing if the combination
never occurs.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import final

from gdl.codegen.netlist import CHOOSE, NOT, A, B, Netlist
from gdl.codegen.truth_tables import Table, operation_table

#: A coefficient: the number of a row, and True if it is negated. Constants are (None, value).
Label = tuple[int | None, bool]
Labels = tuple[Label | None, ...]


def labelled(on: Table, off: Table, rows: list[tuple[Table, Table]]) -> Label | None:
    """Return the coefficient with given values where they matter; it may be added to the rows."""
    if not on:
        return None if not off else (None, False)
    if not off:
        return None, True
    for number, (value, matters) in enumerate(rows):
        for negated in (False, True):
            ones, zeros = (off, on) if negated else (on, off)
            if not ones & matters & ~value and not zeros & value:
                rows[number] = value | ones, matters | ones | zeros
                return number, negated
    rows.append((on, on | off))
    return len(rows) - 1, False


def _halves(labels: Labels, place: int, size: int) -> tuple[Labels, Labels]:
    """Return the labels where one of `size` signals is false, and those where it is true."""
    bit = size - 1 - place
    low = tuple(label for number, label in enumerate(labels) if not number >> bit & 1)
    return low, tuple(label for number, label in enumerate(labels) if number >> bit & 1)


def _reduced(labels: Labels, places: tuple[int, ...]) -> tuple[Labels, tuple[int, ...]]:
    """Return labels over only those signals that matter, and the places of these signals."""
    for index in range(len(places)):
        low, high = _halves(labels, index, len(places))
        if all(a is None or b is None or a == b for a, b in zip(low, high, strict=True)):
            merged = tuple(b if a is None else a for a, b in zip(low, high, strict=True))
            return _reduced(merged, places[:index] + places[index + 1 :])
    return labels, places


@final
class Shape:
    """A way to compute a function of some signals and coefficients: one operation, or two, or a choice."""

    def __init__(self, labels: Labels, places: Sequence[int]) -> None:
        """Find a cheap way for a function of up to three signals, which have these places among others."""
        self.labels, self.places = labels, places = _reduced(labels, tuple(places))
        self.coefficients = sorted({label[0] for label in labels if label is not None and label[0] is not None})
        self.branches: tuple[int, Shape, Shape] | None = None
        size = len(places)
        if len(self.coefficients) + size <= 3:
            # A constant, a row, a signal, or one operation.
            self.cost = 0 if size + len(self.coefficients) <= 1 and not self._is_negation() else 1
        elif self.masked() is not None:
            self.cost = 2
        else:
            best: tuple[int, int, Shape, Shape] | None = None
            for index in range(size):
                low, high = (Shape(half, places[:index] + places[index + 1 :]) for half in _halves(labels, index, size))
                cost = 1 + low.cost + high.cost
                if best is None or cost < best[0]:
                    best = cost, places[index], low, high
            assert best is not None  # there is a signal: coefficients without signals are one row at most
            self.cost, self.branches = best[0], best[1:]

    def _is_negation(self) -> bool:
        if self.places:
            return self.labels[0] == (None, True)
        return bool(self.coefficients) and self.labels[0] is not None and self.labels[0][1]

    def masked(self) -> tuple[bool, bool] | None:
        """Return the constant where the only coefficient does not matter, and True if it is negated elsewhere.

        None if the function has no such form.
        """
        constants = {label[1] for label in self.labels if label is not None and label[0] is None}
        signs = {label[1] for label in self.labels if label is not None and label[0] is not None}
        if len(self.coefficients) != 1 or len(constants) != 1 or len(signs) != 1:
            return None
        return constants.pop(), signs.pop()


def emitted(body: Netlist, shape: Shape, leaves: Sequence[int], rows: Sequence[int]) -> int:
    """Return the signal of a function in a body."""
    if shape.branches is not None:
        place, low, high = shape.branches
        zero, one = (emitted(body, half, leaves, rows) for half in (low, high))
        return body.operation(CHOOSE, leaves[place], one, zero)
    signals = [leaves[place] for place in shape.places]
    masked = shape.masked() if len(signals) + len(shape.coefficients) > 3 else None
    if masked is not None:
        constant, negated = masked
        chosen = operation_table([label is not None and label[0] is not None for label in shape.labels])
        where = body.operation(chosen, *signals)
        row = rows[shape.coefficients[0]]
        value = B ^ NOT if negated else B
        return body.operation((A & value) | ((A ^ NOT) & (NOT if constant else 0)), where, row)
    signals += [rows[number] for number in shape.coefficients]
    values = []
    for combination in product((False, True), repeat=len(signals)):
        number = sum(value << (len(shape.places) - 1 - i) for i, value in enumerate(combination[: len(shape.places)]))
        label = shape.labels[number]
        if label is None or label[0] is None:
            values.append(label is not None and label[1])
        else:
            values.append(combination[len(shape.places) + shape.coefficients.index(label[0])] != label[1])
    return body.operation(operation_table(values), *signals)
