"""Netlists as steps in the order in which they are interpreted.

Gates are put in an order in which many with the same table follow each other, so that the interpreter seldom jumps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

from gdl.codegen.llvm import Interface, Place
from gdl.codegen.netlist import NOT, ONES, ZEROS, A, Netlist
from gdl.codegen.operations import OPERATIONS, RANDOM, REPEAT, canonical

#: Gates are moved forward by less than so many places.
WINDOW: Final = 1000


@final
@dataclass(frozen=True, slots=True)
class Step:
    """One operation: the signals it reads, and the one that it makes; rows of memory count as signals too."""

    operation: int
    reads: tuple[int, ...]
    makes: int


@final
class Sequenced:
    """What is done before results are stored, in order."""

    def __init__(self, netlist: Netlist, interface: Interface, window: int) -> None:
        self.netlist = netlist
        self.interface = interface
        self.window = window
        self.steps: list[Step] = []
        #: The steps where loops end, with the steps where they begin.
        self.loops: dict[int, int] = {}
        #: Rows of memory that are given, by their signals.
        self.rows: dict[int, Place] = dict(interface.inputs)
        self._fresh = netlist.signals
        self._variables = {signal for loop in netlist.loops for signal in loop.variables}
        self._copied: dict[int, int] = {ZEROS: ZEROS, ONES: ONES}
        self._find_copies()
        self._make_randoms()
        self._make_constants()
        self._order()

    def signal(self) -> int:
        self._fresh += 1
        return self._fresh - 1

    def row(self, place: Place) -> int:
        """A new signal for a row of memory."""
        signal = self.signal()
        self.rows[signal] = place
        return signal

    def original(self, signal: int) -> int:
        """The signal that another is a copy of."""
        return self._copied.get(signal, signal)

    def _find_copies(self) -> None:
        netlist = self.netlist
        for signal, table in enumerate(netlist.tables, netlist.inputs):
            if table == A and signal not in self._variables:
                self._copied[signal] = self.original(netlist.args[0][signal - netlist.inputs])

    def _make_randoms(self) -> None:
        """All random rows come first, in the order in which the netlist reads them; each is read only once."""
        netlist, interface = self.netlist, self.interface
        looped = {number for loop in netlist.loops for number in range(loop.start, loop.end)}
        readers: dict[int, int] = {}
        for number, arguments in enumerate(zip(*netlist.args, strict=True)):
            for signal in interface.randoms.intersection(arguments):
                if number in looped or readers.setdefault(signal, number) != number:
                    raise ValueError("a random row must be read by one operation only, outside of loops")
        if any(signal in interface.randoms for signal, _ in _actions(interface)):
            raise ValueError("a random row must be read by an operation")
        at = interface.generators
        generators = [[self.row(Place(at.pointer, at.number + 2 * turn + i)) for i in range(2)] for turn in range(2)]
        self.steps += [Step(RANDOM, tuple(generators[signal & 1]), signal) for signal in readers]

    def _make_constants(self) -> None:
        """Rows of zeros and ones, if they are results."""
        results = {signal for signal, _ in _actions(self.interface)}
        results.update(signal for loop in self.netlist.loops for signal in loop.updates)
        results = set(map(self.original, results))
        self.steps += [Step(OPERATIONS[t], (), s) for s, t in ((ZEROS, 0), (ONES, NOT)) if s in results]

    def _order(self) -> None:
        at = 0
        for loop in sorted(self.netlist.loops, key=lambda loop: loop.start):
            if loop.start < at:
                raise ValueError("loops must not be nested")
            self._gates(at, loop.start)
            self.steps += [Step(OPERATIONS[0], (), variable) for variable in loop.variables]
            begin = len(self.steps)
            self._gates(loop.start, loop.end)
            pairs: list[int] = []
            for variable, update in zip(loop.variables, map(self.original, loop.updates), strict=True):
                # Variables change one after another: what reads one must have done so before.
                pairs += (variable, self.copy(update) if update in self._variables else update)
            self.loops[len(self.steps)] = begin
            self.steps.append(Step(REPEAT, tuple(pairs), -1))
            at = loop.end
        self._gates(at, len(self.netlist))

    def copy(self, signal: int) -> int:
        self.steps.append(Step(OPERATIONS[A], (signal,), self.signal()))
        return self.steps[-1].makes

    def _gates(self, start: int, end: int) -> None:
        netlist = self.netlist
        gates: list[Step] = []
        for number in range(start, end):
            signal, table = netlist.inputs + number, netlist.tables[number]
            if signal not in self._variables and signal not in self._copied:
                table, order = canonical(table)
                reads = tuple(self.original(netlist.args[place][number]) for place in order)
                gates.append(Step(OPERATIONS[table], reads, signal))
        self.steps += scheduled(gates, self.window)


def _actions(interface: Interface) -> list[tuple[int, Place]]:
    return [*interface.stores, *interface.counts, *interface.collects]


def scheduled(steps: Sequence[Step], window: int) -> list[Step]:
    """The steps in another order, with long stretches of equal operations; none moves forward by a window or more."""
    makers = {step.makes: number for number, step in enumerate(steps)}
    readers: list[list[int]] = [[] for _ in steps]
    missing = [0] * len(steps)
    for number, step in enumerate(steps):
        for maker in {makers[signal] for signal in step.reads if signal in makers}:
            readers[maker].append(number)
            missing[number] += 1
    ready: dict[int, deque[int]] = {}
    done = bytearray(len(steps))
    order: list[Step] = []
    first = seen = 0
    while len(order) < len(steps):
        while first < len(steps) and done[first]:
            first += 1
        for number in range(seen, min(first + window, len(steps))):
            if not missing[number]:
                ready.setdefault(steps[number].operation, deque()).append(number)
        seen = max(seen, min(first + window, len(steps)))
        operation = max(ready, key=lambda operation: len(ready[operation]))
        group = ready.pop(operation)
        while group:
            number = group.popleft()
            done[number] = True
            order.append(steps[number])
            for reader in readers[number]:
                missing[reader] -= 1
                if not missing[reader] and reader < seen:
                    other = steps[reader].operation
                    (group if other == operation else ready.setdefault(other, deque())).append(reader)
    return order
