"""Compile netlists to LLVM assembly: functions of a few hundred operations, which pass rows through memory.

A single huge function would take long to compile, as LLVM's time grows faster than its input, and would run slower,
too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import final

from gdl.codegen.formulas import Formula, formulas
from gdl.codegen.interface import Interface, RowAddress, Target
from gdl.codegen.netlist import NOT, ONES, A, B, C, Netlist, NetLoop

#: A row that is in memory is loaded again if its last use was more than this many operations ago.
RELOAD = 16

#: The sizes of functions, for netlists of up to a number of operations: larger functions pass fewer rows between each
#: other, smaller ones take less time to compile.
_CHUNKS = ((4_000, 300), (12_000, 600))
_SMALL_CHUNK = 150


#: The pointers that functions take.
POINTERS = ("in", "out", "base")


def call(function: str, pointers: Sequence[str] = POINTERS) -> str:
    """Return the call of a function from one with the same pointers."""
    return f"  call void @{function}({', '.join(f'ptr %{pointer}' for pointer in pointers)})"


def chunk_size(netlist: Netlist) -> int:
    """Return the number of a netlist's operations per function."""
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
        self._chunks = list(_chunks(netlist, chunk or chunk_size(netlist)))
        self.slots, self.frame_rows = self._allocate()
        self.after = self._by_definition()
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

    def _by_definition(self) -> dict[int, list[str]]:
        """Return the actions on each signal right after its definition; the key -1 has the actions at the end.

        The latter concern inputs, and signals made in loops, which are not yet final when they are made.
        """
        after: dict[int, list[str]] = {}
        interface = self.interface

        def note(signal: int, kind: str, place: RowAddress) -> None:
            key = -1 if signal < self.netlist.inputs or self._is_looped(signal) else signal
            after.setdefault(key, []).append(f"{kind} {signal} {place.pointer} {place.number}")

        for signal, place in interface.stores:
            note(signal, "store", place)
        for signal, place in interface.counts:
            note(signal, "count", place)
        for signal, place in interface.collects:
            note(signal, "collect", place)
        return after

    def _bodies(self) -> None:
        netlist = self.netlist
        variables = {signal for loop in netlist.loops for signal in loop.variables}
        loops = {loop.start: loop for loop in netlist.loops}
        last = len(self._chunks) - 1
        number = 0
        while number <= last:
            start = self._chunks[number][0]
            loop = loops.get(start)
            end = loop.end if loop is not None else start + 1
            names: list[str] = []
            while number <= last and self._chunks[number][0] < end:
                names.append(f"{self.prefix}{number}")
                function = _Function(self, names[-1])
                function.operations(*self._chunks[number], variables)
                if number == last:
                    function.act_at_end()
                function.close(self.lines)
                number += 1
            if loop is not None:
                names = [_loop_function(self, f"{self.prefix}loop{number}", names, loop, self.lines)]
            self.functions += names


def _loop_function(emitter: Emitter, name: str, bodies: Sequence[str], loop: NetLoop, out: list[str]) -> str:
    """Emit a function that repeats others until the variables of a loop no longer change; return its name."""
    begin, end = _Function(emitter, name), _Function(emitter, name)
    kind, words = emitter.target.type, emitter.target.words
    for variable in loop.variables:
        begin.store(emitter.target.splat(0), begin.slot(variable))
    end.fresh = begin.fresh
    changed = emitter.target.splat(0)
    new = [end.value(update) for update in loop.updates]
    for variable, value in zip(loop.variables, new, strict=True):
        place = end.slot(variable)
        difference = end.emit(f"xor {kind} {end.load(place)}, {value}")
        changed = end.emit(f"or {kind} {changed}, {difference}")
        end.store(value, place)
    begin.lines.append("  br label %again")
    begin.lines.append("again:")
    begin.lines += [call(body, emitter.pointers) for body in bodies]
    end.lines.append(f"  %more = {any_bit(kind, words, changed, end)}")
    end.lines += ["  br i1 %more, label %again, label %done", "done:"]
    begin.lines += end.lines
    begin.close(out)
    return name


