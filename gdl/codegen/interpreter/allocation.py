"""Allocate rows for the signals of interpreted netlists.

A row is reused as soon as its signal is no longer needed, so that all rows stay in the processor's cache.
"""

from __future__ import annotations

from typing import final

from gdl.codegen.interface import RowAddress
from gdl.codegen.interpreter.operations import COUNT, REPEAT, SINGLE
from gdl.codegen.interpreter.ordering import Step
from gdl.codegen.interpreter.schedule import Sequenced
from gdl.codegen.netlist import A, B

#: An operation and the rows of its operands.
Line = tuple[int, list[int]]


@final
class Allocation:
    """Assigns a row to each signal, and adds the operations for results.

    With `feedback`, the rows of `out` become those of `in` in the next evaluation; otherwise each evaluation gets new
    inputs.
    """

    def __init__(self, sequence: Sequenced, feedback: bool) -> None:
        """Prepare the allocation for a sequence of steps."""
        self.sequence = sequence
        self.steps = sequence.steps
        self.feedback = feedback
        interface = sequence.interface
        self.end = len(self.steps)
        self.stores = [(sequence.original(signal), place) for signal, place in interface.stores]
        self.inputs = 1 + max((p.number for p in interface.inputs.values() if p.pointer == "in"), default=-1)
        self.outputs = 1 + max((p.number for _, p in self.stores if p.pointer == "out"), default=-1)
        self.first = interface.frame
        self.count = self.first + (max(self.inputs, self.outputs) if feedback else self.inputs)
        #: The first row that may be reused.
        self.reused = self.count if feedback else self.first
        self.row = {signal: self.placed(place) for signal, place in sequence.rows.items()}
        self.occupants: dict[int, list[int]] = {}
        for signal, row in self.row.items():
            self.occupants.setdefault(row, []).append(signal)
        self.free: list[int] = []
        self._lives()

    def placed(self, place: RowAddress) -> int:
        """Return the row of a place in memory."""
        return place.number if place.pointer == "base" else self.first + place.number

    def _lives(self) -> None:
        """Find the last step that needs each signal."""
        self.last: dict[int, int] = {}
        self.made: dict[int, int] = {}
        for number, step in enumerate(self.steps):
            for signal in step.makes:
                self.made.setdefault(signal, number)
            for signal in step.reads:
                self.last[signal] = number
        for end, begin in self.sequence.loops.items():
            for number in range(begin, end + 1):
                for signal in self.steps[number].reads:
                    if self.made.get(signal, -1) < begin:
                        self.last[signal] = max(self.last[signal], end)

    def lines(self) -> list[Line]:
        """Return all operations with their rows."""
        self._keep_results()
        return [self._line(number, step) for number, step in enumerate(self.steps)] + self._last_lines()

    def _keep_results(self) -> None:
        """Keep results until the end, except for those made directly in their final rows."""
        interface = self.sequence.interface
        self.direct: dict[int, int] = {}
        self.copies: list[tuple[int, int]] = []
        for signal, place in self.stores:
            row = self.placed(place)
            if place.pointer == "out" and not self.feedback:
                self.last[signal] = self.end
            elif signal in self.made and signal not in self.direct:
                self.direct[signal] = row
            else:
                self._copied_last(signal, row)
        for signal, _ in (*interface.counts, *interface.collects):
            self.last[self.sequence.original(signal)] = self.end
        self._want()

    def _want(self) -> None:
        """Let the inputs of the step that makes a result use the result's row, so that fewer rows are needed."""
        self.wanted: dict[int, int] = {}
        for number in reversed(range(len(self.steps))):
            step = self.steps[number]
            rows = {self.direct.get(signal, self.wanted.get(signal, -1)) for signal in step.makes} - {-1}
            if not rows or min(rows) < self.first:
                continue
            row = min(rows)
            for signal in step.reads:
                if self.last[signal] == number and signal in self.made:
                    self.wanted[signal] = row
                    break

    def _copied_last(self, signal: int, row: int) -> None:
        self.last[signal] = self.end
        self.copies.append((signal, row))

    def _line(self, number: int, step: Step) -> Line:
        """Return an operation with its rows, after allocating the rows of the signals that it makes."""
        rows = [self.row[signal] for signal in step.reads]
        for signal in dict.fromkeys(step.reads):
            self._release(number, signal)
        if step.operation == REPEAT:
            return REPEAT, rows
        for signal in step.makes:
            self.row[signal] = self._destination(number, signal)
        for signal in step.makes:
            self._release(number, signal)
        return step.operation, rows + [self.row[signal] for signal in step.makes]

    def _release(self, number: int, signal: int) -> None:
        """Free the row of a signal that no later step needs."""
        if self.last.get(signal, number) == number and self.row[signal] >= self.reused:
            self.free.append(self.row[signal])

    def _destination(self, number: int, signal: int) -> int:
        row = self.direct.get(signal)
        if row is not None:
            if self._is_vacant(row, number):
                return row
            self._copied_last(signal, row)
            return self._new_row()
        row = self.wanted.get(signal)
        return row if row is not None and self._is_vacant(row, number) else self._new_row()

    def _is_vacant(self, row: int, number: int) -> bool:
        """Return True if the initial contents of a row are no longer needed after a step."""
        return all(self.last.get(other, -1) <= number for other in self.occupants.get(row, ()))

    def _new_row(self) -> int:
        if self.free:
            return self.free.pop()
        self.count += 1
        return self.count - 1

    def _last_lines(self) -> list[Line]:
        """Return the operations for results: counts, collects, and copies to final rows."""
        interface, original, copy = self.sequence.interface, self.sequence.original, SINGLE[A]
        lines: list[Line] = [
            (COUNT, [self.row[original(signal)], self.placed(place)]) for signal, place in interface.counts
        ]
        for signal, place in interface.collects:
            lines.append((SINGLE[A | B], [self.placed(place), self.row[original(signal)], self.placed(place)]))
        moves = [(self.row[signal], row) for signal, row in self.copies if self.row[signal] != row]
        written = {row for _, row in moves}
        saved = {row: self._new_row() for row in dict.fromkeys(source for source, _ in moves) if row in written}
        lines += [(copy, [source, row]) for source, row in saved.items()]
        return lines + [(copy, [saved.get(source, source), row]) for source, row in moves]

    def input_rows(self) -> list[int]:
        """Return the rows of `in` before the first step."""
        return [self.first + number for number in range(self.inputs)]

    def output_rows(self) -> list[int]:
        """Return the rows of `out` after the last step."""
        rows = [self.first + number for number in range(self.outputs)]
        for signal, place in self.stores:
            if place.pointer == "out" and not self.feedback:
                rows[place.number] = self.row[signal]
        return rows
