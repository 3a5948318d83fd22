"""Gates and sums of products: right wherever the laws of the circuit hold."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st
from support.circuits import FULL, INPUTS, LITERALS, Drawn, all_laws, circuits, column, lawful, truth
from support.profiles import examples

from gdl.circuit.build.factoring import sum_of_products
from gdl.circuit.gates import FALSE, TRUE, Circuit, Group, Laws, uses


def conjunction(literals: Iterable[int]) -> int:
    result = FULL
    for literal in literals:
        result &= column(literal)
    return result


LITERAL_LISTS = st.lists(st.sampled_from(LITERALS), max_size=INPUTS)


@examples(300)
@given(all_laws(), st.lists(LITERAL_LISTS, min_size=1, max_size=4))
def test_gates_are_right_where_the_laws_hold(laws: Laws, lists: list[list[int]]) -> None:
    circuit = Circuit(INPUTS, laws)
    cases = lawful(laws)
    for literals in lists:
        every, some = circuit.and_(literals), circuit.or_(literals)
        negated = [literal ^ 1 for literal in literals]
        found = truth(circuit, every, some)
        assert (found[0] ^ conjunction(literals)) & cases == 0
        assert (found[1] ^ conjunction(negated) ^ FULL) & cases == 0
        assert circuit.and_(reversed(literals)) == every
        # Gates of gates.
        both = circuit.and_([every, some ^ 1])
        assert (truth(circuit, both)[0] ^ (conjunction(literals) & conjunction(negated))) & cases == 0


@examples(300)
@given(all_laws(), st.lists(LITERAL_LISTS, max_size=7))
def test_sums_of_products_are_right_where_the_laws_hold(laws: Laws, products: list[list[int]]) -> None:
    circuit = Circuit(INPUTS, laws)
    expected = 0
    for product in products:
        expected |= conjunction(product)
    found = truth(circuit, sum_of_products(circuit, products))[0]
    assert (found ^ expected) & lawful(laws) == 0


def test_simple_gates() -> None:
    circuit = Circuit(3)
    a, b, c = 2, 4, 6
    assert circuit.and_([]) == TRUE
    assert circuit.or_([]) == FALSE
    assert circuit.and_([a]) == a
    assert circuit.and_([a, a, TRUE]) == a
    assert circuit.and_([a, b, FALSE]) == FALSE
    assert circuit.and_([a, b, a ^ 1]) == FALSE
    assert circuit.or_([a, b, a ^ 1]) == TRUE
    assert circuit.and_([a, b, c]) == circuit.and_([c, a, b, b])
    assert circuit.or_([a, b]) == circuit.and_([a ^ 1, b ^ 1]) ^ 1
    assert len(circuit.fanins) == 1 + 3 + 2


def test_one_of_most_is_none_of_the_others() -> None:
    laws = Laws((Group((1, 2, 3, 4, 5), exact=True),))
    circuit = Circuit(5, laws)
    assert circuit.or_([2, 4, 6, 8]) == 10 ^ 1
    assert circuit.or_([2, 4, 6, 8, 10]) == TRUE
    assert circuit.and_([2, 4]) == FALSE
    assert circuit.and_([2, 5, 7]) == 2
    assert circuit.or_([2, 4, 6]) == circuit.and_([9, 11])


def test_common_factors_are_taken_out() -> None:
    circuit = Circuit(4)
    a, b, c, d = 2, 4, 6, 8
    found = sum_of_products(circuit, [[a, b], [a, c], [a, d]])
    assert circuit.fanins[found >> 1] == (a, circuit.or_([b, c, d]))
    assert sum_of_products(circuit, [[a], [a, b], [a ^ 1, c]]) == circuit.or_([a, c])
    assert sum_of_products(circuit, []) == FALSE
    assert sum_of_products(circuit, [[b], []]) == TRUE
    assert sum_of_products(circuit, [[b, b ^ 1]]) == FALSE


@examples(60)
@given(circuits())
def test_what_outputs_need_is_counted(drawn: Drawn) -> None:
    found = uses(drawn.circuit, drawn.outputs)
    for literal in drawn.outputs:
        assert found[literal >> 1] >= 2
    for node in found:
        for other in drawn.circuit.fanins[node]:
            assert found[other >> 1] >= 1
