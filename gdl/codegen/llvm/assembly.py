"""Compile netlists to assembly: functions of a few hundred operations, which pass rows through memory.

LLVM would take long for a single huge function, as its time grows faster than its input, and the code would be slower,
too. Only where registers are allocated by `gdl.codegen.straight_line` is there one function, apart from loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import final

from gdl.codegen.interface import Interface, RowAddress, Target
from gdl.codegen.llvm.function_bodies import Accesses, LLVMBody, RegisterBody
from gdl.codegen.netlist import A, B, Netlist, NetLoop

#: The sizes of functions, for netlists of up to a number of operations: larger functions pass fewer rows between each
#: other, smaller ones take less time to compile.
_CHUNKS = ((4_000, 300), (12_000, 600))
_SMALL_CHUNK = 150


#: The pointers that functions take.
POINTERS = ("in", "out", "base")


def call(function: str, pointers: Sequence[str] = POINTERS) -> str:
    """Return the call of a function from one with the same pointers."""
    return f"  call void @{function}({', '.join(f'ptr %{pointer}' for pointer in pointers)})"


def chunk_size(netlist: Netlist, target: Target) -> int:
    """Return the number of a netlist's operations per function."""
    if target.registers:
        return max(1, len(netlist))
    return next((size for most, size in _CHUNKS if len(netlist) <= most), _SMALL_CHUNK)


@final
class Emitter:
    """The assembly of one netlist: `functions` to call in order, each with the pointers in, out and base."""

    def __init__(
        self,
        netlist: Netlist,
        interface: Interface,
        target: Target,
        prefix: str,
        chunk: int | None = None,
        pointers: Sequence[str] = POINTERS,
    ) -> None:
        """Compile a netlist; the names of its functions begin with `prefix`, and each has about `chunk` operations."""
        self.pointers = pointers
        self.netlist = netlist
        self.interface = interface
        self.target = target
        self.prefix = prefix
        self.lines: list[str] = []
        self.functions: list[str] = []
        self._chunks = list(_chunks(netlist, chunk or chunk_size(netlist, target)))
        self._slots, self.frame_rows = self._allocate()
        self._bodies()

    def _uses(self) -> Iterator[tuple[int, int]]:
        """Yield signals with the last chunk that needs them; in a loop, everything is needed until its end."""
        netlist = self.netlist
        ends = list(range(len(self._chunks)))
        for loop in netlist.loops:
            members = [i for i, (start, _) in enumerate(self._chunks) if loop.start <= start < loop.end]
            for i in members:
                ends[i] = max(ends[i], members[-1])
            for signal in (*loop.updates, *loop.variables):
                yield signal, members[-1]
        for i, (start, end) in enumerate(self._chunks):
            for column in netlist.args:
                for signal in set(column[start:end]):
                    yield signal, ends[i] if self._home(signal) < i else i
        for signal in self._results():
            if self._is_looped(signal):
                yield signal, len(self._chunks) - 1

    def _results(self) -> list[int]:
        interface = self.interface
        return [signal for signal, _ in (*interface.stores, *interface.counts, *interface.collects)]

    def _is_looped(self, signal: int) -> bool:
        """Return True if a signal is made in a loop."""
        return any(loop.start <= signal - self.netlist.inputs < loop.end for loop in self.netlist.loops)

    def _home(self, signal: int) -> int:
        """Return the chunk that makes a signal; -1 for inputs."""
        number = signal - self.netlist.inputs
        if number < 0:
            return -1
        low, high = 0, len(self._chunks) - 1
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._chunks[middle][0] <= number else (low, middle - 1)
        return low

    def _allocate(self) -> tuple[dict[int, int], int]:
        """Return the rows for signals that are passed between chunks, and the number of rows."""
        last: dict[int, int] = {}
        for signal, chunk in self._uses():
            last[signal] = max(last.get(signal, -1), chunk)
        variables = {signal for loop in self.netlist.loops for signal in loop.variables}
        updates = {signal for loop in self.netlist.loops for signal in loop.updates}
        begins: dict[int, list[int]] = {}
        for signal, chunk in sorted(last.items()):
            home = self._home(signal)
            if home >= 0 and (chunk > home or signal in variables or signal in updates):
                begins.setdefault(home, []).append(signal)
        free: list[int] = []
        slots: dict[int, int] = {}
        ends: dict[int, list[int]] = {}
        rows = 0
        for chunk in range(len(self._chunks)):
            for signal in begins.get(chunk, ()):
                if not free:
                    free.append(rows)
                    rows += 1
                slots[signal] = free.pop()
                ends.setdefault(last[signal], []).append(slots[signal])
            free += ends.get(chunk, ())
        return slots, rows

    def _accesses(self) -> Accesses:
        """Return the rows that the functions read and write.

        Inputs are written at the end, and so are signals that are made in loops, as they are not yet final when they
        are made.
        """
        after: dict[int, list[tuple[str, int, RowAddress]]] = {}
        at_end: list[tuple[str, int, RowAddress]] = []
        interface = self.interface
        for kind, pairs in (("store", interface.stores), ("count", interface.counts), ("collect", interface.collects)):
            for signal, place in pairs:
                late = signal < self.netlist.inputs or self._is_looped(signal)
                (at_end if late else after.setdefault(signal, [])).append((kind, signal, place))
        return Accesses(self.netlist, interface, self._slots, after, at_end)

    def _bodies(self) -> None:
        netlist, accesses = self.netlist, self._accesses()
        variables = {signal for loop in netlist.loops for signal in loop.variables}
        loops = {loop.start: loop for loop in netlist.loops}
        last = len(self._chunks) - 1
        passed = self.frame_rows
        number = 0
        while number <= last:
            start = self._chunks[number][0]
            loop = loops.get(start)
            end = loop.end if loop is not None else start + 1
            names: list[str] = []
            while number <= last and self._chunks[number][0] < end:
                names.append(f"{self.prefix}{number}")
                body = self._body(names[-1], accesses, passed)
                body.operations(*self._chunks[number], variables)
                if number == last:
                    body.write_at_end()
                self.lines.append(body.close())
                if isinstance(body, RegisterBody):
                    self.frame_rows = max(self.frame_rows, passed + body.rows)
                number += 1
            if loop is not None:
                name = f"{self.prefix}loop{number}"
                self.lines.append(_loop_function(name, names, loop, accesses, self.target, self.pointers))
                names = [name]
            self.functions += names

    def _body(self, name: str, accesses: Accesses, passed: int) -> RegisterBody | LLVMBody:
        """Begin a function; the first rows of the frame are those that functions pass to each other."""
        if not self.target.registers:
            return LLVMBody(name, self.pointers, accesses, self.target)
        scratch = RowAddress("base", self.interface.frame + passed)
        return RegisterBody(name, self.pointers, accesses, scratch, self.target)


