"""Sequence netlists into steps in the order of interpretation: random rows, gates, loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import final

from gdl.codegen.interface import Interface, RowAddress
from gdl.codegen.interpreter.operations import RANDOM, REPEAT, SINGLE, canonical
from gdl.codegen.interpreter.ordering import Step, ordered
from gdl.codegen.netlist import NOT, ONES, ZEROS, A, Netlist


@final
class Sequenced:
    """The steps before results are stored, in order."""

    def __init__(self, netlist: Netlist, interface: Interface, windows: Sequence[int] = ()) -> None:
        """Sequence a netlist. Raises ValueError if the interpreter cannot handle it."""
        self.netlist = netlist
        self.interface = interface
        self.windows = windows
        self.steps: list[Step] = []
        #: The steps that end loops, each with the step that begins the loop.
        self.loops: dict[int, int] = {}
        #: The places of input rows in memory, by their signals.
        self.rows: dict[int, RowAddress] = dict(interface.inputs)
        self._fresh = netlist.signals
        self._variables = {signal for loop in netlist.loops for signal in loop.variables}
        self._copied: dict[int, int] = {ZEROS: ZEROS, ONES: ONES}
        self._find_copies()
        self._find_uses()
        self._make_randoms()
        self._make_constants()
        self._order()

    def signal(self) -> int:
        """Return a new signal."""
        self._fresh += 1
        return self._fresh - 1

    def row(self, place: RowAddress) -> int:
        """Return a new signal for a row of memory."""
        signal = self.signal()
        self.rows[signal] = place
        return signal

    def original(self, signal: int) -> int:
        """Return the signal that another one is a copy of, or the signal itself."""
        return self._copied.get(signal, signal)

    def _find_copies(self) -> None:
        netlist = self.netlist
        for signal, table in enumerate(netlist.tables, netlist.inputs):
            if table == A and signal not in self._variables:
                self._copied[signal] = self.original(netlist.args[0][signal - netlist.inputs])

    def _make_randoms(self) -> None:
        """Make all random rows first, in the order in which the netlist reads them; each is read only once."""
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
        generators = [
            [self.row(RowAddress(at.pointer, at.number + 2 * turn + i)) for i in range(2)] for turn in range(2)
        ]
        self.steps += [Step(RANDOM, tuple(generators[signal & 1]), (signal,)) for signal in readers]

    def _make_constants(self) -> None:
        """Make the rows of zeros and ones, if they are read."""
        self.steps += [Step(SINGLE[t], (), (s,)) for s, t in ((ZEROS, 0), (ONES, NOT)) if s in self.uses]

    def _order(self) -> None:
        at = 0
        for loop in sorted(self.netlist.loops, key=lambda loop: loop.start):
            if loop.start < at:
                raise ValueError("loops must not be nested")
            self._gates(at, loop.start)
            self.steps += [Step(SINGLE[0], (), (variable,)) for variable in loop.variables]
            begin = len(self.steps)
            self._gates(loop.start, loop.end)
            pairs: list[int] = []
            for variable, update in zip(loop.variables, map(self.original, loop.updates), strict=True):
                # Variables are updated one after another, so an update that is a variable itself is copied first.
                pairs += (variable, self.copy(update) if update in self._variables else update)
            self.loops[len(self.steps)] = begin
            self.steps.append(Step(REPEAT, tuple(pairs), ()))
            at = loop.end
        self._gates(at, len(self.netlist))

    def copy(self, signal: int) -> int:
        """Add a step that copies a signal, and return the copy."""
        self.steps.append(Step(SINGLE[A], (signal,), (self.signal(),)))
        return self.steps[-1].makes[0]

    def _find_uses(self) -> None:
        """Count how often each signal is read or is a result; signals without uses are not made."""
        netlist = self.netlist
        results = [signal for signal, _ in _actions(self.interface)]
        results += [update for loop in netlist.loops for update in loop.updates]
        self.uses = Counter(map(self.original, results))
        for number in reversed(range(len(netlist))):
            signal = netlist.inputs + number
            if signal in self.uses and signal not in self._copied:
                places = canonical(netlist.tables[number])[1]
                self.uses.update(self.original(netlist.args[place][number]) for place in places)

    def _gates(self, start: int, end: int) -> None:
        netlist = self.netlist
        gates: list[Step] = []
        for number in range(start, end):
            signal = netlist.inputs + number
            if signal in self.uses and signal not in self._variables and signal not in self._copied:
                table, order = canonical(netlist.tables[number])
                reads = tuple(self.original(netlist.args[place][number]) for place in order)
                gates.append(Step(SINGLE[table], reads, (signal,)))
        self.steps += ordered(gates, self.uses, self.windows)


def _actions(interface: Interface) -> list[tuple[int, RowAddress]]:
    return [*interface.stores, *interface.counts, *interface.collects]
