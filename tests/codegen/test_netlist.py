"""Netlists: operations in their normal form, circuits lowered to them, and the choice of moves, by enumeration."""

from __future__ import annotations

import random
from itertools import count, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.circuits import Drawn, circuits
from support.evaluation import all_cases, apply, signals, values
from support.profiles import examples

from gdl.codegen.formulas import Formula, formulas
from gdl.codegen.netlist import (
    CHOOSE,
    MAJORITY,
    NOT,
    ONES,
    XOR3,
    ZEROS,
    A,
    B,
    C,
    Netlist,
    cofactor,
    gathered,
    spread,
)
from gdl.codegen.random_choice import draw, walk
from gdl.codegen.technology_mapping import Lowering

CASES, FULL = all_cases(3)


# Operations


def test_tables_are_read_as_by_the_instruction() -> None:
    """Bit `4a + 2b + c` is the value where the arguments are a, b and c."""
    for a, b, c in product((0, 1), repeat=3):
        bit = 4 * a + 2 * b + c
        assert A >> bit & 1 == a
        assert B >> bit & 1 == b
        assert C >> bit & 1 == c
        assert XOR3 >> bit & 1 == a ^ b ^ c
        assert MAJORITY >> bit & 1 == (a + b + c >= 2)
        assert CHOOSE >> bit & 1 == (b if a else c)


def test_every_operation_has_its_value_and_equal_ones_are_one() -> None:
    """All tables over all arguments: three inputs, zeros and ones, some of them the same."""
    netlist = Netlist(3)
    made = {}
    for table in range(256):
        for arguments in product(range(5), repeat=3):
            made[table, arguments] = netlist.operation(table, *arguments)
    found = signals(netlist, CASES, FULL)
    columns = [0, FULL, *CASES]
    known: dict[int, int] = {}
    for (table, arguments), signal in made.items():
        value = apply(table, [columns[argument] for argument in arguments], FULL)
        assert found[signal] == value
        assert known.setdefault(value, signal) == signal
    assert len(known) == 256
    # Constants and inputs need no operation.
    assert len(netlist) == 256 - 5


def test_named_operations() -> None:
    netlist = Netlist(3)
    a, b, c = 2, 3, 4
    made = [netlist.not_(a), netlist.and_(a, b), netlist.or_(a, b), netlist.any_of([a, b, c, a]), netlist.any_of([])]
    copied = [netlist.copy(a), netlist.copy(a)]
    found = signals(netlist, CASES, FULL)
    x, y, z = CASES
    assert [found[signal] for signal in made] == [x ^ FULL, x & y, x | y, x | y | z, 0]
    assert [found[signal] for signal in copied] == [x, x]
    assert len({a, *copied}) == 3


@pytest.mark.parametrize("size", range(12))
def test_any_of_many(size: int) -> None:
    netlist = Netlist(size)
    one = netlist.any_of(range(2, 2 + size))
    columns, full = all_cases(size)
    expected = 0
    for column in columns:
        expected |= column
    assert signals(netlist, columns, full)[one] == expected
    assert len(netlist) <= (size + 1) // 2


def test_cofactors() -> None:
    for table, place, value in product(range(256), range(3), (0, 1)):
        fixed = cofactor(table, place, value)
        for row in range(8):
            other = row | 4 >> place if value else row & ~(4 >> place)
            assert fixed >> row & 1 == table >> other & 1


def test_arguments_in_other_places() -> None:
    for table in range(256):
        for places in permutations(range(3)):
            moved = gathered(table, places)
            # The new argument `i` is the old one `places[i]`.
            assert apply(moved, [CASES[place] for place in places], FULL) == apply(table, CASES, FULL)
            assert spread(moved, places) == table


def formula_value(formula: Formula) -> int:
    if isinstance(formula, int):
        return formula
    name, left, right = formula
    return {"and": int.__and__, "or": int.__or__, "xor": int.__xor__}[name](formula_value(left), formula_value(right))


def test_every_table_has_a_formula() -> None:
    found = formulas()
    assert sorted(found) == list(range(256))
    assert all(formula_value(formula) == table for table, formula in found.items())


# Circuits to netlists


def lowered(drawn: Drawn) -> tuple[Netlist, list[int]]:
    circuit = drawn.circuit
    netlist = Netlist(circuit.inputs)
    inputs = {1 + i: 2 + i for i in range(circuit.inputs)}
    lowering = Lowering(netlist, circuit, drawn.outputs, inputs)
    return netlist, [lowering.signal(literal) for literal in drawn.outputs]


