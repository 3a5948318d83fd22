"""Random circuits, and the values of their literals in all cases."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from gdl.circuit.gates import Circuit, Loop

INPUTS = 6
#: Both polarities of the inputs, and the constants.
LITERALS = range(2 * (1 + INPUTS))


@dataclass(frozen=True)
class Drawn:
    """A circuit with some outputs."""

    circuit: Circuit
    outputs: list[int]


# Random circuits


@st.composite
def circuits(draw: st.DrawFn) -> Drawn:
    """Gates over gates, some of them inside of loops, which are monotone in their variables."""
    circuit = Circuit(INPUTS)
    made = list(LITERALS)
    for _ in range(draw(st.integers(0, 3))):
        draw_gates(draw, circuit, made, draw(st.integers(0, 6)))
        if draw(st.booleans()):
            draw_loop(draw, circuit, made)
    outputs = draw(st.lists(st.sampled_from(made), min_size=1, max_size=6))
    return Drawn(circuit, outputs)


def draw_gates(draw: st.DrawFn, circuit: Circuit, made: list[int], number: int) -> None:
    for _ in range(number):
        literals = draw(st.lists(st.sampled_from(made[-24:]), min_size=1, max_size=5))
        gate = circuit.and_(literals)
        made += [gate, gate ^ 1]


def draw_loop(draw: st.DrawFn, circuit: Circuit, made: list[int]) -> None:
    variables = [circuit.variable() for _ in range(draw(st.integers(1, 4)))]
    inner = list(variables)
    for _ in range(draw(st.integers(0, 5))):
        literals = draw(st.lists(st.sampled_from(inner + made), min_size=1, max_size=3))
        build_gate = circuit.and_ if draw(st.booleans()) else circuit.or_
        inner.append(build_gate(literals))
    updates = draw(st.lists(st.sampled_from(inner + made), min_size=len(variables), max_size=len(variables)))
    circuit.loops.append(Loop(tuple(variable >> 1 for variable in variables), tuple(updates)))
    made += [literal ^ sign for literal in variables for sign in (0, 1)]
