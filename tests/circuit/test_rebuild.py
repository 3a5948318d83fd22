"""Circuits built anew have the same values."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st
from support.circuits import COLUMNS, FULL, INPUTS, Drawn, all_laws, circuits, lawful, truth
from support.profiles import examples

from gdl.circuit.build.rebuild import Rebuilding
from gdl.circuit.gates import FALSE, TRUE, Laws


@examples(100)
@given(circuits(), st.dictionaries(st.integers(1, INPUTS), st.sampled_from([FALSE, TRUE]), max_size=2))
def test_a_circuit_built_anew_has_the_same_values(drawn: Drawn, replaced: Mapping[int, int]) -> None:
    rebuilding = Rebuilding(drawn.circuit, drawn.outputs, Laws(), replaced)
    outputs = [rebuilding.literal(literal) for literal in drawn.outputs]
    rebuilding.close()
    cases = FULL
    for node, constant in replaced.items():
        cases &= COLUMNS[node - 1] ^ (FULL if constant == FALSE else 0)
    for old, new in zip(truth(drawn.circuit, *drawn.outputs), truth(rebuilding.new, *outputs), strict=True):
        assert (old ^ new) & cases == 0


@examples(100)
@given(circuits(), all_laws())
def test_a_circuit_built_anew_under_laws_has_the_same_values_where_they_hold(drawn: Drawn, laws: Laws) -> None:
    rebuilding = Rebuilding(drawn.circuit, drawn.outputs, laws, {})
    outputs = [rebuilding.literal(literal) for literal in drawn.outputs]
    rebuilding.close()
    for old, new in zip(truth(drawn.circuit, *drawn.outputs), truth(rebuilding.new, *outputs), strict=True):
        assert (old ^ new) & lawful(laws) == 0
