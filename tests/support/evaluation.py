"""The obvious evaluators of circuits and netlists: bit `i` of each integer is the value in case `i`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gdl.circuit.gates import Circuit
from gdl.codegen.netlist import Netlist


def all_cases(inputs: int) -> tuple[list[int], int]:
    """A column for each input, so that together they have every combination; and the column of ones."""
    cases = 1 << inputs
    columns = [sum(1 << case for case in range(cases) if case >> place & 1) for place in range(inputs)]
    return columns, (1 << cases) - 1


def values(circuit: Circuit, inputs: Mapping[int, int], full: int, literals: Iterable[int]) -> list[int]:
    """The values of some literals, by those of the input nodes."""
    loop_of = {node: loop for loop in circuit.loops for node in loop.variables}

    def value(literal: int, known: dict[int, int]) -> int:
        node = literal >> 1
        if node not in known:
            if node in loop_of:
                solve(node, known)
            else:
                result = full
                for other in circuit.fanins[node]:
                    result &= value(other, known)
                known[node] = result
        return known[node] ^ (full if literal & 1 else 0)

    def solve(node: int, known: dict[int, int]) -> None:
        loop = loop_of[node]
        found = [0] * len(loop.variables)
        while True:
            within = {**known, **dict(zip(loop.variables, found, strict=True))}
            updated = [value(literal, within) for literal in loop.updates]
            if updated == found:
                break
            assert all(old & ~new == 0 for old, new in zip(found, updated, strict=True)), "it is not monotone"
            found = updated
        known.update(zip(loop.variables, found, strict=True))

    known = {0: 0, **inputs}
    return [value(literal, known) for literal in literals]


def signals(netlist: Netlist, inputs: Sequence[int], full: int) -> list[int]:
    """The values of all signals, by those of the inputs."""
    found = [0, full, *inputs]
    assert len(found) == netlist.inputs
    found += [0] * len(netlist)
    loops = {loop.start: loop for loop in netlist.loops}
    number = 0
    while number < len(netlist):
        loop = loops.get(number)
        if loop is None:
            _operate(netlist, found, number, full)
            number += 1
            continue
        for variable in loop.variables:
            found[variable] = 0
        while True:
            for inner in range(loop.start, loop.end):
                if netlist.inputs + inner not in loop.variables:
                    _operate(netlist, found, inner, full)
            updated = [found[update] for update in loop.updates]
            if updated == [found[variable] for variable in loop.variables]:
                break
            for variable, new in zip(loop.variables, updated, strict=True):
                found[variable] = new
        number = loop.end
    return found


def _operate(netlist: Netlist, found: list[int], number: int, full: int) -> None:
    arguments = [column[number] for column in netlist.args]
    assert max(arguments) < netlist.inputs + number, "an operation comes before its arguments"
    found[netlist.inputs + number] = apply(netlist.tables[number], [found[signal] for signal in arguments], full)


def apply(table: int, arguments: Sequence[int], full: int) -> int:
    """A three-input function of columns, row by row of its table."""
    result = 0
    for row in range(8):
        if table >> row & 1:
            case = full
            for place, column in enumerate(arguments):
                case &= column if row & (4 >> place) else column ^ full
            result |= case
    return result
