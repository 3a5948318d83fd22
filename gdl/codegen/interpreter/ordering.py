"""The order of steps: equal operations in long stretches, so that the interpreter seldom jumps to another one.

Putting steps together takes them away from where their rows were used last; what is not in the processor's first cache
any more costs time, too. So there is a balance: steps are moved only so far, and the best of some distances is taken.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from gdl.codegen.interpreter.operations import CHAIN, TABLES, TWIN, TWINS, alike

#: Steps are moved forward by less than so many places.
WINDOWS: Final = (600, 1200, 2500, 12000)

#: After so many accesses to other rows, a row is not in the first cache any more.
_CACHED: Final = 1500

#: A jump to another operation takes as long as reading so many rows that are not in the first cache.
_JUMP: Final = 12

#: Gates so far apart are not joined: rows would have to be kept for too long.
_FAR: Final = 200


class Step(NamedTuple):
    """One operation: the signals that it reads, and those that it makes; rows of memory count as signals too."""

    operation: int
    reads: tuple[int, ...]
    makes: tuple[int, ...]


def ordered(gates: Sequence[Step], uses: Mapping[int, int], windows: Sequence[int] = WINDOWS) -> list[Step]:
    """Single gates, joined and in order. `uses` says how often signals are read or results, also elsewhere."""
    steps = joined(eager(gates), uses)
    readers, missing = _readers(steps)
    orders = [scheduled(steps, readers, missing, window) for window in windows]
    return min(orders, key=cost) if len(orders) > 1 else orders[0]


def _readers(steps: Sequence[Step]) -> tuple[list[list[int]], list[int]]:
    """For each step, the steps that read what it makes, and how many steps make what it reads."""
    makers = {signal: number for number, step in enumerate(steps) for signal in step.makes}
    readers: list[list[int]] = [[] for _ in steps]
    missing = [0] * len(steps)
    for number, step in enumerate(steps):
        for maker in {makers[signal] for signal in step.reads if signal in makers}:
            readers[maker].append(number)
            missing[number] += 1
    return readers, missing


def eager(steps: Sequence[Step]) -> list[Step]:
    """The steps, each that is the last to need a signal as soon as it can be done, while that is at hand."""
    readers, missing = _readers(steps)
    left: dict[int, int] = {}
    for step in steps:
        for signal in set(step.reads):
            left[signal] = left.get(signal, 0) + 1
    done = bytearray(len(steps))
    order: list[Step] = []
    for first in range(len(steps)):
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
    """The steps with pairs of gates made one where there is an operation for both."""
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
    """The steps with equal operations put together; none moves forward by a window or more."""
    missing = list(missing)
    ready: dict[int, deque[int]] = {}
    done = bytearray(len(steps))
    order: list[Step] = []
    first = seen = 0
    while len(order) < len(steps):
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
    """About how long steps take, beyond what they take in any order."""
    import numpy as np

    jumps = sum(left.operation != right.operation for left, right in pairwise(steps))
    signals = np.fromiter((signal for step in steps for signal in (*step.reads, *step.makes)), np.int64)
    order = np.argsort(signals, kind="stable")
    again = signals[order[1:]] == signals[order[:-1]]
    return _JUMP * jumps + int(np.count_nonzero(again & (np.diff(order) > _CACHED)))
