"""Verdicts found by playing and by proofs about all states, on games whose verdicts are known."""

from __future__ import annotations

import re

import pytest
from support.toy_files import ROOT
from support.toy_rules import COIN, ENDLESS, NIM, STUCK

import gdl
from gdl.language.parser import source_of
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Constant, Function
from ggp.rules.checking import FileReport, Options, Simulation, check_source, written
from ggp.rules.checking.playing import play
from ggp.rules.checking.proofs import followed
from ggp.rules.checking.simulation import Simulated, simulate
from ggp.rules.checking.verdict import Verdict

GAMES = ROOT / "games"


#: After eight plies, if four bits are set just so, nobody can move; random playouts hardly come there.
TRAP = """\
(role left) (role right)
(init (step 0)) (init (control left)) (init (cell 1 x)) (init (cell 2 y))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
(bit 0) (bit 1) (place 1) (place 2) (place 3) (place 4)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (control right)) (true (control left)))
(<= (next (control left)) (true (control right)))
(<= (next (bits ?p ?b)) (does left (set ?p ?b)))
(<= (next (bits ?p ?b)) (true (bits ?p ?b)))
(<= trap (true (bits 1 1)) (true (bits 2 0)) (true (bits 3 0)) (true (bits 4 1)) (true (control left)))
(<= (legal left (set ?p ?b)) (true (control left)) (place ?p) (bit ?b))
(<= (legal left noop) (true (control right)))
(<= (legal right noop) (not trap))
(<= (next (cell ?c ?m)) (true (cell ?c ?m)) (not (true (step 7))))
(<= (next (cell ?c x)) (true (cell ?c ?_m)) (true (step 7)))
(<= (next (cell 1 y)) (true (step 7)) (true (bits 1 1)))
(<= terminal (true (step 10)))
(<= (goal left 100) (true (bits 1 1)))
(<= (goal left 0) (not (true (bits 1 1))))
(goal right 50)
"""


def look(text: str, *, playouts: int = 3, seconds: float = 20.0) -> Simulated:
    return simulate(Rulesheet(text), Simulation(playouts, seconds))


def verdicts(found: Simulated) -> dict[str, list[Verdict]]:
    by_name: dict[str, list[Verdict]] = {}
    for verdict in found.verdicts:
        by_name.setdefault(verdict.name, []).append(verdict)
    return by_name


def results(found: Simulated) -> dict[str, list[str]]:
    return {name: [verdict.result for verdict in of_name] for name, of_name in verdicts(found).items()}


def test_all_that_holds_of_nim_is_proved() -> None:
    found = look(NIM)
    assert results(found) == {
        "legal moves": ["proved", "proved"],
        "goals": ["proved", "proved"],
        "termination": ["proved"],
        "winnable": ["proved", "proved"],
        "monotone goals": ["differs"],
        "constant sum": ["held"],
        "facts": ["proved"],
        "outcomes": ["seen"],
        "one ply": ["seen"],
    }
    assert found.diagnostics == ()


def test_tic_tac_toe_ends_after_nine_plies() -> None:
    text = (GAMES / "classics" / "tic_tac_toe.kif").read_text(encoding="utf-8")
    told = verdicts(look(text))
    assert told["termination"][0].message.startswith("every match is over after 9 plies: ")
    assert {one.message for one in told["facts"]} == {
        "exactly one (cell ... ... ?) for each of 9 places",
        "exactly one (control ?)",
    }
    assert {one.result for one in told["facts"]} == {"proved"}


@pytest.fixture(scope="module")
def found() -> Simulated:
    return look(TRAP, playouts=1)


class TestTrap:
    def test_a_search_finds_the_way(self, found: Simulated) -> None:
        left, right = verdicts(found)["legal moves"]
        assert left.result == "proved"
        assert right.result == "counterexample"
        assert right.moves is not None
        assert len(right.moves) == 8

    def test_the_reasoner_agrees(self, found: Simulated) -> None:
        game = gdl.Reasoner(TRAP)
        way = verdicts(found)["legal moves"][1].moves
        assert way is not None
        state = followed(game, way)
        assert not game.is_terminal(state)
        with pytest.raises(gdl.PlayError, match="right has no legal move"):
            game.legal_moves(state, "right")

    def test_it_is_a_mistake_at_the_rules_of_the_role(self, found: Simulated) -> None:
        (mistake,) = found.diagnostics
        assert (mistake.code, mistake.location.line) == ("no-legal-move", 13)
        assert mistake.message == "right has no legal move, and the state is not terminal; this is after 8 plies"

    def test_a_counter_ends_it(self, found: Simulated) -> None:
        (ending,) = verdicts(found)["termination"]
        assert ending.result == "proved"
        assert ending.message.startswith("every match is over after 10 plies: a counter")

    def test_two_things_in_a_cell(self, found: Simulated) -> None:
        cells = next(one for one in verdicts(found)["facts"] if "cell" in one.message)
        assert (cells.kind, cells.result, cells.fails) == ("usual", "differs", False)
        assert {
            Function("cell", (Constant("1"), Constant("x"))),
            Function("cell", (Constant("1"), Constant("y"))),
        } <= set(cells.facts)
        control = next(one for one in verdicts(found)["facts"] if "control" in one.message)
        assert control.result == "proved"

    def test_who_can_win(self, found: Simulated) -> None:
        left, right = verdicts(found)["winnable"]
        assert left.result == "proved"
        assert (right.result, right.message) == ("refuted", "no state that can be reached is worth 100 to right")


