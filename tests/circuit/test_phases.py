"""The phases of a game: which facts they are, what holds in them, and playouts that make a ply in each."""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from statistics import fmean

import pytest
from support.phases import check_phases
from support.processors import interpreting
from support.profiles import first_few
from support.toy_files import ROOT
from support.toy_rules import COIN, NIM

import gdl
from gdl.circuit.game import GameCircuit
from gdl.circuit.phases import Phases, phases_of
from gdl.circuit.pipeline import make_circuit
from gdl.codegen import playout_netlist as netlists
from gdl.codegen.playout_netlist import once_netlist, playout_netlist
from gdl.compile_budget import CompileBudget, Watch
from gdl.errors import NoLegalMoveError
from gdl.language.rulesheet import Rulesheet

pytest.importorskip("clingo")

#: Three roles in turn throw stones into a heap and take some out again: each has two plies in a row. Two cannot move in
#: all states: `b` has nothing to take if the heap is empty, and `c` takes all or is stuck.
HEAP = """
(role a) (role b) (role c)
(init (heap 2)) (init (turn a put))
(after a put a take) (after a take b put) (after b put b take) (after b take c put) (after c put c take)
(after c take a put)
(up 0 1) (up 1 2) (up 2 3) (up 3 4) (up 4 5) (up 5 6) (up 6 7) (up 7 8)
(<= (legal ?r put) (true (turn ?r put)))
(<= (legal ?r (keep ?x)) (true (turn ?r put)) (true (heap ?x)) (up 1 ?x))
(<= (legal ?r take) (true (turn ?r take)) (true (heap ?x)) (up ?y ?x) (distinct ?r c))
(<= (legal a wait) (true (turn a take)))
(<= (legal c all) (true (turn c take)) (true (heap ?x)) (up 2 ?x))
(<= (legal c half) (true (turn c take)) (true (heap 4)))
(<= (legal ?r pass) (role ?r) (not (mine ?r)))
(<= (mine ?r) (true (turn ?r ?what)))
(<= (next (turn ?s ?other)) (true (turn ?r ?what)) (after ?r ?what ?s ?other))
(<= (next (heap ?y)) (does ?r put) (true (heap ?x)) (up ?x ?y))
(<= (next (heap ?x)) (does ?r (keep ?x)))
(<= (next (heap ?y)) (does ?r take) (true (heap ?x)) (up ?y ?x))
(<= (next (heap ?x)) (does ?r wait) (true (heap ?x)))
(<= (next (heap 0)) (does c all))
(<= (next (heap 2)) (does c half))
(<= terminal (true (heap 5)))
(<= terminal (true (turn a put)) (true (heap 0)))
(<= (goal ?r 100) (true (heap 5)) (true (turn ?r take)))
(<= (goal ?r 0) (role ?r) (true (heap 5)) (not (true (turn ?r take))))
(<= (goal ?r 30) (role ?r) (true (heap 0)))
"""

#: The turn passes on only after one of the moves.
AGAIN = NIM.replace("(<= (next (control ?r)) (true (control ?x)) (opponent ?x ?r))", "") + (
    "(<= (next (control ?r)) (does ?x (take one)) (opponent ?x ?r)) (<= (next (control ?x)) (does ?x (take two)))"
)

#: Two roles climb stairs of six steps. After one of five moves, the same role moves again, and `b` may be stuck then.
STAIRS = """
(role a) (role b) (init (turn a)) (init (at 0)) (other a b) (other b a)
(up 0 1) (up 1 2) (up 2 3) (up 3 4) (up 4 5) (up 5 6)
(way left) (way right) (way middle) (way spiral)
(<= (legal ?r (climb ?w)) (true (turn ?r)) (way ?w) (not (tired ?r)))
(<= (legal ?r hop) (true (turn ?r)) (not (tired ?r)))
(<= (legal ?r wait) (true (turn ?o)) (other ?o ?r))
(<= (tired b) (true hopped))
(<= (next (at ?y)) (true (at ?x)) (up ?x ?y))
(<= (next (turn ?r)) (does ?o (climb ?w)) (other ?o ?r))
(<= (next (turn ?r)) (does ?r hop))
(<= (next hopped) (does b hop) (true (at 3)))
(<= terminal (true (at 6)))
(<= (goal ?r 100) (true (turn ?r)))
(<= (goal ?r 10) (true (turn ?o)) (other ?o ?r))
"""

