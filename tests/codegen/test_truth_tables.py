"""Truth tables as numbers: the same values as the functions they stand for."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.codegen.netlist import CHOOSE, MAJORITY, XOR3, Netlist
from gdl.codegen.truth_tables import applied, either, operation_table, pattern, synthesized


def value(netlist: Netlist, signal: int, inputs: tuple[bool, ...]) -> bool:
    """The value of a signal for some values of the inputs."""
    values = [False, True, *inputs]
    for table, *arguments in zip(netlist.tables, *netlist.args, strict=True):
        values.append(bool(table >> sum(values[a] << place for a, place in zip(arguments, (2, 1, 0), strict=True)) & 1))
    return values[signal]


def test_patterns_are_the_bits_of_numbers() -> None:
    for place in range(4):
        assert [pattern(place, 4) >> row & 1 for row in range(16)] == [row >> place & 1 for row in range(16)]


def test_either_holds_where_a_table_holds_for_one_of_two_values() -> None:
    # Inputs 0 and 1: the table holds where both are true.
    assert either(0b1000, 0, 2) == 0b1100
    assert either(0b1000, 1, 2) == 0b1010


@pytest.mark.parametrize("table", [XOR3, MAJORITY, CHOOSE, 0, 255])
def test_applied(table: int) -> None:
    one, two, three = (pattern(place, 3) for place in (2, 1, 0))
    assert applied(table, one, two, three, 255) == table


def test_operation_tables_repeat_the_values_of_fewer_arguments() -> None:
    assert operation_table([True]) == 255
    assert operation_table([False, True]) == 0xF0
    assert operation_table([False, False, False, True]) == 0xC0


@given(st.integers(1, 6).flatmap(lambda n: st.tuples(st.just(n), *[st.integers(0, (1 << (1 << n)) - 1)] * 2)))
def test_functions_are_synthesized_where_they_matter(function: tuple[int, int, int]) -> None:
    inputs, values, matters = function
    netlist = Netlist(inputs)
    signal = synthesized(netlist, values, matters, {place: 2 + place for place in range(inputs)}, inputs)
    for bits in product((False, True), repeat=inputs):
        row = sum(bit << place for place, bit in enumerate(bits))
        if matters >> row & 1:
            assert value(netlist, signal, bits) == bool(values >> row & 1)


def test_what_does_not_matter_saves_operations() -> None:
    netlist = Netlist(4)
    # It matters only where all inputs but the first are true, so the first decides alone.
    where = pattern(1, 4) & pattern(2, 4) & pattern(3, 4)
    assert synthesized(netlist, pattern(0, 4) & where, where, {place: 2 + place for place in range(4)}, 4) == 2
    assert len(netlist) == 0
