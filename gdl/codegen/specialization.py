"""Partial evaluation of netlists: with some inputs known, or only some results needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from gdl.codegen.netlist import ONES, ZEROS, Netlist, cofactor


@final
class Part:
    """Some operations of a netlist as another netlist, with more inputs."""

    def __init__(self, old: Netlist, more: int) -> None:
        """Begin without operations; the new netlist has the inputs of the old one, and `more`."""
        self.old = old
        self.new = Netlist(old.inputs - 2 + more)
        self.signal = {signal: signal for signal in range(old.inputs)}

    def add(self, signal: int) -> None:
        """Add an operation; its arguments have been added before."""
        number = signal - self.old.inputs
        arguments = [self.signal[column[number]] for column in self.old.args]
        # Copies stay copies: each read of a random row makes a new one.
        self.signal[signal] = self.new.exact(self.old.tables[number], *arguments)


def specialized(netlist: Netlist, known: Mapping[int, bool], results: Sequence[int]) -> tuple[Netlist, list[int]]:
    """Return what is left of a netlist if some inputs are known and only some results are needed; and these results."""
    left = Netlist(netlist.inputs - 2)
    signals = {signal: signal for signal in range(netlist.inputs)}
    signals |= {signal: ONES if value else ZEROS for signal, value in known.items()}
    for number in range(len(netlist)):
        arguments = [signals[column[number]] for column in netlist.args]
        signals[netlist.inputs + number] = left.operation(netlist.tables[number], *arguments)
    return pruned(left, [signals[signal] for signal in results])


def pruned(netlist: Netlist, results: Sequence[int]) -> tuple[Netlist, list[int]]:
    """Return a netlist without the operations that no result needs."""
    needed = set(results)
    for number in reversed(range(len(netlist))):
        if netlist.inputs + number in needed:
            needed.update(column[number] for column in netlist.args)
    part = Part(netlist, 0)
    for signal in range(netlist.inputs, netlist.signals):
        if signal in needed:
            part.add(signal)
    return part.new, [part.signal[signal] for signal in results]


def constants(netlist: Netlist, inputs: Mapping[int, bool]) -> dict[int, bool]:
    """Return the signals that are constant if some inputs are, with their values."""
    known = {ZEROS: False, ONES: True, **inputs}
    for number, arguments in enumerate(zip(*netlist.args, strict=True)):
        table = netlist.tables[number]
        for place, signal in enumerate(arguments):
            if signal in known:
                table = cofactor(table, place, known[signal])
        if table in (0, 0xFF):
            known[netlist.inputs + number] = bool(table)
    return known