#: It may be anybody's turn at first.
NOBODY = NIM.replace("(init (control left))", "")


def shipped(name: str) -> str:
    return (ROOT / "games" / f"{name}.kif").read_text()


@cache
def circuit(rules: str) -> GameCircuit:
    return make_circuit(Rulesheet(rules), Watch(CompileBudget()))


@cache
def found(rules: str) -> Phases:
    phases = phases_of(circuit(rules))
    assert phases is not None
    return phases


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (NIM, ["(control left)", "(control right)"]),
        (shipped("wolf_sheep"), ["(control wolf)", "(control sheep)"]),
        (HEAP, [f"(turn {role} {what})" for role in "abc" for what in ("put", "take")]),
        (COIN, []),
        (STAIRS, ["(turn a)", "(turn b)"]),
        (shipped("knights_and_pawns"), ["(control white)", "(control black)"]),
        (AGAIN, []),
        (NOBODY, []),
        (shipped("classics/tic_tac_toe"), ["(control xplayer)", "(control oplayer)"]),
    ],
    ids=["nim", "wolf_sheep", "heap", "coin", "stairs", "knights", "again", "nobody", "tic_tac_toe"],
)
def test_the_facts_of_phases(rules: str, expected: list[str]) -> None:
    game = circuit(rules)
    phases = phases_of(game)
    assert [str(game.facts[fact]) for fact in (phases.facts if phases is not None else ())] == expected


def test_how_far_phases_are_from_each_other() -> None:
    # One move of five leads to the same phase, which is two further on.
    assert found(STAIRS).distance == pytest.approx(1.2, abs=0.05)
    assert found(HEAP).distance == 1.0
    assert found(STAIRS).after == (circuit_of_stairs := found(STAIRS).after[0],) * 2
    assert circuit_of_stairs not in found(STAIRS).games
    assert found(HEAP).after == (*found(HEAP).games[1:], found(HEAP).games[0])


def test_a_long_cycle_has_no_phases(monkeypatch: pytest.MonkeyPatch) -> None:
    game = circuit(HEAP)
    monkeypatch.setattr("gdl.circuit.phases._MOST", 5)
    assert phases_of(game) is None


def test_phases_that_hardly_matter_do_not_count() -> None:
    for rules in (HEAP, STAIRS):
        game, phases = circuit(rules), found(rules)
        share = phases.distance * fmean(own.circuit.size for own in phases.games) / game.circuit.size
        assert phases_of(game, share + 0.01) is not None
        assert phases_of(game, share - 0.01) is None


@pytest.mark.parametrize(
    "rules",
    first_few([NIM, STAIRS, shipped("classics/tic_tac_toe"), shipped("knights_and_pawns")], 3),
    ids=["nim", "stairs", "tic_tac_toe", "knights_and_pawns"],
)
def test_phases_go_as_the_reasoner_says(rules: str) -> None:
    assert check_phases(gdl.Reasoner(rules), circuit(rules), found(rules), 8, 200, 1.5) > 20


@pytest.mark.parametrize("given", first_few([False, True], 1))
def test_playouts_make_a_ply_in_each_phase(given: bool) -> None:
    game = circuit(shipped("wolf_sheep"))
    whole = len(playout_netlist(game, age_bits=7, given=given, resting=False).step.netlist)
    for playout in (playout_netlist(game, age_bits=7, given=given), once_netlist(game)):
        assert playout.plies == 2
        assert len(playout.step.netlist) < 1.4 * whole  # for two plies


@pytest.fixture
def phased(monkeypatch: pytest.MonkeyPatch) -> None:
    """Phases are used wherever there are some."""
    monkeypatch.setattr(netlists, "_SMALLER", 9.0)
    monkeypatch.setattr(netlists, "_LONG", -1)
    monkeypatch.setattr(netlists, "cost_per_ply", lambda *counts: 1 / counts[-1])


