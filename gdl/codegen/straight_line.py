"""Straight-line code on rows, as assembly whose registers are allocated here.

LLVM takes 50 to 100 microseconds per operation, and moves more rows between registers and memory than is needed. That
matters here: on recent processors of Intel, a row of 512 bits is not stored in the same cycle in which operations on
three rows begin, so that a store takes as long as two of them. Code without branches can do better, as it is known what
is needed next: the value whose next use is farthest away leaves its register (L. Belady, "A study of replacement
algorithms for a virtual-storage computer", IBM Systems Journal 5, 1966).

An `InstructionSet` describes a kind of processor: its registers, its instructions, and how they are written. Where not
every function of three values is an instruction, `gdl.codegen.two_inputs` makes the functions of those that are.
"""

from __future__ import annotations

import struct
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, final

from gdl.codegen.instruction_order import orders
from gdl.codegen.interface import RowAddress
from gdl.codegen.netlist import CHOOSE, NOT, ONES, ZEROS, A, B, C, gathered, normal_form, spread
from gdl.codegen.row_windows import ARM, X86, Addressing, RowWindows
from gdl.codegen.two_inputs import two_inputs
from gdl.compile_budget import check_budget

# Numbers that differ between instruction sets: that of AVX-512 and NEON comes first, then that of AVX.

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
    #: The bytes of a row.
    size: int
    addressing: Addressing
    #: Whether operands may be in memory, and what stands before the numbers of registers as operands.
    memory: bool
    register: str
    #: Instructions that move rows between registers and memory, and from one register to another. As in those below,
    #: numbers in braces stand for the operands, of which the result is the first one. It is a register's number.
    load: str
    store: str
    copy: str
    #: Instructions that make a row of zeros and a row of ones.
    zeros: str
    ones: str
    #: Instructions on one value, perhaps in several lines; {2} is the number of bits of shifts and rotations, and {3}
    #: what is left of 64.
    single: Mapping[int, str]
    #: Instructions on two values, and the argument that may be in memory (None for either of them). It is the last
    #: operand.
    pairs: Mapping[int, tuple[str, int | None]]
    #: Functions of three values, by their truth tables. The result replaces the first one; the third may be in memory.
    #: Where they are not all functions, those that are not here are made of these and those of two values.
    triples: Mapping[int, str]
    #: What functions do first and last.
    first: tuple[str, ...] = ()
    last: tuple[str, ...] = ()

    @property
    def ternary(self) -> bool:
        """True if any function of three values is an instruction."""
        return len(self.triples) > NOT


def _avx(size: int, register: str, *, wide: bool = False) -> InstructionSet:
    """Return the instructions of processors with AVX, in AT&T syntax; `wide` means AVX-512."""
    end, name, moved = ("q", "d", "64") if wide else ("", "", "")
    own = register + "{0}"
    one, two = " {1}, " + own, " {2}, {1}, " + own
    single = {_SHIFT: "vpsllq ${2}," + one, _SHIFT_RIGHT: "vpsrlq ${2}," + one}
    triples = {}
    if wide:
        single |= {_ONES: "vpopcntq" + one, _ROTATE: "vprolq ${2}," + one}
        single |= {A ^ NOT: f"vpternlogq ${C ^ NOT}, {{1}}, {register}0, {own}"}
        triples = {table: f"vpternlogq ${table}," + two for table in range(NOT + 1)}
    return InstructionSet(
        number=0 if wide else 1,
        size=size,
        addressing=replace(X86, unit=size if wide else 1),
        memory=True,
        register=register,
        load=f"vmovdqa{moved}" + one,
        store=f"vmovdqa{moved} {own}, {{1}}",
        copy=f"vmovdqa{moved}" + one,
        zeros=f"vpxor{name} {own}, {own}, {own}",
        ones=f"vpternlogd $255, {own}, {own}, {own}" if wide else f"vpcmpeqd {own}, {own}, {own}",
        single=single,
        pairs={
            A & B: (f"vpand{end}" + two, None),
            A | B: (f"vpor{end}" + two, None),
            A ^ B: (f"vpxor{end}" + two, None),
            (A ^ NOT) & B: (f"vpandn{end}" + two, 1),
            A & (B ^ NOT): (f"vpandn{end}" + two, 0),
            _ADD: ("vpaddq" + two, None),
            _BYTES: ("vpshufb" + two, 1),
            _ADD_BYTES: ("vpaddb" + two, None),
            _SUM_BYTES: ("vpsadbw" + two, None),
        },
        triples=triples,
        # Other code may use registers of 128 bits, which is slow as long as their upper parts are not zero.
        last=("vzeroupper",),
    )


