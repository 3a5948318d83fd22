"""Random circuits, and the values of their literals in all cases."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import assume
from hypothesis import strategies as st

from gdl.circuit.gates import Circuit, Group, Laws, Loop
from support.evaluation import all_cases, values

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


COLUMNS, FULL = all_cases(INPUTS)


def truth(circuit: Circuit, *literals: int) -> list[int]:
    """The values of literals in all cases of the inputs."""
    return values(circuit, dict(enumerate(COLUMNS, 1)), FULL, literals)


def column(literal: int) -> int:
    """The value of a constant or an input."""
    return ([0, *COLUMNS][literal >> 1]) ^ (FULL if literal & 1 else 0)


# Laws


def lawful(laws: Laws) -> int:
    """The cases in which laws hold."""
    cases = FULL
    for group in laws.groups:
        one = two = 0
        for node in group.nodes:
            two |= one & COLUMNS[node - 1]
            one |= COLUMNS[node - 1]
        cases &= ~two
        if group.exact:
            cases &= one
    for literal, follows in laws.implied.items():
        for other in follows:
            cases &= ~(column(literal) & ~column(other))
    return cases & FULL


@st.composite
def all_laws(draw: st.DrawFn) -> Laws:
    """Groups that may overlap, and what inputs imply, such that some case is left."""
    nodes = st.lists(st.integers(1, INPUTS), min_size=2, max_size=INPUTS, unique=True).map(tuple)
    groups = draw(st.lists(st.builds(Group, nodes, st.booleans()), max_size=3))
    laws = Laws(tuple(groups))
    for literal in draw(st.lists(st.integers(1, INPUTS).map(lambda node: 2 * node), max_size=2, unique=True)):
        follows = draw(st.lists(st.integers(2, 2 * INPUTS + 1), min_size=1, max_size=2))
        laws.implied[literal] = frozenset(other for other in follows if other >> 1 != literal >> 1)
    assume(lawful(laws))
    return laws