def any_bit(kind: str, words: int, value: str, function: _Function) -> str:
    """Return the instruction that tests if any bit of a vector is set."""
    if words == 1:
        return f"icmp ne i64 {value}, 0"
    bits = function.emit(f"icmp ne {kind} {value}, zeroinitializer")
    packed = function.emit(f"bitcast <{words} x i1> {bits} to i{words}")
    return f"icmp ne i{words} {packed}, 0"


@final
class _Function:
    """One function under construction."""

    def __init__(self, emitter: Emitter, name: str) -> None:
        self.emitter = emitter
        self.name = name
        self.target = emitter.target
        self.lines: list[str] = []
        self.values: dict[int, str] = {0: self.target.splat(0), ONES: self.target.splat(-1)}
        self.fresh = 0
        #: The number of operations so far, and its value at the last use of each signal.
        self.clock = 0
        self.used: dict[int, int] = {}
        self.generators: dict[int, tuple[str, str]] = {}

    def operations(self, start: int, end: int, variables: Collection[int]) -> None:
        """Emit the operations from `start` to `end`, except for the variables of loops, which are only read."""
        netlist = self.emitter.netlist
        tables, (first, second, third) = netlist.tables, netlist.args
        for number in range(start, end):
            signal = netlist.inputs + number
            if signal in variables:
                continue
            args = [self.value(first[number]), self.value(second[number]), self.value(third[number])]
            self.values[signal] = self.operation(tables[number], args, third[number] > ONES)
            self.clock += 1
            self.used[signal] = self.clock
            if signal in self.emitter.slots:
                self.store(self.values[signal], self.slot(signal))
            for action in self.emitter.after.get(signal, ()):
                self.act(action)

    def act_at_end(self) -> None:
        for action in self.emitter.after.get(-1, ()):
            self.act(action)

    def close(self, out: list[str]) -> None:
        """Append the function's text to `out`."""
        place = self.emitter.interface.generators
        for turn, (low, high) in self.generators.items():
            self.store(low, RowAddress(place.pointer, place.number + 2 * turn))
            self.store(high, RowAddress(place.pointer, place.number + 2 * turn + 1))
        pointers = ", ".join(f"ptr noalias %{pointer}" for pointer in self.emitter.pointers)
        out.append(f"define internal void @{self.name}({pointers}) #0 {{")
        out += self.lines
        out += ["  ret void", "}"]

    def name_(self) -> str:
        self.fresh += 1
        return f"%v{self.fresh}"

    def emit(self, text: str) -> str:
        name = self.name_()
        self.lines.append(f"  {name} = {text}")
        return name

    def address(self, place: RowAddress) -> str:
        offset = place.number * self.target.bits // 8
        return self.emit(f"getelementptr i8, ptr %{place.pointer}, i64 {offset}")

    def load(self, place: RowAddress) -> str:
        if place.pointer == "bit":
            word = self.load(RowAddress("in", place.number // 64))
            return self.emit(f"lshr i64 {word}, {place.number % 64}")
        return self.emit(f"load {self.target.type}, ptr {self.address(place)}, align {self.target.bits // 8}")

    def store(self, value: str, place: RowAddress) -> None:
        if place.pointer == "flag":
            byte = self.emit(f"trunc i64 {value} to i8")
            address = self.emit(f"getelementptr i8, ptr %out, i64 {place.number}")
            self.lines.append(f"  store i8 {byte}, ptr {address}")
            return
        address = self.address(place)
        self.lines.append(f"  store {self.target.type} {value}, ptr {address}, align {self.target.bits // 8}")

    def slot(self, signal: int) -> RowAddress:
        return RowAddress("base", self.emitter.interface.frame + self.emitter.slots[signal])

    def value(self, signal: int) -> str:
        """Return the name of a signal's value, which is loaded on first use, and again after some time.

        Otherwise, LLVM would run out of registers and write values to the stack that are in memory already.
        """
        known = self.values.get(signal)
        if known is not None and self.clock - self.used.get(signal, self.clock) > RELOAD and self.in_memory(signal):
            known = None
        self.used[signal] = self.clock
        if known is None:
            interface = self.emitter.interface
            if signal in interface.randoms:
                known = self.random(signal)
            elif signal < self.emitter.netlist.inputs:
                known = self.load(interface.inputs[signal])
            else:
                known = self.load(self.slot(signal))
            self.values[signal] = known
        return known

    def in_memory(self, signal: int) -> bool:
        """Return True if a signal's value can be loaded again."""
        return signal in self.emitter.interface.inputs or signal in self.emitter.slots

    def operation(self, table: int, args: Sequence[str], three: bool) -> str:
        kind = self.target.type
        if three and self.target.ternary:
            operands = ", ".join(f"{kind} {arg}" for arg in args)
            return self.emit(f"call {kind} @llvm.x86.avx512.pternlog.q.512({operands}, i32 {table})")
        return self.formula(formulas()[table], dict(zip((A, B, C), args, strict=True)))

    def formula(self, formula: Formula, args: Mapping[int, str]) -> str:
        if isinstance(formula, int):
            return args[formula] if formula in args else self.target.splat(-1 if formula == NOT else 0)
        name, left, right = formula
        return self.emit(f"{name} {self.target.type} {self.formula(left, args)}, {self.formula(right, args)}")

    def act(self, action: str) -> None:
        what, signal, pointer, number = action.split()
        value, place, kind = self.value(int(signal)), RowAddress(pointer, int(number)), self.target.type
        if what == "count":
            suffix = f"v{self.target.words}i64" if self.target.words > 1 else "i64"
            ones = self.emit(f"call {kind} @llvm.ctpop.{suffix}({kind} {value})")
            value = self.emit(f"add {kind} {self.load(place)}, {ones}")
        elif what == "collect":
            value = self.emit(f"or {kind} {self.load(place)}, {value}")
        self.store(value, place)

    def random(self, signal: int) -> str:
        """Return a row of random bits: sums of xoroshiro128+, one generator per 64-bit word; two take turns."""
        kind, splat = self.target.type, self.target.splat
        turn = signal & 1
        if turn not in self.generators:
            place = self.emitter.interface.generators
            rows = (RowAddress(place.pointer, place.number + 2 * turn + i) for i in range(2))
            self.generators[turn] = (self.load(next(rows)), self.load(next(rows)))
        low, high = self.generators[turn]
        total = self.emit(f"add {kind} {low}, {high}")
        mixed = self.emit(f"xor {kind} {low}, {high}")
        shifted = self.emit(f"shl {kind} {mixed}, {splat(16)}")
        turned = self.rotated(low, 24)
        one = self.emit(f"xor {kind} {turned}, {mixed}")
        new = self.emit(f"xor {kind} {one}, {shifted}")
        self.generators[turn] = new, self.rotated(mixed, 37)
        return total

    def rotated(self, value: str, by: int) -> str:
        kind = self.target.type
        suffix = f"v{self.target.words}i64" if self.target.words > 1 else "i64"
        return self.emit(
            f"call {kind} @llvm.fshl.{suffix}({kind} {value}, {kind} {value}, {kind} {self.target.splat(by)})"
        )


def _chunks(netlist: Netlist, size: int) -> Iterator[tuple[int, int]]:
    """Yield the operations in ranges of about the same length; loops begin and end at range boundaries."""
    cuts = sorted({0, len(netlist), *(cut for loop in netlist.loops for cut in (loop.start, loop.end))})
    for start, end in pairwise(cuts):
        parts = max(1, round((end - start) / size))
        bounds = [start + (end - start) * i // parts for i in range(parts + 1)]
        yield from pairwise(bounds)
    if len(cuts) == 1 or any(loop.end == len(netlist) for loop in netlist.loops):
        yield len(netlist), len(netlist)  # for the actions at the end
