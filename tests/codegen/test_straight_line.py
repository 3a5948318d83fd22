"""Registers for rows: whatever leaves them, the values are right. Instructions are executed here, on any processor."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.assembly import WORD, Row, executed, looked_up
from support.profiles import examples

from gdl.codegen import row_windows, straight_line
from gdl.codegen.instruction_order import orders
from gdl.codegen.interface import RowAddress
from gdl.codegen.netlist import NOT, ONES, ZEROS, A, B, C
from gdl.codegen.straight_line import AVX, AVX2, AVX512, InstructionSet, StraightLine
from gdl.codegen.two_inputs import ways

POINTERS = ("in", "out", "base", "own", "next")
INPUTS, BASE = 6, 4

KINDS = {"AVX-512": AVX512, "AVX2": AVX2, "AVX": AVX}
each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def row(number: int, kind: InstructionSet) -> Row:
    """A random row."""
    random = Random(number)
    return tuple(random.getrandbits(64) for _ in range(kind.size // 8))


def begun(kind: InstructionSet) -> dict[str, Row]:
    """The memory that a function begins with."""
    places = [(pointer, number) for pointer in ("in", "own") for number in range(INPUTS)]
    places += [("base", number) for number in range(BASE)]
    return {address(RowAddress(*place), kind): row(seed, kind) for seed, place in enumerate(places)}


#: Instructions by name, as Python computes them on words.
MEANING = {
    "logic": looked_up,
    "add": lambda a, b: a + b & WORD,
    "ones": lambda a: a.bit_count(),
    "shifted": lambda a, by: a << by & WORD,
    "rotated": lambda a, by: (a << by | a >> 64 - by) & WORD,
}


@dataclass
class Made:
    """A function, with what each of its stores should write."""

    kind: InstructionSet
    code: StraightLine
    rows: list[Row]
    values: list[int] = field(default_factory=lambda: [ZEROS, ONES])
    stored: dict[str, Row] = field(default_factory=dict)

    def read(self, place: RowAddress) -> None:
        """Add a row in memory."""
        self.values.append(self.code.row(place))
        self.rows.append(begun(self.kind)[address(place, self.kind)])

    def instruction(self, kind: str, places: list[int], *numbers: int) -> None:
        """Add an instruction on earlier values."""
        values, rows = ([some[place] for place in places] for some in (self.values, self.rows))
        if kind == "logic":
            self.values.append(self.code.logic(*numbers, *values))
            self.rows.append(tuple(MEANING[kind](*numbers, *words) for words in zip(*rows, strict=True)))
        else:
            self.values.append(getattr(self.code, kind)(*values, *numbers))
            self.rows.append(tuple(MEANING[kind](*words, *numbers) for words in zip(*rows, strict=True)))

    def store(self, place: int, to: RowAddress) -> None:
        """Store a value."""
        self.code.store(self.values[place], to)
        self.stored[address(to, self.kind)] = self.rows[place]


def address(place: RowAddress, kind: InstructionSet) -> str:
    """The address of a row in assembly; the pointers are in registers in this order."""
    return f"{kind.size * place.number}(%{('rdi', 'rsi', 'rdx', 'rcx', 'r8')[POINTERS.index(place.pointer)]})"


@st.composite
def functions(draw: st.DrawFn) -> Made:
    """Instructions of all kinds on what is in memory, constants and earlier results; and stores, also in place."""
    own = draw(st.sampled_from([*KINDS.values()]))
    words = own.size // 8
    made = Made(own, StraightLine(own), [(0,) * words, (WORD,) * words])
    for pointer, count in (("in", INPUTS), ("own", INPUTS), ("base", BASE)):
        for i in range(count):
            made.read(RowAddress(pointer, i))
    places = [RowAddress(pointer, i) for pointer in ("in", "out", "own", "next") for i in range(INPUTS)]
    free = list(draw(st.permutations(places + [RowAddress("base", i) for i in range(BASE)])))
    kinds = st.sampled_from(["logic"] * 8 + ["add", "ones", "shifted", "rotated"] + ["store"] * 2)
    for kind in draw(st.lists(kinds, min_size=1, max_size=60)):
        last = len(made.values) - 1
        a, b, c = (draw(st.integers(max(0, last - 9) if draw(st.booleans()) else 0, last)) for _ in range(3))
        if kind == "logic":
            table = draw(st.sampled_from([A & B, A | B, A ^ B, A & ~B & 255, A ^ 255]) | st.integers(0, 255))
            made.instruction(kind, [a, b, c], table)
        elif kind == "add":
            made.instruction(kind, [a, b])
        elif kind == "ones":
            made.instruction(kind, [a])
        elif kind != "store":
            made.instruction(kind, [a], draw(st.integers(1, 63)))
        elif free:
            made.store(a, free.pop())
    return made


@examples(450)
@given(functions(), st.sampled_from([4, 5, 8, 32]), st.sampled_from([1, 2, 128]))
def test_memory_is_as_the_instructions_say(made: Made, registers: int, reach: int) -> None:
    with (
        patch.object(straight_line, "REGISTERS", (registers, min(registers, 16))),
        patch.object(row_windows, "_REACH", reach),
        patch.object(row_windows, "_WORTHWHILE", 2),
    ):
        done = made.code.assembly("some", POINTERS, RowAddress("base", BASE))
    memory = begun(made.kind)
    executed(done.text, memory, registers, made.kind.size // 8)
    used = {address(RowAddress("base", number), made.kind) for number in range(BASE, BASE + done.rows)}
    assert {place: found for place, found in memory.items() if place not in used} == begun(made.kind) | made.stored


def test_rows_that_are_used_often_have_short_addresses() -> None:
    code = StraightLine(AVX512)
    total = ZEROS
    # Both pointers have rows in three places far from each other, and a row that is used once.
    for pointer in ("in", "base"):
        for start in (0, 5_000, 90_000):
            for number in range(start, start + 40):
                total = code.logic(A ^ B, total, code.row(RowAddress(pointer, number)), ZEROS)
        total = code.logic(A ^ B, total, code.row(RowAddress(pointer, 1_000_000)), ZEROS)
    code.store(total, RowAddress("out", 300))
    text = code.assembly("far", POINTERS, RowAddress("base", 0)).text
    offsets = [abs(int(found)) for found in re.findall(r"(-?\d+)\(%", text) if "leaq" not in found]
    moved = len(re.findall("leaq", text))
    assert moved == 4
    assert sum(offset > 64 * 128 for offset in offsets) - moved == 2
    memory: dict[str, Row] = {}
    wanted = 0
    for seed, (register, start) in enumerate(product(("rdi", "rdx"), (0, 5_000, 90_000, 1_000_000))):
        for number in range(start, start + (1 if start == 1_000_000 else 40)):
            memory[f"{64 * number}(%{register})"] = (seed * 1_000 + number,) * 8
            wanted ^= seed * 1_000 + number
    executed(text, memory, 32, 8)
    assert memory[f"{64 * 300}(%rsi)"] == (wanted,) * 8


@each_kind
def test_what_is_never_read_again_needs_no_memory(kind: InstructionSet) -> None:
    # A hundred values, each of which is read by the next instruction: three registers are enough.
    code = StraightLine(kind)
    last, other = code.row(RowAddress("in", 0)), code.row(RowAddress("in", 1))
    for _ in range(100):
        last, other = code.logic(A ^ B, last, other, ZEROS), last
    code.store(last, RowAddress("out", 0))
    with patch.object(straight_line, "REGISTERS", (4, 4)):
        done = code.assembly("chain", POINTERS, RowAddress("base", 0))
    assert done.rows == 0
    assert done.text.count("vmovdqa") <= 3


def test_instructions_whose_results_nothing_needs_are_left_out() -> None:
    code = StraightLine(AVX512)
    code.logic(A & B, code.row(RowAddress("in", 0)), code.row(RowAddress("in", 1)), ZEROS)
    done = code.assembly("nothing", POINTERS, RowAddress("base", 0))
    assert done.text.endswith("nothing:\nvzeroupper\nret\n")


@pytest.mark.parametrize("table", [A & B & C, A ^ B ^ C, (A & B) | C])
def test_the_value_that_is_needed_last_leaves_its_register(table: int) -> None:
    # Six values are made; the first one is needed only at the very end.
    code = StraightLine(AVX512)
    made = [code.logic(table, *(code.row(RowAddress("in", i + j)) for j in range(3))) for i in range(6)]
    total = made[1]
    for one in made[2:]:
        total = code.logic(A ^ B, total, one, ZEROS)
    code.store(code.logic(A ^ B, total, made[0], ZEROS), RowAddress("out", 0))
    with patch.object(straight_line, "REGISTERS", (8, 8)):
        assert code.assembly("six", POINTERS, RowAddress("base", 0)).rows == 0


@examples(100)
@given(st.lists(st.tuples(st.lists(st.integers(0, 30), max_size=3, unique=True), st.booleans()), max_size=40))
def test_each_instruction_comes_once_and_after_what_it_reads(shape: list[tuple[list[int], bool]]) -> None:
    inputs = 3
    instructions: list[tuple[list[int], int | None]] = []
    made = inputs
    for reads, stores in shape:
        own = sorted({value % made for value in reads})
        if not stores:
            instructions.append((own, made))
            made += 1
        elif own:
            instructions.append((own[:1], None))
    found = list(orders(instructions))
    assert len(found) == 6
    for order in found:
        assert sorted(order) == list(range(len(instructions)))
        known = set(range(inputs))
        for number in order:
            reads_, result = instructions[number]
            assert known.issuperset(reads_)
            if result is not None:
                known.add(result)


def test_the_order_keeps_values_in_registers() -> None:
    """127 pairs of rows are combined first and joined last: in a better order, no value leaves its register."""
    code = StraightLine(AVX512)
    rows = [RowAddress("in", number) for number in range(128)]
    pairs = [code.logic(A ^ B, code.row(one), code.row(other), ZEROS) for one, other in pairwise(rows)]
    total = pairs[0]
    for one in pairs[1:]:
        total = code.logic((A & B) | C, total, one, pairs[0])
    code.store(total, RowAddress("out", 0))
    done = code.assembly("pairs", POINTERS, RowAddress("base", 0))
    assert done.rows == 0
    # Each row is read once, and only the result is stored.
    assert done.text.count("vmovdqa64") <= len(rows) + 2


def test_every_way_to_compute_a_function_of_three_values() -> None:
    for table, found in enumerate(ways()):
        for nodes, result in found:
            known = [A, B, C]
            for one, other in nodes:
                left, right = (known[node >> 1] ^ NOT * (node & 1) for node in (one, other))
                known.append(left ^ right if one > other else left & right)
            assert known[result >> 1] ^ NOT * (result & 1) == table
    # Those that `Netlist` makes need one to four.
    assert {len(found[0][0]) for table, found in enumerate(ways()) if table not in (0, NOT)} == {0, 1, 2, 3, 4}


def operations(*results: Callable[[StraightLine, int, int, int], int]) -> int:
    """The number of AVX instructions that compute some functions of three rows."""
    code = StraightLine(AVX2)
    rows = [code.row(RowAddress("in", i)) for i in range(3)]
    for number, result in enumerate(results):
        code.store(result(code, *rows), RowAddress("out", number))
    return code.assembly("few", POINTERS, RowAddress("base", 0)).operations


@pytest.mark.parametrize(
    ("tables", "count"),
    [
        ((A ^ B ^ C, (A & B) | (A & C) | (B & C)), 5),  # a full adder
        ((A & B & C, A & B & (C ^ NOT), (A & B) ^ NOT | C), 4),  # they share A and B, and one is another's complement
        (((A | B) ^ NOT,), 2),
        ((A & (B ^ NOT), A & B & (B ^ NOT)), 1),
        ((A | (B ^ NOT),), 2),
        (((A & B) | ((A ^ NOT) & C), (A & B) | ((A ^ NOT) & C)), 3),
    ],
)
def test_functions_of_three_values_share_instructions_on_two(tables: Sequence[int], count: int) -> None:
    assert operations(*(lambda code, a, b, c, table=table: code.logic(table, a, b, c) for table in tables)) == count


def test_complements_are_negated_only_for_results() -> None:
    """A chain of functions whose arguments are all negated takes one instruction for each."""

    def chain(code: StraightLine, a: int, b: int, c: int) -> int:
        for _ in range(10):
            a, b = code.logic((A ^ NOT) & (B ^ NOT), a, b, ZEROS), a
            a = code.logic((A | B) ^ NOT, a, c, ZEROS)
        return a

    assert operations(chain) <= 21


@pytest.mark.parametrize(("count", "tries"), [(0, 6), (20_000, 2), (60_000, 1)])
def test_large_code_is_ordered_in_fewer_ways(count: int, tries: int) -> None:
    chain = [((number,), number + 1) for number in range(count)]
    assert sum(order == list(range(count)) for order in orders(chain)) == tries
