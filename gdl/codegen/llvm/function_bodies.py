"""The functions of a netlist: a range of its operations, with the rows that it reads and writes.

There are two kinds of them: LLVM assembly for any processor, and assembly for those that `gdl.codegen.straight_line`
knows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar, final

from gdl.codegen.formulas import Formula, formulas
from gdl.codegen.interface import Interface, RowAddress, Target
from gdl.codegen.netlist import NOT, ONES, XOR3, ZEROS, A, B, C, Netlist
from gdl.codegen.straight_line import INSTRUCTION_SETS, StraightLine

#: A row that is in memory is loaded again if its last use was more than this many operations ago.
_RELOAD: Final = 16

#: What stands for a value in code under construction.
V = TypeVar("V")


@final
@dataclass(frozen=True, slots=True)
class Accesses:
    """The rows in memory that the functions of a netlist read and write."""

    netlist: Netlist
    interface: Interface
    #: The rows, from `interface.frame` on, of signals that functions pass to each other.
    slots: Mapping[int, int]
    #: The writes that follow the computation of each signal: `store`, `count` or `collect`, the signal, and the place.
    after: Mapping[int, Sequence[tuple[str, int, RowAddress]]]
    #: The writes at the end of the last function.
    at_end: Sequence[tuple[str, int, RowAddress]]

    def slot(self, signal: int) -> RowAddress:
        """Return the row of a signal that is passed on."""
        return RowAddress("base", self.interface.frame + self.slots[signal])


class Body(ABC, Generic[V]):
    """A function under construction."""

    def __init__(self, name: str, pointers: Sequence[str], accesses: Accesses, constants: tuple[V, V]) -> None:
        """Begin a function; `constants` are the values of ZEROS and ONES."""
        self.name = name
        self.pointers = pointers
        self.accesses = accesses
        self._values: dict[int, V] = {ZEROS: constants[0], ONES: constants[1]}
        self._generators: dict[int, tuple[V, V]] = {}

    def operations(self, start: int, end: int, variables: Collection[int]) -> None:
        """Add the operations from `start` to `end`, except for the variables of loops, which are only read."""
        accesses = self.accesses
        netlist, slots, after = accesses.netlist, accesses.slots, accesses.after
        tables, (first, second, third) = netlist.tables, netlist.args
        for number in range(start, end):
            signal = netlist.inputs + number
            if signal in variables:
                continue
            args = self.value(first[number]), self.value(second[number]), self.value(third[number])
            value = self.operation(tables[number], args)
            self.note(signal, value)
            if signal in slots:
                self.store(value, accesses.slot(signal))
            for write in after.get(signal, ()):
                self._write(*write)

    def write_at_end(self) -> None:
        """Add the writes at the end of the last function."""
        for write in self.accesses.at_end:
            self._write(*write)

    def close(self) -> str:
        """End the function; return it as text of LLVM assembly."""
        place = self.accesses.interface.generators
        for turn, states in self._generators.items():
            for number, state in enumerate(states, place.number + 2 * turn):
                self.store(state, RowAddress(place.pointer, number))
        return self.text()

    def note(self, signal: int, value: V) -> None:
        """Note the value of a signal."""
        self._values[signal] = value

    def value(self, signal: int) -> V:
        """Return the value of a signal."""
        known = self._values.get(signal)
        if known is None:
            self._values[signal] = known = self._read(signal)
        return known

    def _read(self, signal: int) -> V:
        interface = self.accesses.interface
        if signal in interface.randoms:
            return self._random(signal)
        return self.load(
            interface.inputs[signal] if signal < self.accesses.netlist.inputs else self.accesses.slot(signal)
        )

    def _write(self, kind: str, signal: int, place: RowAddress) -> None:
        value = self.value(signal)
        if kind == "count":
            value = self.add(self.ones(value), self.load(place))
        elif kind == "collect":
            value = self.logic(A | B, value, self.load(place))
        self.store(value, place)

    def _random(self, signal: int) -> V:
        """Return a row of random bits: sums of xoroshiro128+, one generator per 64-bit word; two take turns."""
        turn = signal & 1
        if turn not in self._generators:
            place = self.accesses.interface.generators
            low, high = (self.load(RowAddress(place.pointer, place.number + 2 * turn + i)) for i in range(2))
            self._generators[turn] = low, high
        low, high = self._generators[turn]
        total = self.add(low, high)
        mixed = self.logic(A ^ B, low, high)
        new = self.logic(XOR3, self.rotated(low, 24), mixed, self.shifted(mixed, 16))
        self._generators[turn] = new, self.rotated(mixed, 37)
        return total

    def logic(self, table: int, a: V, b: V, c: V | None = None) -> V:
        """Add a function of two or three values."""
        return self.operation(table, (a, b, self._values[ZEROS] if c is None else c))

    @abstractmethod
    def text(self) -> str:
        """Return the function as text of LLVM assembly."""

    @abstractmethod
    def load(self, place: RowAddress) -> V:
        """Return the row at a place."""

    @abstractmethod
    def store(self, value: V, place: RowAddress) -> None:
        """Write a row to a place."""

    @abstractmethod
    def operation(self, table: int, args: tuple[V, V, V]) -> V:
        """Add a function of three values, the last of which are ZEROS if it has fewer."""

    @abstractmethod
    def add(self, a: V, b: V) -> V:
        """Add the sums of 64-bit words."""

    @abstractmethod
    def ones(self, a: V) -> V:
        """Add the numbers of ones in 64-bit words."""

    @abstractmethod
    def shifted(self, a: V, by: int) -> V:
        """Add a shift of 64-bit words to the left."""

    @abstractmethod
    def rotated(self, a: V, by: int) -> V:
        """Add a rotation of 64-bit words to the left."""


@final
class RegisterBody(Body[int]):
    """A function whose registers are allocated by `gdl.codegen.straight_line`."""

    def __init__(
        self, name: str, pointers: Sequence[str], accesses: Accesses, scratch: RowAddress, target: Target
    ) -> None:
        """Begin a function; what does not fit in registers is kept from `scratch` on."""
        super().__init__(name, pointers, accesses, (ZEROS, ONES))
        self._code = StraightLine(INSTRUCTION_SETS[target.registers])
        self._scratch = scratch
        # A result may replace an input that is read later; so all these inputs are known before.
        interface = accesses.interface
        replaced = {place for _, place in interface.stores}
        self._values |= {
            signal: self._code.row(place) for signal, place in interface.inputs.items() if place in replaced
        }
        #: The number of rows of scratch space, once the function has its text.
        self.rows = 0

    def text(self) -> str:
        """Return the function as a declaration, and assembly of the module."""
        made = self._code.assembly(self.name, self.pointers, self._scratch)
        self.rows = made.rows
        lines = made.text.replace("\n", "\\0A")
        types = ", ".join(["ptr"] * len(self.pointers))
        return f'declare void @{self.name}({types}) #0\nmodule asm "{lines}"'

    def load(self, place: RowAddress) -> int:
        """Return the row at a place."""
        return self._code.row(place)

    def store(self, value: int, place: RowAddress) -> None:
        """Write a row to a place."""
        self._code.store(value, place)

    def operation(self, table: int, args: tuple[int, int, int]) -> int:
        """Add a function of values."""
        return self._code.logic(table, *args)

    def add(self, a: int, b: int) -> int:
        """Add the sums of 64-bit words."""
        return self._code.add(a, b)

    def ones(self, a: int) -> int:
        """Add the numbers of ones in 64-bit words."""
        return self._code.ones(a)

    def shifted(self, a: int, by: int) -> int:
        """Add a shift of 64-bit words to the left."""
        return self._code.shifted(a, by)

    def rotated(self, a: int, by: int) -> int:
        """Add a rotation of 64-bit words to the left."""
        return self._code.rotated(a, by)


@final
class LLVMBody(Body[str]):
    """A function in LLVM assembly, whose registers are allocated by LLVM."""

    def __init__(self, name: str, pointers: Sequence[str], accesses: Accesses, target: Target) -> None:
        """Begin a function for rows as long as the vectors of a target."""
        super().__init__(name, pointers, accesses, (target.splat(0), target.splat(-1)))
        self.target = target
        self.lines: list[str] = []
        self.fresh = 0
        #: The number of operations so far, and its value at the last use of each signal.
        self._clock = 0
        self._used: dict[int, int] = {}
        self._suffix = f"v{target.words}i64" if target.words > 1 else "i64"

    def text(self) -> str:
        """Return the function."""
        pointers = ", ".join(f"ptr noalias %{pointer}" for pointer in self.pointers)
        return "\n".join([f"define internal void @{self.name}({pointers}) #0 {{", *self.lines, "  ret void", "}"])

    def note(self, signal: int, value: str) -> None:
        """Note the value of a signal."""
        self._clock += 1
        self._used[signal] = self._clock
        super().note(signal, value)

    def value(self, signal: int) -> str:
        """Return the name of a signal's value, which is loaded on first use, and again after some time.

        Otherwise, LLVM would run out of registers and write values to the stack that are in memory already.
        """
        if self._clock - self._used.get(signal, self._clock) > _RELOAD and self._is_in_memory(signal):
            self._values.pop(signal, None)
        self._used[signal] = self._clock
        return super().value(signal)

    def _is_in_memory(self, signal: int) -> bool:
        """Return True if a signal's value can be loaded again."""
        return signal in self.accesses.interface.inputs or signal in self.accesses.slots

    def emit(self, text: str) -> str:
        """Add an instruction, and return the name of its result."""
        self.fresh += 1
        name = f"%v{self.fresh}"
        self.lines.append(f"  {name} = {text}")
        return name

    def load(self, place: RowAddress) -> str:
        """Return the row at a place."""
        if place.pointer == "bit":
            word = self.load(RowAddress("in", place.number // 64))
            return self.emit(f"lshr i64 {word}, {place.number % 64}")
        return self.emit(f"load {self.target.type}, ptr {self._address(place)}, align {self.target.bits // 8}")

    def store(self, value: str, place: RowAddress) -> None:
        """Write a row to a place."""
        if place.pointer == "flag":
            byte = self.emit(f"trunc i64 {value} to i8")
            address = self.emit(f"getelementptr i8, ptr %out, i64 {place.number}")
            self.lines.append(f"  store i8 {byte}, ptr {address}")
            return
        address = self._address(place)
        self.lines.append(f"  store {self.target.type} {value}, ptr {address}, align {self.target.bits // 8}")

    def _address(self, place: RowAddress) -> str:
        return self.emit(f"getelementptr i8, ptr %{place.pointer}, i64 {place.number * self.target.bits // 8}")

    def operation(self, table: int, args: tuple[str, str, str]) -> str:
        """Add a function of values."""
        if self.target.ternary and args[2] != self._values[ZEROS]:
            kind = self.target.type
            operands = ", ".join(f"{kind} {arg}" for arg in args)
            return self.emit(f"call {kind} @llvm.x86.avx512.pternlog.q.512({operands}, i32 {table})")
        return self._formula(formulas()[table], dict(zip((A, B, C), args, strict=True)))

    def _formula(self, formula: Formula, args: Mapping[int, str]) -> str:
        if isinstance(formula, int):
            return args[formula] if formula in args else self.target.splat(-1 if formula == NOT else 0)
        name, left, right = formula
        return self._two(name, self._formula(left, args), self._formula(right, args))

    def _two(self, name: str, a: str, b: str) -> str:
        return self.emit(f"{name} {self.target.type} {a}, {b}")

    def add(self, a: str, b: str) -> str:
        """Add the sums of 64-bit words."""
        return self._two("add", a, b)

    def ones(self, a: str) -> str:
        """Add the numbers of ones in 64-bit words."""
        kind = self.target.type
        return self.emit(f"call {kind} @llvm.ctpop.{self._suffix}({kind} {a})")

    def shifted(self, a: str, by: int) -> str:
        """Add a shift of 64-bit words to the left."""
        return self._two("shl", a, self.target.splat(by))

    def rotated(self, a: str, by: int) -> str:
        """Add a rotation of 64-bit words to the left."""
        kind = self.target.type
        words = f"{kind} {a}, {kind} {a}, {kind} {self.target.splat(by)}"
        return self.emit(f"call {kind} @llvm.fshl.{self._suffix}({words})")

    def any_bit(self, value: str) -> str:
        """Return the instruction that tests if any bit of a row is set."""
        words = self.target.words
        if words == 1:
            return f"icmp ne i64 {value}, 0"
        bits = self.emit(f"icmp ne {self.target.type} {value}, zeroinitializer")
        packed = self.emit(f"bitcast <{words} x i1> {bits} to i{words}")
        return f"icmp ne i{words} {packed}, 0"
