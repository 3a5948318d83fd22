"""Circuits as rules of a logic program, both ways, against their gates."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from gdl.circuit.analysis.cones import cone
from gdl.circuit.answer_sets.encoding import CircuitEncoding
from gdl.circuit.answer_sets.search import search
from gdl.circuit.answer_sets.states import true_atom
from gdl.circuit.gates import Circuit
from gdl.circuit.proofs.claims import Claim

clingo = pytest.importorskip("clingo")

INPUTS = 4


def random_circuit(seed: int) -> tuple[Circuit, list[int]]:
    """A circuit with some of its literals."""
    random = Random(seed)
    circuit = Circuit(INPUTS)
    literals = [2 * node for node in range(1, 1 + INPUTS)]
    for _ in range(12):
        fanin = [literal ^ random.randint(0, 1) for literal in random.sample(literals, random.randint(2, 3))]
        literals.append(circuit.and_(fanin))
    return circuit, [literal ^ random.randint(0, 1) for literal in literals]


def values(circuit: Circuit, given: tuple[bool, ...]) -> dict[int, bool]:
    """The value of each literal."""
    found = {0: False, 1: True}
    for node in range(1, len(circuit.fanins)):
        own = given[node - 1] if node <= INPUTS else all(found[literal] for literal in circuit.fanins[node])
        found |= {2 * node: own, 2 * node + 1: not own}
    return found


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("folded", [True, False])
def test_gates_hold_where_their_inputs_do(seed: int, folded: bool) -> None:
    circuit, literals = random_circuit(seed)
    for given in product([False, True], repeat=INPUTS):
        control = clingo.Control(["--warn=none"])
        with control.backend() as backend:
            always = true_atom(backend)
            # One input stays open for the solver, the others are known.
            last = backend.add_atom()
            backend.add_rule([last], choice=True)
            known = {1 + i: always if holds else -always for i, holds in enumerate(given[:-1])}
            encoding = CircuitEncoding(backend, circuit, {0: -always, **known, INPUTS: last})
            if folded:
                encoding.fold(cone(circuit, literals))
            atoms = [encoding.atom(literal) for literal in literals]
            broken = encoding.broken(Claim("at most one", tuple(literals[:3])))
            encoding.define()
        expected = values(circuit, given)
        outcome = search(
            control,
            [last if given[-1] else -last],
            lambda model, atoms=atoms, broken=broken: [model.is_true(atom) for atom in (*atoms, broken)],
        )
        held = [expected[literal] for literal in literals]
        assert outcome.found == [*held, sum(held[:3]) > 1]


def test_folding_adds_no_rules_for_what_is_known() -> None:
    circuit, literals = random_circuit(1)
    control = clingo.Control(["--warn=none"])
    with control.backend() as backend:
        always = true_atom(backend)
        encoding = CircuitEncoding(backend, circuit, {0: -always})
        encoding.fold(cone(circuit, literals))
        assert {abs(encoding.atom(literal)) for literal in literals} == {always}


def test_a_search_tells_what_excludes_each_other_and_when_it_gave_up() -> None:
    control = clingo.Control(["--warn=none"])
    with control.backend() as backend:
        left, right, other = (backend.add_atom() for _ in range(3))
        backend.add_rule([left, right, other], choice=True)
        backend.add_rule([], [left, right])
    assert search(control, [left], lambda model: model.is_true(right)).found is False
    excluded = search(control, [other, left, right], lambda _: True)
    assert (excluded.found, excluded.known) == (None, True)
    assert {left, right} <= {*excluded.core} | {left}


def test_a_search_ends_at_its_deadline() -> None:
    control = clingo.Control(["--warn=none"])
    pigeons = "1 { at(P, H) : H = 1..11 } 1 :- P = 1..12. :- at(P, H), at(Q, H), P < Q."
    control.add("base", [], pigeons)
    control.ground([("base", [])])
    outcome = search(control, [], lambda _: True, until=0.0)
    assert (outcome.found, outcome.known) == (None, False)
