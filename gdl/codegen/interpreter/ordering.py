"""Order steps so that equal operations form long runs, and the interpreter seldom jumps to another operation.

Grouping steps takes them away from where their rows were used last, and rows that have left the processor's first-level
cache cost time, too. As a compromise, steps are moved by a limited distance, and the best of several limits is used.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from gdl.codegen.interpreter.operations import CHAIN, TABLES, TWIN, TWINS, alike
from gdl.compile_budget import check_budget

#: The limits for moving steps forward, in steps.
WINDOWS: Final = (600, 1200, 2500, 12000)

#: The number of accesses to other rows after which a row is assumed to have left the first-level cache.
_CACHED: Final = 1500

#: The cost of a jump to another operation, in reads of rows outside the first-level cache.
_JUMP: Final = 12

#: Gates further apart than this are not joined, as rows would have to be kept for too long.
_FAR: Final = 200


class Step(NamedTuple):
    """An operation, the signals that it reads, and those that it makes; rows of memory count as signals, too."""

    operation: int
    reads: tuple[int, ...]
    makes: tuple[int, ...]


def ordered(gates: Sequence[Step], uses: Mapping[int, int], windows: Sequence[int] = ()) -> list[Step]:
    """Join and order single gates. `uses` counts how often each signal is read or is a result, anywhere.

    The order is the best one by one of the limits `windows` for moving steps; by default, those of `WINDOWS`.
    """
    steps = joined(eager(gates), uses)
    readers, missing = _readers(steps)
    orders = [scheduled(steps, readers, missing, window) for window in windows or WINDOWS]
    return min(orders, key=cost) if len(orders) > 1 else orders[0]


def _readers(steps: Sequence[Step]) -> tuple[list[list[int]], list[int]]:
    """Return, for each step, the steps that read its signals, and the number of steps whose signals it reads."""
    makers = {signal: number for number, step in enumerate(steps) for signal in step.makes}
    readers: list[list[int]] = [[] for _ in steps]
    missing = [0] * len(steps)
    for number, step in enumerate(steps):
        for maker in {makers[signal] for signal in step.reads if signal in makers}:
            readers[maker].append(number)
            missing[number] += 1
    return readers, missing


def eager(steps: Sequence[Step]) -> list[Step]:
    """Return the steps reordered: the last step that needs a signal comes as soon as possible, while it is cached."""
    readers, missing = _readers(steps)
    left: dict[int, int] = {}
    for step in steps:
        for signal in set(step.reads):
            left[signal] = left.get(signal, 0) + 1
    done = bytearray(len(steps))
    order: list[Step] = []
    for first in range(len(steps)):
        check_budget()
        stack = [first]
        while stack:
            number = stack.pop()
            if done[number]:
                continue
            done[number] = True
            step = steps[number]
            order.append(step)
            for signal in set(step.reads):
                left[signal] -= 1
            for reader in reversed(readers[number]):
                missing[reader] -= 1
                if not missing[reader] and any(left[signal] == 1 for signal in steps[reader].reads):
                    stack.append(reader)
    return order


def joined(gates: Sequence[Step], uses: Mapping[int, int]) -> list[Step]:
    """Return the steps with pairs of gates replaced by single operations, where there is one for both."""
    steps: dict[int, Step] = dict(enumerate(gates))
    _join_twins(gates, steps)
    _join_chains(gates, steps, uses)
    return [steps[number] for number in sorted(steps)]


def _join_twins(gates: Sequence[Step], steps: dict[int, Step]) -> None:
    firsts = {first for first, _ in TWINS}
    known: dict[frozenset[int], list[int]] = {}
    for number, gate in enumerate(gates):
        if len(gate.reads) < 2:
            continue
        same = known.setdefault(frozenset(gate.reads), [])
        for other in same:
            if number - other > _FAR or len(steps[other].makes) > 1:
                continue
            for one, two in ((other, number), (number, other)):
                tables = (TABLES[gates[one].operation], TABLES[gates[two].operation])
                if tables[0] in firsts and tables in TWIN:
                    steps[other] = Step(TWIN[tables], gates[two].reads, gates[one].makes + gates[two].makes)
                    steps.pop(number)
                    break
            if number not in steps:
                break
        else:
            same.append(number)


def _join_chains(gates: Sequence[Step], steps: dict[int, Step], uses: Mapping[int, int]) -> None:
    makers = {gate.makes[0]: number for number, gate in enumerate(gates)}
    taken = {number for number in range(len(gates)) if number not in steps or steps[number] is not gates[number]}
    for number in reversed(range(len(gates))):
        if number in taken:
            continue
        gate = gates[number]
        for place, signal in enumerate(gate.reads):
            maker = makers.get(signal, -1)
            if uses.get(signal) != 1 or maker < 0 or maker in taken or number - maker > _FAR:
                continue
            inner = gates[maker]
            where = alike(TABLES[gate.operation], place)
            operation = CHAIN.get((TABLES[inner.operation], TABLES[gate.operation], where))
            if operation is not None:
                rest = list(gate.reads)
                rest[where], rest[place] = rest[place], rest[where]
                rest.pop(where)
                steps[number] = Step(operation, (*inner.reads, *rest), gate.makes)
                del steps[maker]
                taken |= {number, maker}
                break


def scheduled(
    steps: Sequence[Step], readers: Sequence[Collection[int]], missing: Sequence[int], window: int
) -> list[Step]:
    """Return the steps with equal operations grouped; each moves forward by less than the window."""
    missing = list(missing)
    ready: dict[int, deque[int]] = {}
    done = bytearray(len(steps))
    order: list[Step] = []
    first = seen = 0
    while len(order) < len(steps):
        check_budget()
        while done[first]:
            first += 1
        end = min(first + window, len(steps))
        for number in range(seen, end):
            if not missing[number]:
                ready.setdefault(steps[number].operation, deque()).append(number)
        seen = max(seen, end)
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


def cost(steps: Sequence[Step]) -> int:
    """Estimate the time that depends on the order of steps, in reads of rows outside the first-level cache."""
    import numpy as np

    jumps = sum(left.operation != right.operation for left, right in pairwise(steps))
    signals = np.fromiter((signal for step in steps for signal in (*step.reads, *step.makes)), np.int64)
    order = np.argsort(signals, kind="stable")
    again = signals[order[1:]] == signals[order[:-1]]
    return _JUMP * jumps + int(np.count_nonzero(again & (np.diff(order) > _CACHED)))
