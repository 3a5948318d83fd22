"""Circuits evaluated change by change have the values that they have otherwise, whatever the states before."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.circuits import INPUTS, Drawn, circuits, truth
from support.profiles import examples

from gdl.circuit.gates import FALSE, TRUE, Circuit, Loop
from gdl.codegen.changes import changes
from gdl.codegen.evaluation import packed, words
from gdl.codegen.llvm.change_loops import changes_program
from gdl.codegen.llvm.machine_code import Library, compiled, host


class Code:
    """The code of a circuit for `look` and `move`, both of which give the same outputs if no move matters to `look`."""

    def __init__(
        self, circuit: Circuit, looked: list[list[int]], moved: list[list[int]], facts: int, moves: int, roles: int
    ) -> None:
        self._parts = {"look": looked, "move": moved}
        self._state = words(facts)
        tables = changes(circuit, looked, facts, 0), changes(circuit, moved, facts, moves)
        text, numbers = changes_program(*tables, roles)
        pointer = ctypes.c_void_p
        self._library = Library(compiled(text, host()))
        self._look: Any = self._library.function("look", None, pointer, pointer, pointer)
        self._move: Any = self._library.function("move", None, pointer, pointer, pointer, pointer)
        # What is around the memory must stay as it is.
        self._work = np.full(numbers["work"] + 2, -1, np.int64)
        self._work[1:-1] = 0

    def _packed(self, state: Sequence[int]) -> Any:
        bits = np.zeros(64 * self._state, np.uint8)
        bits[: len(state)] = state
        return np.packbits(bits, bitorder="little").view(np.uint64)

    def _values(self, name: str, call: Any, *given: Any) -> list[int]:
        sizes = [len(part) for part in self._parts[name]]
        out = np.full(sum(map(words, sizes)) + 1, -1, np.int64)
        call(*(array.ctypes.data for array in (*given, out, self._work[1:])))
        assert [out[-1], self._work[0], self._work[-1]] == [-1] * 3
        bits = np.unpackbits(out[:-1].view(np.uint8), bitorder="little")
        places = packed(sizes)
        assert not bits.sum() - bits[places].sum()  # all others are 0
        return [int(bit) for bit in bits[places]]

    def look(self, state: Sequence[int]) -> list[int]:
        """The values of the outputs of `look`."""
        return self._values("look", self._look, self._packed(state))

    def move(self, state: Sequence[int], moves: Sequence[int]) -> list[int]:
        """The values of the outputs of `move`."""
        return self._values("move", self._move, self._packed(state), np.array(moves, np.int32))


def cases(order: Sequence[int]) -> list[tuple[int, list[int]]]:
    """Cases of the inputs, with their values."""
    return [(case, [case >> place & 1 for place in range(INPUTS)]) for case in order]


@pytest.mark.slow
@examples(60)
@given(circuits(), st.lists(st.integers(0, 2**INPUTS - 1), min_size=1, max_size=20))
def test_values_do_not_depend_on_the_states_before(drawn: Drawn, order: list[int]) -> None:
    circuit, outputs = drawn.circuit, drawn.outputs
    expected = truth(circuit, *outputs)
    # In `move`, the last two inputs are moves of two roles.
    facts = INPUTS - 2
    code = Code(circuit, [outputs], [outputs[:1], outputs], INPUTS, 0, 2)
    other = Code(circuit, [[FALSE]], [outputs[:1], outputs], facts, 2, 2)
    for case, state in cases(order):
        values = [column >> case & 1 for column in expected]
        assert code.look(state) == values
        moves = [role if state[facts + role] else -1 for role in range(2)]
        assert other.move(state[:facts], moves) == values[:1] + values


@pytest.mark.parametrize("seed", range(3))
def test_many_inputs_gates_and_outputs(seed: int) -> None:
    """More of each than fit into a word, and gates with many inputs."""
    random = Random(seed)
    facts, moves = 150, 90
    circuit = Circuit(facts + moves)
    made = [2 * (1 + number) for number in range(facts + moves)]
    for _ in range(900):
        some = random.sample(made[-400:], random.choice((2, 2, 3, 40)))
        made.append(circuit.and_([literal ^ random.getrandbits(1) for literal in some]) ^ random.getrandbits(1))
    seen = [literal for literal in made if literal < 2 * (1 + facts)] + [TRUE, FALSE]
    done = [random.choice(made) for _ in range(200)] + [TRUE, FALSE]
    code = Code(circuit, [seen, [], [2, 3]], [[], done[:100], done[100:]], facts, moves, 2)
    state = [0] * facts
    for _ in range(60):
        for _ in range(random.choice((0, 1, 5, 100))):
            state[random.randrange(facts)] ^= 1
        pair = [random.choice((-1, *range(45))), random.choice((-1, *range(45, 90)))]
        does = [int(number in pair) for number in range(moves)]
        inputs = dict(enumerate([*state, *does], 1))
        assert code.look(state) == [*state, 1, 0, state[0], 1 - state[0]]
        assert code.move(state, pair) == evaluated(circuit, inputs, done)


def evaluated(circuit: Circuit, inputs: dict[int, int], literals: Sequence[int]) -> list[int]:
    """The values of literals in a circuit without loops."""
    known = [0, *(inputs[node] for node in range(1, 1 + circuit.inputs))]
    for fanin in circuit.fanins[1 + circuit.inputs :]:
        known.append(int(all(known[literal >> 1] ^ (literal & 1) for literal in fanin)))
    return [known[literal >> 1] ^ (literal & 1) for literal in literals]


def reachable(edges: set[tuple[int, int]], start: int) -> set[int]:
    found, stack = {start}, [start]
    while stack:
        here = stack.pop()
        for one, other in edges:
            if one == here and other not in found:
                found.add(other)
                stack.append(other)
    return found


def test_loops_shrink_as_well_as_grow() -> None:
    """Reachability among 70 nodes: its variables take two words, and depend on each other in cycles."""
    random, nodes = Random(1), 70
    pairs = sorted({(random.randrange(nodes), random.randrange(nodes)) for _ in range(160)})
    circuit = Circuit(len(pairs))
    variables = [circuit.variable() for _ in range(nodes)]
    updates = []
    for node in range(nodes):
        into = [
            circuit.and_([2 * (1 + number), variables[one]])
            for number, (one, other) in enumerate(pairs)
            if other == node
        ]
        updates.append(TRUE if not node else circuit.or_(into))
    circuit.loops.append(Loop(tuple(variable >> 1 for variable in variables), tuple(updates)))
    code = Code(circuit, [variables], [[FALSE]], len(pairs), 0, 1)
    state = [1] * len(pairs)
    for _ in range(200):
        edges = {pair for pair, there in zip(pairs, state, strict=True) if there}
        found = reachable(edges, 0)
        assert code.look(state) == [int(node in found) for node in range(nodes)]
        for _ in range(random.choice((1, 3, 40))):
            state[random.randrange(len(pairs))] ^= 1


def test_a_loop_that_only_copies_an_input() -> None:
    circuit = Circuit(2)
    variable = circuit.variable()
    circuit.loops.append(Loop((variable >> 1,), (2,)))
    code = Code(circuit, [[variable]], [[FALSE]], 2, 0, 1)
    for state in ([1, 0], [0, 0], [0, 1], [1, 1]):
        assert code.look(state) == state[:1]
