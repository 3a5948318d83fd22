"""Straight-line code on rows, as assembly whose registers are allocated here.

LLVM takes 50 to 100 microseconds per operation, and moves more rows between registers and memory than is needed. That
matters here: on recent processors of Intel, a row of 512 bits is not stored in the same cycle in which operations on
three rows begin, so that a store takes as long as two of them. Code without branches can do better, as it is known what
is needed next: the value whose next use is farthest away leaves its register (L. Belady, "A study of replacement
algorithms for a virtual-storage computer", IBM Systems Journal 5, 1966).

An `InstructionSet` describes a kind of processor: its registers, and whether it has functions of three values. Where it
has only some of two values, `gdl.codegen.two_inputs` makes these of the others.
"""

from __future__ import annotations

import struct
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, final

from gdl.codegen.instruction_order import orders
from gdl.codegen.interface import RowAddress, Target
from gdl.codegen.netlist import NOT, ONES, ZEROS, A, B, C, gathered, normal_form, spread
from gdl.codegen.row_windows import RowWindows
from gdl.codegen.two_inputs import two_inputs
from gdl.compile_budget import check_budget

#: The registers of the pointers that functions take, in their order, by the conventions of Linux.
_POINTERS: Final = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")

# Numbers that differ between instruction sets: that of AVX-512 comes first, then that of AVX.

#: The number of registers. Code needs four at least.
REGISTERS: Final = (32, 16)

#: A value in memory stays there if its next use is more than this many instructions away; and the same in longer code
#: (`_LONG`), which does not fit into the caches of all processors, so that the fewest are best.
_SOON: Final = (16, 16)
_SOON_LONG: Final = (16, 0)
_LONG: Final = 2_500

#: A value that is in memory, too, leaves its register unless another one is needed this many instructions later.
_SAVED: Final = (100, 100)

#: The cost of reading a row, in stores: on a Xeon (Sapphire Rapids), 480 operations on three rows of 512 bits take 240
#: cycles on registers, 315 if each reads a row, and 470 if every other one stores a row.
_READ: Final = (0.17, 0.17)

#: The next use of a value that is not needed again.
_NEVER: Final = 1 << 60

#: Truth tables are the numbers of most instructions. These are those of the others; stores have no result.
_ADD, _ONES, _SHIFT, _SHIFT_RIGHT, _ROTATE, _BYTES, _ADD_BYTES, _SUM_BYTES, _STORE = range(NOT + 1, NOT + 10)


@final
@dataclass(frozen=True, slots=True)
class InstructionSet:
    """The instructions on rows of a kind of processor, and how they are written."""

    #: Its place in the numbers above.
    number: int
    #: The bytes of a row, and of what a short offset in an address counts.
    size: int
    unit: int
    #: The name of registers, what follows the names of logical operations, and the instruction that moves a row.
    register: str
    suffix: str
    move: str
    #: True if it has any function of three values, rotations, and counts of ones.
    ternary: bool

    @property
    def pairs(self) -> dict[int, tuple[str, int | None]]:
        """Instructions on two values: the name, and the argument that may be in memory (None for either of them).

        Where there are no functions of three values, all functions are made of these.
        """
        end = self.suffix
        return {
            A & B: (f"vpand{end}", None),
            A | B: (f"vpor{end}", None),
            A ^ B: (f"vpxor{end}", None),
            (A ^ NOT) & B: (f"vpandn{end}", 1),
            A & (B ^ NOT): (f"vpandn{end}", 0),
            _ADD: ("vpaddq", None),
            _BYTES: ("vpshufb", 1),
            _ADD_BYTES: ("vpaddb", None),
            _SUM_BYTES: ("vpsadbw", None),
        }

    @property
    def constants(self) -> tuple[str, str]:
        """Instructions that make a row of zeros and a row of ones in the register that takes the place of braces."""
        if self.ternary:
            return "vpxord {0}, {0}, {0}", "vpternlogd $255, {0}, {0}, {0}"
        return "vpxor {0}, {0}, {0}", "vpcmpeqd {0}, {0}, {0}"


#: Registers of 512 bits, from Intel's Ice Lake and AMD's Zen 4 on.
AVX512: Final = InstructionSet(0, 64, 64, "%zmm", "q", "vmovdqa64", ternary=True)

#: Registers of 256 bits, since 2013; and of 128 bits, two years before.
AVX2: Final = InstructionSet(1, 32, 1, "%ymm", "", "vmovdqa", ternary=False)
AVX: Final = InstructionSet(1, 16, 1, "%xmm", "", "vmovdqa", ternary=False)


def instruction_set(target: Target) -> InstructionSet:
    """Return the instructions on the vectors of a target."""
    return {512: AVX512, 256: AVX2, 128: AVX}[target.bits]


