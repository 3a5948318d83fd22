"""Straight-line code on rows of 512 bits, as assembly for processors with AVX-512.

LLVM takes 50 to 100 microseconds per operation, and moves more rows between registers and memory than is needed. That
matters here: on recent processors of Intel, a row of 512 bits is not stored in the same cycle in which operations on
three rows begin, so that a store takes as long as two of them. Code without branches can do better, as it is known what
is needed next: the value whose next use is farthest away leaves its register (L. Belady, "A study of replacement
algorithms for a virtual-storage computer", IBM Systems Journal 5, 1966).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from typing import Final, final

from gdl.codegen.instruction_order import orders
from gdl.codegen.interface import RowAddress
from gdl.codegen.netlist import NOT, ONES, ZEROS, A, B, C, gathered, normal_form, spread
from gdl.codegen.row_windows import RowWindows
from gdl.compile_budget import check_budget

#: The number of registers, zmm0 to zmm31. Code needs four at least.
REGISTERS: Final = 32

#: The registers of the pointers that functions take, in their order, by the conventions of Linux.
_POINTERS: Final = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")

#: A value in memory stays there if its next use is more than this many instructions away.
_SOON: Final = 16

#: A value that is in memory, too, leaves its register unless another one is needed this many instructions later.
_SAVED: Final = 100

#: The cost of reading a row, in stores: on the processors above, 480 operations take 240 cycles on registers, 315 if
#: each reads a row, and 470 if every other one stores a row.
_READ: Final = 0.17

#: The next use of a value that is not needed again.
_NEVER: Final = 1 << 60

#: Functions of two values for which there is an instruction: its name, and the argument that may be in memory (None for
#: either of them).
_PAIRS: Final[dict[int, tuple[str, int | None]]] = {
    A & B: ("vpandq", None),
    A | B: ("vporq", None),
    A ^ B: ("vpxorq", None),
    (A ^ NOT) & B: ("vpandnq", 1),
    A & (B ^ NOT): ("vpandnq", 0),
}

#: Truth tables are the numbers of most instructions. These are those of the others; stores have no result.
_ADD, _ONES, _SHIFT, _ROTATE, _STORE = range(NOT + 1, NOT + 6)

#: In code that replaces a state in place, rows at one of these pointers are those at the other one.
_SAME: Final = {"next": "own"}

#: The number of an instruction, its arguments, and its result; for a store, the number of its place instead.
Instruction = tuple[int, tuple[int, ...], int]


@final
class StraightLine:
    """A function under construction: instructions, each with a new value as its result.

    Values are numbers, of which ZEROS and ONES are constants. Instructions whose results nothing needs are left out.
    """

    def __init__(self) -> None:
        """Begin a function without instructions."""
        self.instructions: list[Instruction] = []
        #: The places of stores, and the numbers of bits by which values are shifted, by the result.
        self.places: list[RowAddress] = []
        self.amounts: dict[int, int] = {}
        #: The places of values that are in memory at first.
        self.homes: dict[int, RowAddress] = {}
        self.values = 2
        self._rows: dict[RowAddress, int] = {}

    def row(self, place: RowAddress) -> int:
        """Return the value that was last stored at a place in memory, or has been there from the beginning."""
        if place not in self._rows:
            self._rows[place] = value = self._value()
            self.homes[value] = place
        return self._rows[place]

    def logic(self, table: int, a: int, b: int, c: int) -> int:
        """Return a three-input function of values (see `gdl.codegen.netlist`)."""
        arguments, table = normal_form((a, b, c), table)
        if not arguments:
            return ONES if table else ZEROS
        return arguments[0] if len(arguments) == 1 and table == A else self._append(table, arguments)

    def add(self, a: int, b: int) -> int:
        """Return the sums of two values' 64-bit words."""
        return self._append(_ADD, (a, b))

    def ones(self, a: int) -> int:
        """Return the number of ones in each 64-bit word of a value."""
        return self._append(_ONES, (a,))

    def shifted(self, a: int, by: int) -> int:
        """Return the 64-bit words of a value, shifted to the left."""
        return self._append(_SHIFT, (a,), by)

    def rotated(self, a: int, by: int) -> int:
        """Return the 64-bit words of a value, rotated to the left."""
        return self._append(_ROTATE, (a,), by)

    def store(self, value: int, place: RowAddress) -> None:
        """Write a value to memory."""
        self.instructions.append((_STORE, (value,), len(self.places)))
        self.places.append(place)
        self._rows[place] = value

    def assembly(self, name: str, pointers: Sequence[str], scratch: RowAddress) -> tuple[str, int]:
        """Return a function in AT&T syntax, and the number of rows from `scratch` on that it uses."""
        needed = self._needed()
        places = dict(zip(pointers, _POINTERS, strict=False))
        reads = [
            (tuple(dict.fromkeys(arguments)), None if kind == _STORE else result) for kind, arguments, result in needed
        ]
        best = _Allocation(self, needed, scratch)
        for order in orders(reads):
            best = min(best, _Allocation(self, [needed[number] for number in order], scratch), key=_Allocation.cost)
        windows = RowWindows(Counter(place for _, place in best.lines if place is not None), places)
        lines = [text if place is None else text.format(windows.address(place)) for text, place in best.lines]
        head = (".text", ".p2align 4", f".type {name},@function", f"{name}:")
        # Other code may use registers of 128 bits, which is slow as long as their upper parts are not zero.
        return "\n".join([*head, *windows.before, *lines, "vzeroupper", *windows.after, "ret", ""]), best.rows

    def _needed(self) -> list[Instruction]:
        """Return the instructions without those whose results nothing needs."""
        used = bytearray(self.values)
        needed = []
        for instruction in reversed(self.instructions):
            kind, arguments, result = instruction
            if kind == _STORE or used[result]:
                needed.append(instruction)
                for argument in arguments:
                    used[argument] = True
        needed.reverse()
        return needed

    def _append(self, number: int, arguments: tuple[int, ...], amount: int = 0) -> int:
        value = self._value()
        self.instructions.append((number, arguments, value))
        if amount:
            self.amounts[value] = amount
        return value

    def _value(self) -> int:
        self.values += 1
        return self.values - 1


