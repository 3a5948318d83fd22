"""Netlists as programs for machines of which little is known: pieces of straight-line code on two values.

A piece is as long as a compiler of another language takes well. What one piece computes and others need is passed
through memory, in rows that are reused. So are the inputs and results of the whole program. Rows 0 and 1 hold zeros and
ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final, final

from gdl.codegen.netlist import NOT, ONES, ZEROS, A, Netlist, NetLoop, normal_form
from gdl.codegen.two_inputs import Instruction, two_inputs

#: The operations on three values of a piece: V8 takes a millisecond for so many, and GCC a tenth of a second.
_PIECE: Final = 1_500

#: The kind of an instruction that writes a value to the row that is its result.
STORE: Final = NOT + 1


@final
@dataclass(frozen=True, slots=True)
class Piece:
    """Straight-line code: `loads` are the rows of values that it reads, the instructions are as in `two_inputs`."""

    loads: Mapping[int, int]
    instructions: Sequence[Instruction]


@final
@dataclass(frozen=True, slots=True)
class Repeat:
    """A part that is repeated until no variable changes: each is replaced by its update; they are zero at first."""

    body: Sequence[Piece | Repeat]
    #: The rows of each variable and its update.
    variables: Sequence[tuple[int, int]]


@final
@dataclass(frozen=True, slots=True)
class Program:
    """Parts that are executed one after the other; `rows` is the first row after those that they use."""

    parts: Sequence[Piece | Repeat]
    rows: int

    @property
    def operations(self) -> int:
        """The number of instructions on two values."""
        return sum(map(_operations, self.parts))


def _operations(part: Piece | Repeat) -> int:
    if isinstance(part, Repeat):
        return sum(map(_operations, part.body))
    return sum(kind < STORE for kind, _, _ in part.instructions)


def program(netlist: Netlist, inputs: Sequence[int], outputs: Sequence[tuple[int, int]], free: int) -> Program:
    """Return a program for a netlist.

    `inputs` are the rows of its inputs, `outputs` its results and the rows to which they are written, which must not be
    those of inputs. Rows from `free` on are used for what pieces pass on.
    """
    return _Cut(netlist, inputs, outputs, free).program()


@final
class _Cut:
    """A netlist in ranges of operations of limited length. A new one also begins at the end of each loop."""

    def __init__(self, netlist: Netlist, inputs: Sequence[int], outputs: Sequence[tuple[int, int]], free: int) -> None:
        self.netlist = netlist
        self.outputs = outputs
        self.loops = {loop.start: loop for loop in sorted(netlist.loops, key=lambda loop: loop.end)}
        self.variables = {variable for loop in netlist.loops for variable in loop.variables}
        self.rows: dict[int, int] = {ZEROS: 0, ONES: 1, **{2 + i: row for i, row in enumerate(inputs)}}
        self.free = free
        marks = sorted({0, len(netlist), *(end for loop in netlist.loops for end in (loop.start, loop.end))})
        self.cuts = [
            cut for start, end in zip(marks, [*marks[1:], marks[-1]], strict=True) for cut in _steps(start, end)
        ]
        self.cuts.append(len(netlist))
        self._allocate()
        #: The rows to which each signal is written that is computed.
        self.written: dict[int, list[int]] = {}
        for signal, row in (*outputs, *self.rows.items()):
            if self._made(signal):
                self.written.setdefault(signal, []).append(row)

    def program(self) -> Program:
        parts = self._parts(0, len(self.netlist))
        last: list[Instruction] = [(STORE, (signal,), row) for signal, row in self.outputs if not self._made(signal)]
        if last:
            parts.append(self._piece(last))
        return Program(parts, self.free)

    def _made(self, signal: int) -> bool:
        """Return True if a signal is computed, rather than given, or a variable of a loop."""
        return signal >= self.netlist.inputs and signal not in self.variables

    def _allocate(self) -> None:
        """Give rows to the signals that other ranges need, to variables and to their updates."""
        netlist = self.netlist
        range_of = [0] * len(netlist)
        for number, (start, end) in enumerate(zip(self.cuts, self.cuts[1:], strict=False)):
            range_of[start:end] = [number] * (end - start)
        last: dict[int, int] = {}
        for number, where in enumerate(range_of):
            for column in netlist.args:
                signal = column[number]
                if self._made(signal) and range_of[signal - netlist.inputs] != where:
                    last[signal] = where
        kept = {*self.variables, *(update for loop in netlist.loops for update in loop.updates)}
        for signal in sorted(kept):
            if signal not in self.rows:
                self.rows[signal] = self.free
                self.free += 1
        # What is made in a loop, or before it, is needed again when it is repeated: then no row is reused.
        reused = not netlist.loops
        spare: list[int] = []
        leaving: list[tuple[int, int]] = []
        for signal in sorted(last):
            if signal in self.rows:
                continue
            made = range_of[signal - netlist.inputs]
            while reused and leaving and leaving[0][0] < made:
                heappush(spare, heappop(leaving)[1])
            if spare:
                row = heappop(spare)
            else:
                row, self.free = self.free, self.free + 1
            self.rows[signal] = row
            heappush(leaving, (last[signal], row))

    def _parts(self, start: int, end: int, inside: NetLoop | None = None) -> list[Piece | Repeat]:
        """Return the parts of a range of operations."""
        parts: list[Piece | Repeat] = []
        at = start
        while at < end:
            loop = self.loops.get(at)
            if loop is not None and loop is not inside:
                pairs = zip(loop.variables, loop.updates, strict=True)
                rows = [(self.rows[variable], self.rows[update]) for variable, update in pairs]
                parts.append(Repeat(self._parts(loop.start, loop.end, loop), rows))
                at = loop.end
                continue
            following = next(cut for cut in self.cuts if cut > at)
            piece = self._range(at, following)
            if piece.instructions:  # there may be nothing but variables
                parts.append(piece)
            at = following
        return parts

    def _range(self, start: int, end: int) -> Piece:
        netlist = self.netlist
        instructions: list[Instruction] = []
        for number in range(start, end):
            signal = netlist.inputs + number
            if signal in self.variables:
                continue
            arguments = (netlist.args[0][number], netlist.args[1][number], netlist.args[2][number])
            support, table = normal_form(arguments, netlist.tables[number])
            if not support:  # a constant, which is a copy of one
                table, support = A, (ONES if table else ZEROS,)
            instructions.append((table, support, signal))
            instructions += [(STORE, (signal,), row) for row in self.written.get(signal, ())]
        return self._piece(instructions)

    def _piece(self, instructions: list[Instruction]) -> Piece:
        made, _ = two_inputs(instructions, self.netlist.signals)
        needed: set[int] = set()
        kept: list[Instruction] = []
        for instruction in reversed(made):
            kind, arguments, result = instruction
            if kind == STORE or result in needed:
                needed.update(arguments)
                kept.append(instruction)
        kept.reverse()
        own = {result for kind, _, result in kept if kind != STORE}
        return Piece({value: self.rows[value] for value in sorted(needed - own)}, kept)


def _steps(start: int, end: int) -> range:
    """Return where pieces of a range begin, all of about the same length."""
    if start == end:
        return range(start, start)
    count = -(-(end - start) // _PIECE)
    return range(start, end, -(-(end - start) // count))