#: Rows that code reads which has no instructions to count ones and to rotate, as bytes that are repeated: a mask, the
#: numbers of ones of sixteen numbers, and the bytes of words that are rotated by 24 bits.
_PATTERNS: Final = {
    "low bits": bytes([15] * 16),
    "ones": bytes(number.bit_count() for number in range(16)),
    "rotated by 24": bytes(word + (place - 3) % 8 for word in (0, 8) for place in range(8)),
}

#: The pointer of patterns.
_PATTERN: Final = "pattern"

#: In code that replaces a state in place, rows at one of these pointers are those at the other one.
_SAME: Final = {"next": "own"}

#: The number of an instruction, its arguments, and its result; for a store, the number of its place instead.
Instruction = tuple[int, tuple[int, ...], int]


@final
@dataclass(frozen=True, slots=True)
class Assembled:
    """A function as text, the number of rows of scratch space, and that of instructions but for moves of rows."""

    text: str
    rows: int
    operations: int


@final
class StraightLine:
    """A function under construction: instructions, each with a new value as its result.

    Values are numbers, of which ZEROS and ONES are constants. Instructions whose results nothing needs are left out.
    """

    def __init__(self, instruction_set: InstructionSet) -> None:
        """Begin a function without instructions."""
        self.instruction_set = instruction_set
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
        if self.instruction_set.ternary:
            return self._append(_ONES, (a,))
        # The ones of the low and the high half of each byte are looked up, and the bytes are added.
        mask, ones = self._pattern("low bits"), self._pattern("ones")
        halves = (self.logic(A & B, half, mask, ZEROS) for half in (a, self._append(_SHIFT_RIGHT, (a,), 4)))
        bytes_ = self._append(_ADD_BYTES, tuple([self._append(_BYTES, (ones, half)) for half in halves]))
        return self._append(_SUM_BYTES, (bytes_, ZEROS))

    def shifted(self, a: int, by: int) -> int:
        """Return the 64-bit words of a value, shifted to the left."""
        return self._append(_SHIFT, (a,), by)

    def rotated(self, a: int, by: int) -> int:
        """Return the 64-bit words of a value, rotated to the left."""
        if self.instruction_set.ternary:
            return self._append(_ROTATE, (a,), by)
        if by == 24:
            return self._append(_BYTES, (a, self._pattern("rotated by 24")))
        return self.logic(A | B, self.shifted(a, by), self._append(_SHIFT_RIGHT, (a,), 64 - by), ZEROS)

    def store(self, value: int, place: RowAddress) -> None:
        """Write a value to memory."""
        self.instructions.append((_STORE, (value,), len(self.places)))
        self.places.append(place)
        self._rows[place] = value

    def assembly(self, name: str, pointers: Sequence[str], scratch: RowAddress) -> Assembled:
        """Return a function in AT&T syntax, which uses rows from `scratch` on."""
        used = self.instruction_set
        needed = _needed(self.instructions, self.values)
        if not used.ternary:
            needed, self.values = two_inputs(needed, self.values)
            needed = _needed(needed, self.values)
        reads = [
            (tuple(dict.fromkeys(arguments)), None if kind == _STORE else result) for kind, arguments, result in needed
        ]
        best = _Allocation(self, needed, scratch)
        for order in orders(reads):
            best = min(best, _Allocation(self, [needed[number] for number in order], scratch), key=_Allocation.cost)
        counts = Counter(place for _, place in best.lines if place is not None)
        patterns = [place for place in counts if place.pointer == _PATTERN]
        addresses = {place: f".L{name}.{place.number}(%rip)" for place in patterns}
        for place in patterns:
            del counts[place]
        windows = RowWindows(counts, dict(zip(pointers, _POINTERS, strict=False)), used.size, used.unit)
        addresses |= {place: windows.address(place) for place in counts}
        lines = [text if place is None else text.format(addresses[place]) for text, place in best.lines]
        head = [*_rows_of(patterns, name, used.size), ".text", ".p2align 4", f".type {name},@function", f"{name}:"]
        # Other code may use registers of 128 bits, which is slow as long as their upper parts are not zero.
        text = "\n".join([*head, *windows.before, *lines, "vzeroupper", *windows.after, "ret", ""])
        return Assembled(text, best.rows, sum(kind != _STORE for kind, _, _ in needed))

    def _pattern(self, name: str) -> int:
        return self.row(RowAddress(_PATTERN, list(_PATTERNS).index(name)))

    def _append(self, number: int, arguments: tuple[int, ...], amount: int = 0) -> int:
        value = self._value()
        self.instructions.append((number, arguments, value))
        if amount:
            self.amounts[value] = amount
        return value

    def _value(self) -> int:
        self.values += 1
        return self.values - 1