def _neon() -> InstructionSet:
    """Return the instructions of all processors with 64 bits by Arm."""

    def logic(name: str, *operands: int) -> str:
        return f"{name} " + ", ".join(f"v{{{operand}}}.16b" for operand in operands)

    bic, orn = logic("bic", 0, 2, 1), logic("orn", 0, 2, 1)
    sums = "".join(f"\nuaddlp v{{0}}.{to}, v{{0}}.{given}" for given, to in (("16b", "8h"), ("8h", "4s"), ("4s", "2d")))
    kept = [f"d{number}, d{number + 1}, [sp" for number in range(8, 16, 2)]
    return InstructionSet(
        number=0,
        size=16,
        addressing=ARM,
        memory=False,
        register="",
        load="ldr q{0}, {1}",
        store="str q{0}, {1}",
        copy=logic("mov", 0, 1),
        zeros="movi v{0}.2d, #0",
        ones="movi v{0}.16b, #255",
        single={
            A ^ NOT: logic("mvn", 0, 1),
            _ONES: logic("cnt", 0, 1) + sums,
            _ROTATE: "shl v{0}.2d, v{1}.2d, #{2}\nsri v{0}.2d, v{1}.2d, #{3}",
            _SHIFT: "shl v{0}.2d, v{1}.2d, #{2}",
        },
        pairs={
            A & B: (logic("and", 0, 1, 2), None),
            A | B: (logic("orr", 0, 1, 2), None),
            A ^ B: (logic("eor", 0, 1, 2), None),
            (A ^ NOT) & B: (bic, 1),
            A & (B ^ NOT): (bic, 0),
            (A ^ NOT) | B: (orn, 1),
            A | (B ^ NOT): (orn, 0),
            _ADD: ("add v{0}.2d, v{1}.2d, v{2}.2d", None),
        },
        triples={
            CHOOSE: logic("bsl", 0, 1, 2),
            (A & B) | (C & (B ^ NOT)): logic("bif", 0, 2, 1),
            (C & B) | (A & (B ^ NOT)): logic("bit", 0, 2, 1),
        },
        # By the conventions of Linux, functions restore half of each of these registers.
        first=(f"stp {kept[0]}, #-64]!", *(f"stp {own}, #{16 * i}]" for i, own in enumerate(kept) if i)),
        last=(*(f"ldp {own}, #{16 * i}]" for i, own in enumerate(kept) if i), f"ldp {kept[0]}], #64"),
    )


#: Registers of 512 bits, from Intel's Ice Lake and AMD's Zen 4 on.
AVX512: Final = _avx(64, "%zmm", wide=True)

#: Registers of 256 bits, since 2013; and of 128 bits, two years before.
AVX2: Final = _avx(32, "%ymm")
AVX: Final = _avx(16, "%xmm")

#: Registers of 128 bits, of processors by Arm.
NEON: Final = _neon()

#: By the names in `Target.registers`.
INSTRUCTION_SETS: Final[Mapping[str, InstructionSet]] = {"avx512": AVX512, "avx2": AVX2, "avx": AVX, "neon": NEON}


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
        if _ONES in self.instruction_set.single:
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
        if _ROTATE in self.instruction_set.single:
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
        """Return a function, which uses rows from `scratch` on."""
        used = self.instruction_set
        needed = _needed(self.instructions, self.values)
        if not used.ternary:
            needed, self.values = two_inputs(needed, self.values, choices=CHOOSE in used.triples)
            needed = _needed(needed, self.values)
        reads = [
            (tuple(dict.fromkeys(arguments)), None if kind == _STORE else result) for kind, arguments, result in needed
        ]
        best = _Allocation(self, needed, scratch)
        for order in orders(reads):
            best = min(best, _Allocation(self, [needed[number] for number in order], scratch), key=_Allocation.cost)
        counts = Counter(place for _, place in best.lines if place is not None)
        patterns = [place for place in counts if place.pointer == _PATTERN]
        known = {place: f".L{name}.{place.number}(%rip)" for place in patterns}
        for place in patterns:
            del counts[place]
        windows = RowWindows(counts, pointers, used.size, used.addressing)
        lines = [
            text if place is None else windows.filled(text, place) if place in counts else text.format(known[place])
            for text, place in best.lines
        ]
        head = [*_rows_of(patterns, name, used.size), ".text", ".p2align 4", f".type {name},@function", f"{name}:"]
        text = "\n".join([*head, *used.first, *windows.before, *lines, *used.last, *windows.after, "ret", ""])
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
        soon = _SOON if len(instructions) <= _LONG else _SOON_LONG
        self._soon = soon[used.number] if used.memory else _NEVER
        self._saved, self._read = _SAVED[used.number], _READ[used.number]
        self._pairs, self._name = used.pairs, used.register
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
                self._single(kind, arguments[0], result, code.amounts.get(result, 0))
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
            self._single(table, arguments[0], result)
        elif table in self._pairs:
            self._pair(*self._pairs[table], arguments, result)
        else:
            memory = int(not self._is_far(arguments[0]))
            table = spread(table, (2, 1) if memory == 0 else (1, 2))
            self._pair(self._set.triples[table], memory, arguments, result)

    def _single(self, kind: int, argument: int, result: int, amount: int = 0) -> None:
        operand, place = self._operand(argument)
        self._result(self._set.single[kind], result, place, operand, amount, 64 - amount)

    def _pair(self, text: str, memory: int | None, arguments: tuple[int, ...], result: int) -> None:
        """Emit an instruction on two values; if `memory` is a number, it is that of the one that may be in memory."""
        if memory is None:
            memory = int(not self._is_far(arguments[0]))
        other = self._held(arguments[1 - memory])
        operand, place = self._operand(arguments[memory])
        self._result(text, result, place, f"{self._name}{other}", operand)

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
            self._line(self._set.copy.format(register, f"{self._name}{registers[target]}"))
        else:
            register = self._free_register()
            self._load(target, register)
        table = gathered(table, tuple(map(arguments.index, (target, second, third))))
        self._line(self._set.triples[table].format(register, f"{self._name}{other}", operand), place)
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

    def _result(self, text: str, result: int, place: RowAddress | None, *operands: str | int) -> None:
        """Emit an instruction whose result goes to any register, perhaps that of an argument no longer needed."""
        for argument in self._arguments if "\n" not in text else ():  # else the argument is needed after the first line
            if self._next(argument) == _NEVER and argument in self._registers:
                self._free.append(self._registers.pop(argument))
        register = self._registers[result] = self._free_register()
        self._line(text.format(register, *operands), place)

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
        self._line(self._set.store.format(register, "{}"), place)

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
            self._line(self._set.zeros.format(register))
        elif value == ONES:
            self._line(self._set.ones.format(register))
        else:
            self._reads += 1
            self._line(self._set.load.format(register, "{}"), self._homes[value])

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