def _key(place: RowAddress) -> tuple[str, int]:
    return _SAME.get(place.pointer, place.pointer), place.number


@final
class _Allocation:
    """The instructions of a function, with registers and places in memory for its values."""

    def __init__(
        self,
        code: StraightLine,
        instructions: Sequence[Instruction],
        scratch: RowAddress,
    ) -> None:
        #: The assembly, each line with the row whose address is to be filled in.
        self.lines: list[tuple[str, RowAddress | None]] = []
        self._stores = self._reads = 0
        #: The number of rows of scratch space, and those that are free.
        self.rows = 0
        self._free_rows: list[int] = []
        self._scratch = scratch
        #: Free registers, those that were freed last at the end. (An instruction on fewer than three values has to wait
        #: for what was in the register of its result before.)
        self._free = deque(range(REGISTERS))
        self._registers: dict[int, int] = {}
        #: The places of values that are in memory, the numbers of those in scratch space, and the value whose home is
        #: at a place.
        self._homes = dict(code.homes)
        self._slots: dict[int, int] = {}
        self._owners = {_key(place): value for value, place in code.homes.items()}
        #: The numbers of the instructions that still need each value, the next one last.
        self._uses: list[list[int]] = [[] for _ in range(code.values)]
        #: The number of this instruction, and its arguments, which must not leave their registers.
        self._now = 0
        self._arguments: tuple[int, ...] = ()
        self._emit(code, instructions)

    def cost(self) -> float:
        """Return the estimated cost of access to memory, in stores."""
        return self._stores + _READ * self._reads

    def _emit(self, code: StraightLine, instructions: Sequence[Instruction]) -> None:
        uses = self._uses
        for number in range(len(instructions) - 1, -1, -1):
            for argument in instructions[number][1]:
                uses[argument].append(number)
        for number, (kind, arguments, result) in enumerate(instructions):
            check_budget()
            self._now, self._arguments = number, arguments
            for argument in arguments:
                uses[argument].pop()
            if kind == _STORE:
                self._store(arguments[0], code.places[result])
            elif kind <= NOT:
                self._logic(kind, arguments, result)
            elif kind == _ADD:
                self._pair("vpaddq", None, arguments, result)
            else:
                amount = code.amounts.get(result)
                name = {_ONES: "vpopcntq", _SHIFT: f"vpsllq ${amount},", _ROTATE: f"vprolq ${amount},"}[kind]
                operand, place = self._operand(arguments[0])
                self._result(f"{name} {operand},", result, place)
            for argument in arguments:
                if not uses[argument]:
                    self._drop(argument)

    def _next(self, value: int) -> int:
        uses = self._uses[value]
        return uses[-1] if uses else _NEVER

    def _is_far(self, value: int) -> bool:
        """Return True if a value is only in memory, and need not be in a register after this instruction."""
        return value not in self._registers and value in self._homes and self._next(value) > self._now + _SOON

    def _line(self, text: str, place: RowAddress | None = None) -> None:
        """Emit an instruction; the address of a row takes the place of braces."""
        self.lines.append((text, place))

    def _logic(self, table: int, arguments: tuple[int, ...], result: int) -> None:
        if len(arguments) == 3:
            self._three(table, arguments, result)
        elif len(arguments) == 1:
            operand, place = self._operand(arguments[0])
            self._result(f"vpternlogq ${C ^ NOT}, {operand}, %zmm0,", result, place)
        elif table in _PAIRS:
            self._pair(*_PAIRS[table], arguments, result)
        else:
            memory = int(not self._is_far(arguments[0]))
            table = spread(table, (2, 1) if memory == 0 else (1, 2))
            self._pair(f"vpternlogq ${table},", memory, arguments, result)

    def _pair(self, name: str, memory: int | None, arguments: tuple[int, ...], result: int) -> None:
        """Emit an instruction on two values; if `memory` is a number, it is that of the one that may be in memory."""
        if memory is None:
            memory = int(not self._is_far(arguments[0]))
        other = self._held(arguments[1 - memory])
        operand, place = self._operand(arguments[memory])
        self._result(f"{name} {operand}, %zmm{other},", result, place)

    def _three(self, table: int, arguments: tuple[int, ...], result: int) -> None:
        """Emit an instruction on three values, of which it replaces one by the result."""
        registers = self._registers
        target = self._replaced(arguments)
        second, third = (argument for argument in arguments if argument != target)
        if self._is_far(second):
            second, third = third, second
        other = self._held(second)
        operand, place = self._operand(third)
        if target in registers and (self._next(target) == _NEVER or target in self._homes):
            register = registers.pop(target)
        elif target in registers:
            register = self._free_register()
            self._line(f"vmovdqa64 %zmm{registers[target]}, %zmm{register}")
        else:
            register = self._free_register()
            self._load(target, register)
        table = gathered(table, tuple(map(arguments.index, (target, second, third))))
        self._line(f"vpternlogq ${table}, {operand}, %zmm{other}, %zmm{register}", place)
        registers[result] = register

    def _replaced(self, arguments: tuple[int, ...]) -> int:
        """Return the argument whose register the result may have, at the least cost."""
        for argument in arguments:
            if argument in self._registers and self._next(argument) == _NEVER:
                return argument
        for argument in arguments:
            if self._is_far(argument):
                return argument
        held = [argument for argument in arguments if argument in self._registers]
        # A value that stays in memory can be given up. Any other one has to be copied.
        saved = [argument for argument in held if argument in self._homes and self._next(argument) > self._now + _SOON]
        if saved:
            return max(saved, key=self._next)
        return next((argument for argument in held if argument not in self._homes), (*held, *arguments)[0])

    def _result(self, text: str, result: int, place: RowAddress | None) -> None:
        """Emit an instruction whose result goes to any register, perhaps that of an argument no longer needed."""
        for argument in self._arguments:
            if self._next(argument) == _NEVER and argument in self._registers:
                self._free.append(self._registers.pop(argument))
        register = self._registers[result] = self._free_register()
        self._line(f"{text} %zmm{register}", place)

    def _store(self, value: int, place: RowAddress) -> None:
        key = _key(place)
        owner = self._owners.get(key)
        if owner == value and self._homes.get(value) == place:
            return
        if owner is not None and owner != value and self._uses[owner] and owner not in self._slots:
            self._arguments = (value, owner)
            self._held(owner)
            self._homes.pop(owner, None)
        self._write(self._held(value), place)
        self._owners[key] = value
        if value not in self._homes and value > ONES:
            self._homes[value] = place

    def _operand(self, value: int) -> tuple[str, RowAddress | None]:
        """Return a value as an operand: braces for its place in memory, if it need not be in a register."""
        if not self._is_far(value):
            return f"%zmm{self._held(value)}", None
        self._reads += 1
        return "{}", self._homes[value]

    def _write(self, register: int, place: RowAddress) -> None:
        self._stores += 1
        self._line(f"vmovdqa64 %zmm{register}, {{}}", place)

    def _held(self, value: int) -> int:
        """Return the register of a value, which is loaded if it is in memory."""
        register = self._registers.get(value)
        if register is None:
            register = self._free_register()
            self._load(value, register)
            self._registers[value] = register
        return register

    def _load(self, value: int, register: int) -> None:
        if value == ZEROS:
            self._line(f"vpxord %zmm{register}, %zmm{register}, %zmm{register}")
        elif value == ONES:
            self._line(f"vpternlogd $255, %zmm{register}, %zmm{register}, %zmm{register}")
        else:
            self._reads += 1
            self._line(f"vmovdqa64 {{}}, %zmm{register}", self._homes[value])

    def _free_register(self) -> int:
        """Return a free register; if there is none, the value that is needed last leaves its own."""
        if not self._free:
            value = max((each for each in self._registers if each not in self._arguments), key=self._lateness)
            register = self._registers.pop(value)
            if value not in self._homes and value > ONES:
                self._homes[value] = place = self._slot(value)
                self._write(register, place)
            return register
        return self._free.popleft()

    def _lateness(self, value: int) -> int:
        return self._next(value) + (_SAVED if value in self._homes or value <= ONES else 0)

    def _slot(self, value: int) -> RowAddress:
        if not self._free_rows:
            self._free_rows.append(self.rows)
            self.rows += 1
        self._slots[value] = self._free_rows.pop()
        return RowAddress(self._scratch.pointer, self._scratch.number + self._slots[value])

    def _drop(self, value: int) -> None:
        """Free the register of a value, and its row in scratch space."""
        if value in self._registers:
            self._free.append(self._registers.pop(value))
        if value in self._slots:
            self._free_rows.append(self._slots.pop(value))
            del self._homes[value]