def check_lowering(drawn: Drawn) -> None:
    netlist, found = lowered(drawn)
    columns, full = all_cases(drawn.circuit.inputs)
    by_signal = signals(netlist, columns, full)
    expected = values(drawn.circuit, dict(enumerate(columns, 1)), full, drawn.outputs)
    assert [by_signal[signal] for signal in found] == expected


@examples(150, thorough=3_000)
@given(circuits())
def test_lowering_keeps_all_values(drawn: Drawn) -> None:
    check_lowering(drawn)


@examples(60)
@given(circuits(), st.integers(0, 5))
def test_outputs_asked_for_in_any_order_and_again(drawn: Drawn, seed: int) -> None:
    outputs = drawn.outputs * 2
    random.Random(seed).shuffle(outputs)
    check_lowering(Drawn(drawn.circuit, outputs))


# The choice of moves


@pytest.mark.parametrize("tries", [1, 2, 3])
@pytest.mark.parametrize("rows", range(1, 8))
def test_every_legal_row_is_drawn_by_as_many_random_bits(rows: int, tries: int) -> None:
    """All patterns of legal rows with all random bits, in lanes of one evaluation."""
    width = (rows - 1).bit_length()
    netlist = Netlist(rows + width * tries)
    legal = range(2, 2 + rows)
    bits = count(2 + rows)
    choice = draw(netlist, legal, lambda: next(bits), tries)
    chosen = walk(netlist, choice, choice.accepted)
    assert next(bits) == 2 + rows + width * tries
    columns, full = all_cases(rows + width * tries)
    found = signals(netlist, columns, full)
    for pattern in range(1 << rows):
        lanes = full
        for row in range(rows):
            lanes &= columns[row] if pattern >> row & 1 else columns[row] ^ full
        ones = pattern.bit_count()
        assert bool(found[choice.some] & lanes) == bool(found[choice.some] & lanes == lanes) == (ones > 0)
        drawn = [(found[signal] & lanes).bit_count() for signal in chosen]
        accepted = (found[choice.accepted] & lanes).bit_count()
        if not ones:
            assert (accepted, drawn) == (lanes.bit_count(), [0] * rows)
            continue
        # The legal rows share the accepted lanes equally, and each lane has one.
        assert drawn == [accepted // ones if pattern >> row & 1 else 0 for row in range(rows)]
        assert accepted == sum(drawn)
        fails = 1 - ones / (1 << (ones - 1).bit_length())
        assert accepted == round(lanes.bit_count() * (1 - fails**tries))
        assert not any(found[one] & found[other] & lanes for one in chosen for other in chosen if one != other)


@pytest.mark.parametrize("rows", [8, 9, 12, 13, 24, 25, 31, 33, 64, 100])
def test_every_legal_row_of_many_is_drawn_by_one_number(rows: int) -> None:
    """Some patterns of legal rows, each with every number that may be drawn."""
    width = (rows - 1).bit_length()
    netlist = Netlist(rows + width)
    bits = count(2 + rows)
    choice = draw(netlist, range(2, 2 + rows), lambda: next(bits), 1)
    chosen = walk(netlist, choice, choice.accepted)
    numbers, full = all_cases(width)
    generator = random.Random(rows)
    for share in (0.0, 0.05, 0.3, 0.5, 0.9, 1.0):
        pattern = [generator.random() < share for _ in range(rows)]
        found = signals(netlist, [full if holds else 0 for holds in pattern] + numbers, full)
        ones = sum(pattern)
        masked = 1 << (max(ones, 1) - 1).bit_length()
        times = (1 << width) // masked
        assert [found[signal].bit_count() for signal in chosen] == [times if holds else 0 for holds in pattern]
        assert found[choice.accepted].bit_count() == (times * ones if ones else 1 << width)


def test_nothing_is_chosen_elsewhere() -> None:
    netlist = Netlist(7)
    bits = count(5)
    choice = draw(netlist, [2, 3, 4], lambda: next(bits), 1)
    where = netlist.and_(choice.accepted, 7)
    chosen = walk(netlist, choice, where)
    columns, full = all_cases(7)
    found = signals(netlist, columns, full)
    assert not any(found[signal] & ~columns[5] for signal in chosen)
    assert any(found[signal] & columns[5] for signal in chosen)


def test_rows_that_are_constant() -> None:
    netlist = Netlist(2)
    bits = count(2)
    choice = draw(netlist, [ONES, ZEROS, ONES, ONES], lambda: next(bits), 1)
    chosen = walk(netlist, choice, choice.accepted)
    columns, full = all_cases(2)
    found = signals(netlist, columns, full)
    assert [found[signal].bit_count() for signal in chosen] == [1, 0, 1, 1]
    assert found[choice.some] == full
    assert netlist.operation(NOT) == ONES