def test_a_role_that_is_stuck() -> None:
    found = look(STUCK)
    assert results(found)["legal moves"] == ["counterexample"]
    assert [one.code for one in found.diagnostics] == ["no-legal-move"]
    assert results(found)["termination"] != ["held"]


def test_a_role_that_never_has_a_move() -> None:
    text = "(role a) (role b) (init on) (<= (legal a go) (true on)) (<= (next off) (does a go)) (goal b 0)"
    found = look(text + "(<= (goal a 100) (true off)) (<= (goal a 0) (true on)) (<= terminal (true off))")
    assert results(found)["legal moves"] == ["proved", "counterexample"]
    assert results(found)["winnable"] == ["unknown", "refuted"]
    assert verdicts(found)["legal moves"][1].moves == ()


def test_chance_needs_no_goal() -> None:
    found = look(COIN)
    assert results(found)["legal moves"] == ["proved"] * 3
    assert results(found)["goals"] == ["proved"] * 2
    assert results(found)["termination"] == ["proved"]
    assert results(found)["winnable"] == ["proved"] * 2


def test_what_never_ends() -> None:
    (ending,) = verdicts(look(ENDLESS, playouts=1))["termination"]
    assert ending.result == "unknown"
    assert "1 cut off" in ending.message


def test_without_time_for_proofs_nothing_is_proved_but_ways_to_win() -> None:
    found = look(NIM, seconds=0.0)
    assert {"proved"} >= {one.result for one in verdicts(found)["winnable"]} - {"unknown"}
    assert results(found)["legal moves"] == ["held", "held"]
    assert verdicts(found)["legal moves"][0].message.endswith("; not proved")
    assert [one.message for one in verdicts(found)["proofs"]] == [
        "nothing could be proved: no time is given for proofs"
    ]


def test_of_a_large_circuit_nothing_is_proved_in_little_time() -> None:
    told = verdicts(look(TRAP, playouts=1, seconds=0.001))
    assert told["termination"][0].result == "held"
    (why,) = [one.message for one in told["proofs"]]
    assert "gates; try ggp check --simulate --seconds 1" in why or "more seconds than allowed" in why


def test_terms_without_end_are_reported() -> None:
    text = STUCK + "(<= (pile (s ?n)) (pile ?n))\n(pile z)\n(<= (legal solo (take ?n)) (pile ?n))\n"
    found = check_source(source_of(text, "g.kif"), Options(simulation=Simulation(1, 0.0)))
    assert [one.code for one in found.diagnostics if one.severity == "error"] == ["growing-recursion"] * 2
    assert found.verdicts == ()


def test_goals_that_are_missing_or_several() -> None:
    text = NIM.replace("(<= (goal ?r 0) (true (control ?r)))", "(<= (goal left 0) (true (control left)))")
    found = look(text, playouts=10, seconds=0.0)
    assert "goal-value" in {one.code for one in found.diagnostics}
    assert "counterexample" in results(found)["goals"]


def test_a_refused_file_is_not_played() -> None:
    found = check_source(source_of("(role r) (terminal", "g.kif"), Options(simulation=Simulation()))
    assert found.verdicts == ()


def test_playouts_are_the_same_for_a_seed() -> None:
    first, second = (play(gdl.Reasoner(NIM), playouts=5, seconds=60.0, seed=3) for _ in range(2))
    assert (first.plies, first.wins, first.traces) == (second.plies, second.wins, second.traces)
    assert first.playouts == first.finished == 5


def test_a_draw_without_a_goal_is_found_though_no_playout_meets_it() -> None:
    text = (GAMES / "classics" / "tic_tac_toe.kif").read_text(encoding="utf-8")
    draw = "(<= (goal ?role 50)"
    assert draw in text
    found = look(text.replace(draw, "(<= (goal ?role 50) (true (cell 1 1 b))"), playouts=1)
    assert results(found)["goals"] == ["counterexample", "counterexample"]
    assert {one.code for one in found.diagnostics} == {"goal-value"}
    assert all(one.fails for one in verdicts(found)["goals"])


def test_only_required_properties_fail() -> None:
    found = look(TRAP, playouts=1)
    assert {(one.kind, one.name) for one in found.verdicts if one.fails} == {
        ("required", "legal moves"),
        ("required", "winnable"),
    }
    report = written([FileReport("trap.kif", (), found.verdicts)], "text")
    headings = [line for line in report.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == ["required by the specification of GDL:", "usual, but not required:", "information:"]
    usual = report.partition(headings[1])[2].partition(headings[2])[0]
    assert "differs" in usual
    assert not re.search("counterexample|fail|refuted|moves =", usual)
    assert report.endswith("trap.kif: 2 required properties do not hold\n")
