"""Ends of every kind, found by listing all states or by very many playouts; the Reasoner confirms them."""

from __future__ import annotations

import pytest
from support.toy_files import ROOT
from support.toy_rules import NIM

import gdl
from gdl.circuit.game import GameCircuit
from gdl.language.rulesheet import Rulesheet
from ggp.rules.checking import exploring
from ggp.rules.checking.exploring import explore
from ggp.rules.checking.proofs import built, followed, without_goal, won

#: One playout in 4^7 = 16,384 ends with seven times a: then, nobody has a goal. There are more than 10^8 states.
RARE = """\
(role left) (role right)
(init (step 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7)
(letter a) (letter b) (letter c) (letter d)
(<= (legal left (say ?x)) (letter ?x))
(<= (legal right (say ?x)) (letter ?x))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (said left ?m ?x)) (does left (say ?x)) (true (step ?m)))
(<= (next (said right ?m ?x)) (does right (say ?x)) (true (step ?m)))
(<= (next (said ?r ?m ?x)) (true (said ?r ?m ?x)))
(<= other (true (said left ?m ?x)) (distinct ?x a))
(<= terminal (true (step 7)))
(<= (goal left 100) other)
(<= (goal right 50) other)
"""


def circuit(text: str) -> GameCircuit:
    return built(Rulesheet(text), 60.0)


def test_all_states_of_a_small_game() -> None:
    text = (ROOT / "games" / "classics" / "tic_tac_toe.kif").read_text(encoding="utf-8")
    found = explore(circuit(text), 600.0, 0)
    assert (found.states, found.playouts) == (5478, 0)
    assert {event: len(way) for event, way in found.ways.items()} == {("win", 0): 5, ("win", 1): 6}
    game = gdl.Reasoner(text)
    assert won(game, followed(game, found.ways["win", 1]), "oplayer")


def test_ways_are_shortest_and_legal() -> None:
    found = explore(circuit(NIM), 600.0, 0)
    game = gdl.Reasoner(NIM)
    for (event, role), way in found.ways.items():
        assert event == "win"
        assert won(game, followed(game, way), game.roles[role])


def test_a_rare_end_of_a_large_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploring, "_STATES", 2_000)
    found = explore(circuit(RARE), 600.0, 0)
    assert found.states == 0
    assert found.playouts >= 200_000
    game = gdl.Reasoner(RARE)
    state = followed(game, found.ways["goal", 0])
    assert game.is_terminal(state)
    assert {str(fact) for fact in state if str(fact).startswith("(said left")} == {
        f"(said left {step} a)" for step in range(7)
    }
    assert without_goal(game, state, "left")
    assert without_goal(game, state, "right")


def test_a_role_that_is_stuck() -> None:
    text = RARE.replace(
        "(legal right (say ?x)) (letter ?x)", "(legal right (say ?x)) (letter ?x) (not (true (step 1)))"
    )
    found = explore(circuit(text), 600.0, 0)
    assert len(found.ways["legal", 1]) == 1
    assert ("legal", 0) not in found.ways