def _needed(instructions: Sequence[Instruction], values: int) -> list[Instruction]:
    """Return instructions without those whose results nothing needs."""
    used = bytearray(values)
    needed = []
    for instruction in reversed(instructions):
        kind, arguments, result = instruction
        if kind == _STORE or used[result]:
            needed.append(instruction)
            for argument in arguments:
                used[argument] = True
    needed.reverse()
    return needed


def _rows_of(patterns: Iterable[RowAddress], name: str, size: int) -> Iterator[str]:
    """Yield the rows of patterns that a function reads."""
    for place in patterns:
        words = struct.unpack("<2Q", list(_PATTERNS.values())[place.number])
        yield from (".section .rodata", f".p2align {size.bit_length() - 1}", f".L{name}.{place.number}:")
        yield from [f".quad {words[0]}, {words[1]}"] * (size // 16)


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
        self._set = used = code.instruction_set
        self._soon = (_SOON if len(instructions) <= _LONG else _SOON_LONG)[used.number]
        self._saved, self._read = _SAVED[used.number], _READ[used.number]
        self._pairs, self._constants, self._name = used.pairs, used.constants, used.register
        #: The assembly, each line with the row whose address is to be filled in.
        self.lines: list[tuple[str, RowAddress | None]] = []
        self._stores = self._reads = 0
        #: The number of rows of scratch space, and those that are free.
        self.rows = 0
        self._free_rows: list[int] = []
        self._scratch = scratch
        #: Free registers, those that were freed last at the end. (An instruction on fewer than three values has to wait
        #: for what was in the register of its result before.)
        self._free = deque(range(REGISTERS[used.number]))
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
        return self._stores + self._read * self._reads

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
            elif kind in self._pairs:
                self._pair(*self._pairs[kind], arguments, result)
            else:
                name = {_ONES: "vpopcntq", _SHIFT: "vpsllq", _SHIFT_RIGHT: "vpsrlq", _ROTATE: "vprolq"}[kind]
                if result in code.amounts:
                    name += f" ${code.amounts[result]},"
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
        return value not in self._registers and value in self._homes and self._next(value) > self._now + self._soon

    def _line(self, text: str, place: RowAddress | None = None) -> None:
        """Emit an instruction; the address of a row takes the place of braces."""
        self.lines.append((text, place))

    def _logic(self, table: int, arguments: tuple[int, ...], result: int) -> None:
        if len(arguments) == 3:
            self._three(table, arguments, result)
        elif len(arguments) == 1:
            operand, place = self._operand(arguments[0])
            self._result(f"vpternlogq ${C ^ NOT}, {operand}, %zmm0,", result, place)
        elif table in self._pairs:
            self._pair(*self._pairs[table], arguments, result)
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
        self._result(f"{name} {operand}, {self._name}{other},", result, place)

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
        saved = [
            argument for argument in held if argument in self._homes and self._next(argument) > self._now + self._soon
        ]
        if saved:
            return max(saved, key=self._next)
        return next((argument for argument in held if argument not in self._homes), (*held, *arguments)[0])

    def _result(self, text: str, result: int, place: RowAddress | None) -> None:
        """Emit an instruction whose result goes to any register, perhaps that of an argument no longer needed."""
        for argument in self._arguments:
            if self._next(argument) == _NEVER and argument in self._registers:
                self._free.append(self._registers.pop(argument))
        register = self._registers[result] = self._free_register()
        self._line(f"{text} {self._name}{register}", place)

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
            return f"{self._name}{self._held(value)}", None
        self._reads += 1
        return "{}", self._homes[value]

    def _write(self, register: int, place: RowAddress) -> None:
        self._stores += 1
        self._line(f"{self._set.move} {self._name}{register}, {{}}", place)

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
            self._line(self._constants[0].format(f"{self._name}{register}"))
        elif value == ONES:
            self._line(self._constants[1].format(f"{self._name}{register}"))
        else:
            self._reads += 1
            self._line(f"{self._set.move} {{}}, {self._name}{register}", self._homes[value])

    def _free_register(self) -> int:
        """Return a free register; if there is none, the value that is needed last leaves its own."""
        if not self._free:
            homes, uses, arguments, saved = self._homes, self._uses, self._arguments, self._saved
            value = latest = -1
            for each in self._registers:
                if each not in arguments:
                    own = uses[each]
                    late = (own[-1] if own else _NEVER) + (saved if each in homes or each <= ONES else 0)
                    if late > latest:
                        value, latest = each, late
            register = self._registers.pop(value)
            if value not in homes and value > ONES:
                homes[value] = place = self._slot(value)
                self._write(register, place)
            return register
        return self._free.popleft()

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
