"""The mover's side of a game: every state of it is a state of the game, as the role sees it whose turn it is."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import product
from pathlib import Path
from random import Random

import pytest
from support.processors import interpreting
from support.profiles import first_few
from support.sides import check_side
from support.toy_files import ROOT
from support.toy_rules import COIN, NIM

import gdl
from gdl.circuit.game import GameCircuit
from gdl.circuit.pipeline import make_circuit
from gdl.circuit.sampling import Lanes
from gdl.codegen.playout_netlist import once_netlist, playout_netlist
from gdl.compile_budget import CompileBudget, Watch
from gdl.language.rulesheet import Rulesheet

pytest.importorskip("clingo")

#: Two roles push a stone; only one of them may also leap, though the rules say the same about both: what always holds
#: in the game is not true of the other side. Both would have to move at once for the other one to leap, too.
PUSH = """
(role a) (role b) (init (turn a)) (init (at 3)) (init (may a leap)) (init (may a push)) (init (may b push))
(other a b) (other b a)
(up 1 2) (up 2 3) (up 3 4) (up 4 5)
(<= (step a ?x ?y) (up ?x ?y)) (<= (step b ?y ?x) (up ?x ?y))
(<= (jump ?r ?x ?z) (step ?r ?x ?y) (step ?r ?y ?z))
(<= (legal ?r push) (true (turn ?r)))
(<= (legal ?r stay) (true (turn ?r)))
(<= (legal ?r leap) (true (turn ?r)) (true (may ?r leap)) (true (at ?x)) (jump ?r ?x ?z))
(<= (legal ?r wait) (true (turn ?o)) (other ?o ?r))
(<= (next (at ?y)) (does ?r push) (true (at ?x)) (step ?r ?x ?y))
(<= (next (at ?z)) (does ?r leap) (true (at ?x)) (jump ?r ?x ?z))
(<= (next (at ?x)) (does ?r stay) (true (at ?x)))
(<= (next (may ?r ?m)) (true (may ?r ?m)))
(<= (next (may ?r leap)) (does ?r stay) (does ?o push) (other ?o ?r))
(<= (next (turn ?r)) (true (turn ?o)) (other ?o ?r))
(edge a 5) (edge b 1)
(<= (home ?r) (true (at ?x)) (edge ?r ?x))
(<= terminal (home ?r))
(<= (goal ?r 100) (home ?r))
(<= (goal ?r 0) (home ?o) (other ?o ?r))
"""

#: The same role moves again after some moves.
AGAIN = NIM.replace(
    "(<= (next (control ?r)) (true (control ?x)) (opponent ?x ?r))",
    "(<= (next (control ?r)) (true (control ?x)) (opponent ?x ?r) (does ?x (take one)))"
    "(<= (next (control ?x)) (does ?x (take two)))",
)

#: Only one of the roles loses if it takes the last one.
UNFAIR = NIM.replace("(<= (goal ?r 0) (true (control ?r)))", "(goal left 0) (<= (goal right 0) (true (control right)))")

#: One of them also has its goal in states that never are ends.
UNEVEN = NIM + "(<= (goal left 100) (true (heap 2)))"

#: A long way, of which each step is one of three moves, ends at a lamp that is switched now and then.
LONG_WAY = f"""
(role a) (role b) (init (turn a)) (init (at 0)) (other a b) (other b a)
{" ".join(f"(up {n} {n + 1})" for n in range(18))}
(move go) (move rest) (move switch)
(<= (legal ?r ?m) (true (turn ?r)) (move ?m))
(<= (legal ?r wait) (true (turn ?o)) (other ?o ?r))
(<= (next (turn ?r)) (true (turn ?o)) (other ?o ?r))
(<= (next (at ?y)) (does ?r go) (true (at ?x)) (up ?x ?y))
(<= (next (at 0)) (does ?r rest)) (<= (next (at 0)) (does ?r switch))
(<= (next lamp) (true lamp) (not (does a switch)) (not (does b switch)))
(<= (next lamp) (not (true lamp)) (does ?r switch))
(<= terminal (true (at 18)) (true lamp)) (<= terminal (true (at 3)) (not (true lamp)))
(<= (goal ?r 100) (true (turn ?r))) (<= (goal ?r 0) (role ?r) (not (true (turn ?r))))
"""


def shipped(name: str) -> str:
    return (ROOT / "games" / f"{name}.kif").read_text()


SYMMETRIC = [
    pytest.param(NIM, id="nim"),
    pytest.param(PUSH, id="push"),
    pytest.param(PUSH.replace("(may a leap)", "(may b leap)", 1), id="leap of the second role"),
    *(pytest.param(shipped(f"classics/{name}"), id=name) for name in ("tic_tac_toe", "connect_four")),
    *(
        pytest.param(shipped(name), id=name, marks=pytest.mark.slow)
        for name in ("classics/breakthrough", "classics/othello", "battle")
    ),
]


def circuit(rules: str) -> GameCircuit:
    return make_circuit(Rulesheet(rules), Watch(CompileBudget()))


@pytest.mark.parametrize("rules", SYMMETRIC)
def test_it_goes_as_the_reasoner_says(rules: str) -> None:
    assert check_side(gdl.Reasoner(rules), circuit(rules), 8, 200, 8.0) > 20


@pytest.mark.parametrize(
    "rules",
    first_few([COIN, AGAIN, UNFAIR, UNEVEN, shipped("sliding_pieces"), shipped("wolf_sheep")], 4),
    ids=lambda rules: rules[:20],
)
def test_games_without_one(rules: str) -> None:
    assert circuit(rules).side is None


def test_an_end_that_playouts_do_not_meet_stays_an_end() -> None:
    game = circuit(LONG_WAY)
    assert game.side is not None
    side, held = game.side.game, {"(turn a)", "(at 18)", "lamp"}
    lane = Lanes(side, 1, [side.terminal])
    lane.set_facts([int(fact.text in held) for fact in side.facts])
    assert lane.read([side.terminal]) == [1]


def test_playouts_are_shorter() -> None:
    game = circuit(shipped("classics/breakthrough"))
    for playout in (playout_netlist(game, age_bits=7), once_netlist(game)):
        assert playout.side is game.side
    assert playout_netlist(game, age_bits=7, given=True).side is None


def chances(rules: str, state: gdl.State, known: dict[gdl.State, float]) -> float:
    """The mean goal of the first role after random moves."""
    reasoner = gdl.Reasoner(rules)
    first, second = reasoner.roles

    def mean(state: gdl.State) -> float:
        if state not in known:
            if reasoner.is_terminal(state):
                known[state] = reasoner.goal(state, first)
            else:
                pairs = list(product(reasoner.legal_moves(state, first), reasoner.legal_moves(state, second)))
                known[state] = sum(mean(reasoner.next_state(state, pair)) for pair in pairs) / len(pairs)
        return known[state]

    return mean(state)


@pytest.mark.slow
@pytest.mark.parametrize("interpreted", [False, True])
def test_goals_are_as_likely_as_in_the_game(interpreted: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tic-tac-toe, from the initial state and from states in which either role moves."""
    pytest.importorskip("llvmlite")
    monkeypatch.setattr("gdl.codegen.playout_netlist._FEWER", 2.0)
    monkeypatch.setattr("gdl.codegen.playout_netlist.phases_of", lambda *_: None)
    rules = shipped("classics/tic_tac_toe")
    assert playout_netlist(circuit(rules), age_bits=4).side is not None
    simulator, reasoner = gdl.compile(rules, cache=tmp_path), gdl.Reasoner(rules)
    known: dict[gdl.State, float] = {}
    expected = chances(rules, reasoner.initial_state(), known)
    with interpreting() if interpreted else nullcontext():
        assert simulator.playouts(200_000, seed=1).goals["xplayer"] == pytest.approx(expected, abs=0.5)
    states, state, random = [], reasoner.initial_state(), Random(2)
    for _ in range(5):
        states.append(state)
        pairs = list(product(*(reasoner.legal_moves(state, role) for role in reasoner.roles)))
        state = reasoner.next_state(state, random.choice(pairs))
    arrays = simulator.arrays
    packed = arrays.pack([simulator.state(state) for state in states for _ in range(4096)])
    with interpreting() if interpreted else nullcontext():
        means = arrays.playouts(packed, 3, 100)[:, 0].reshape(len(states), 4096).mean(1)
    assert means.tolist() == pytest.approx([chances(rules, state, known) for state in states], abs=3.5)