class Chances:
    """The outcomes of random playouts of a small game, computed with the Reasoner."""

    def __init__(self, rules: str) -> None:
        self.reasoner = gdl.Reasoner(rules)
        self._known: dict[gdl.State, tuple[float, ...]] = {}

    def joint(self, state: gdl.State) -> list[tuple[gdl.Term, ...]]:
        """The joint moves; none if a role is stuck."""
        try:
            return list(product(*(self.reasoner.legal_moves(state, role) for role in self.reasoner.roles)))
        except NoLegalMoveError:
            return []

    def of(self, state: gdl.State, plies: int) -> tuple[float, ...]:
        """Each role's goal times the chance that the game ends within some plies.

        Then the chances that a role gets stuck, and that the game goes on; and the mean number of plies.
        """
        roles = self.reasoner.roles
        if self.reasoner.is_terminal(state):
            return (*(self.reasoner.goal(state, role) for role in roles), 0.0, 0.0, 0.0)
        if not (pairs := self.joint(state)):
            return (*(0.0 for _ in roles), 1.0, 0.0, 0.0)
        if not plies:
            return (*(0.0 for _ in roles), 0.0, 1.0, 0.0)
        parts = [self.of(self.reasoner.next_state(state, pair), plies - 1) for pair in pairs]
        *means, length = (sum(column) / len(parts) for column in zip(*parts, strict=True))
        return (*means, 1 + length)


#: What ends the game holds a ply before it: then it is still the turn of b, who has three moves, so draws are refused.
LATER = """(role a) (role b) (init (control a)) (n 1) (n 2) (n 3) (<= (legal ?r (pick ?n)) (true (control ?r)) (n ?n))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (control b)) (true (control a))) (<= (next (control a)) (true (control b)))
(<= (next done) (does a (pick 1))) (<= (next done) (true done)) (<= terminal (true done) (true (control a)))
(<= (next (last ?n)) (does b (pick ?n))) (<= (goal b 100) (true (last 1))) (<= (goal b 0) (not (true (last 1))))
(goal a 50)"""


@pytest.mark.parametrize("interpreted", [False, True])
@pytest.mark.parametrize("rules", first_few([NIM, HEAP, LATER, STAIRS], 3), ids=["nim", "heap", "later", "stairs"])
@pytest.mark.usefixtures("phased")
def test_playouts_are_as_the_reasoner_says(rules: str, interpreted: bool, tmp_path: Path) -> None:
    """From the initial state, and from states of all phases: goals, lengths, and playouts that get stuck or are cut."""
    pytest.importorskip("llvmlite")
    assert playout_netlist(circuit(rules), age_bits=7).plies == (6 if rules is HEAP else 2)
    simulator, chances, random = gdl.compile(rules, cache=tmp_path), Chances(rules), Random(2)
    reasoner, count, most = chances.reasoner, 40_000, 8
    state = reasoner.initial_state()
    for _ in range(7):
        with interpreting() if interpreted else nullcontext():
            found = simulator.playouts(count, simulator.state(state), seed=1, max_plies=most)
        shares = [total / count for total in (*found.sums.values(), found.stuck, found.cut, found.transitions)]
        assert shares == pytest.approx(chances.of(state, most), abs=0.02, rel=0.03)
        assert found.max_length <= most
        after = [reasoner.next_state(state, pair) for pair in chances.joint(state)]
        going = [one for one in after if not reasoner.is_terminal(one) and chances.joint(one)]
        if not going:
            break
        state = random.choice(going)
    assert state != reasoner.initial_state()


@pytest.mark.parametrize("interpreted", [False, True])
@pytest.mark.usefixtures("phased")
def test_a_playout_from_each_of_many_states(interpreted: bool, tmp_path: Path) -> None:
    """Lanes begin in different phases."""
    pytest.importorskip("llvmlite")
    rules = shipped("classics/tic_tac_toe")
    game = circuit(rules)
    assert once_netlist(game).plies == 2
    simulator, reasoner = gdl.compile(rules, cache=tmp_path), gdl.Reasoner(rules)
    chances, random, states = Chances(rules), Random(2), []
    state = reasoner.initial_state()
    for _ in range(6):
        state = reasoner.next_state(state, random.choice(chances.joint(state)))
        states.append(state)
    states = states[2:]
    packed = simulator.arrays.pack([simulator.state(state) for state in states for _ in range(4096)])
    with interpreting() if interpreted else nullcontext():
        means = simulator.arrays.playouts(packed, 3, 100)[:, 0].reshape(len(states), 4096).mean(1)
    assert means.tolist() == pytest.approx([chances.of(state, 9)[0] for state in states], abs=3.5)