def _loop_function(
    name: str, bodies: Sequence[str], loop: NetLoop, accesses: Accesses, target: Target, pointers: Sequence[str]
) -> str:
    """Return a function that repeats others until the variables of a loop no longer change."""
    begin, end = LLVMBody(name, pointers, accesses, target), LLVMBody(name, pointers, accesses, target)
    for variable in loop.variables:
        begin.store(target.splat(0), accesses.slot(variable))
    end.fresh = begin.fresh
    changed = target.splat(0)
    new = [end.value(update) for update in loop.updates]
    for variable, value in zip(loop.variables, new, strict=True):
        place = accesses.slot(variable)
        changed = end.logic(A | B, changed, end.logic(A ^ B, end.load(place), value))
        end.store(value, place)
    begin.lines += ["  br label %again", "again:", *(call(body, pointers) for body in bodies)]
    end.lines.append(f"  %more = {end.any_bit(changed)}")
    end.lines += ["  br i1 %more, label %again, label %done", "done:"]
    begin.lines += end.lines
    return begin.close()


def _chunks(netlist: Netlist, size: int) -> Iterator[tuple[int, int]]:
    """Yield the operations in ranges of about the same length; loops begin and end at range boundaries."""
    cuts = sorted({0, len(netlist), *(cut for loop in netlist.loops for cut in (loop.start, loop.end))})
    for start, end in pairwise(cuts):
        parts = max(1, round((end - start) / size))
        bounds = [start + (end - start) * i // parts for i in range(parts + 1)]
        yield from pairwise(bounds)
    if len(cuts) == 1 or any(loop.end == len(netlist) for loop in netlist.loops):
        yield len(netlist), len(netlist)  # for the accesses at the end
