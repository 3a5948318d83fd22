"""Proofs that players take turns and that goals add up, and the statistics of random playouts."""

from __future__ import annotations

import pytest
from support.toy_rules import NIM

from gdl.circuit.analysis.playouts import goals_of, observed
from gdl.circuit.analysis.theorems import add_up, take_turns
from gdl.circuit.game import GameCircuit
from gdl.circuit.pipeline import make_circuit
from gdl.compile_budget import Watch
from gdl.language.rulesheet import Rulesheet

pytest.importorskip("clingo")

#: Both choose at once, and both win.
TOGETHER = """
(role a) (role b) (init start)
(legal a left) (legal a right) (legal b left) (legal b right)
(<= (next over) (true start)) (<= terminal (true over)) (goal a 100) (goal b 100)
"""


def circuit(text: str) -> GameCircuit:
    return make_circuit(Rulesheet(text), Watch())


def test_turns_and_constant_sums() -> None:
    nim = circuit(NIM)
    assert take_turns(nim, [0, 1])
    assert add_up(nim, [0, 1], 100)
    assert not add_up(nim, [0, 1], 200)


def test_a_role_that_never_has_a_move() -> None:
    alone = TOGETHER.replace("(legal b left) (legal b right)", "")
    assert take_turns(circuit(alone), [0, 1])


def test_what_is_not_so_is_not_proved() -> None:
    together = circuit(TOGETHER)
    assert not take_turns(together, [0, 1])
    assert add_up(together, [0, 1], 200)


def test_statistics_of_playouts() -> None:
    nim, together = circuit(NIM), circuit(TOGETHER)
    seen = observed(nim, [0, 1], seed=1, seconds=0.5)
    assert seen.ends > 0
    assert (seen.together, seen.goals) == (0, {(100, 0), (0, 100)})
    both = observed(together, [0, 1], seed=1, seconds=0.5)
    assert both.together == both.states > 0
    assert [[value for value, _ in own] for own in goals_of(together, [0, 1])] == [[100], [100]]
