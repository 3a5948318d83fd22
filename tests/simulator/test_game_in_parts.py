"""Compiled games whose moves are chosen in two parts."""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("clingo")
pytest.importorskip("llvmlite")

from support.agreement import check_playouts
from support.large_rules import amazons
from support.toy_rules import NIM

import gdl
from gdl.circuit import pipeline
from gdl.grounder import moves_in_parts
from gdl.grounder.moves_in_parts import MovesInParts
from gdl.simulator import game_in_parts
from gdl.simulator.partial_game import PartialGame

#: Enough ground rules for both parts of the moves of `amazons(4)`, but not for whole moves.
BUDGET = gdl.CompileBudget(rules=8_000)

#: One ply; the goal names the move: 9 of them, of which the first parts have 1, 3, 4 and no second parts.
ONE_PLY = """(role a) (init (step 0)) (<= (next (made ?x ?y)) (does a (pick ?x ?y))) (<= terminal (not (true (step 0))))
(row 0 1 11) (row 1 1 21) (row 1 2 22) (row 1 3 23) (row 2 1 31) (row 2 2 32) (row 2 3 33) (row 2 4 34)
(x 0) (x 1) (x 2) (x 3)
(<= (legal a (pick ?x ?y)) (x ?x) (row ?x ?y ?v) (true (step 0))) (<= (legal a pass) {pass_})
(<= (next passed) (does a pass)) (<= (goal a 99) (true passed)) (<= (goal a ?v) (true (made ?x ?y)) (row ?x ?y ?v))
"""


def compiled(text: str, cache: bool | Path = False) -> PartialGame:
    game = gdl.compile(text, cache=cache, budget=BUDGET, progress=lambda _: None)
    assert isinstance(game, PartialGame)
    return game


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Moves are chosen in parts wherever they can be."""
    monkeypatch.setattr(moves_in_parts, "_GAIN", 0)
    monkeypatch.setattr(pipeline, "_FORESEEN", 0.0)


def test_answers_are_those_of_the_reasoner(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    game = gdl.compile(amazons(4), cache=tmp_path, budget=BUDGET)
    assert isinstance(game, PartialGame)
    assert (game.by_reasoner, caplog.messages) == ((), [])
    assert "moves are chosen in two parts" in game.reason
    check_playouts(gdl.Reasoner(game.rulesheet), game, count=3, plies=20)  # type: ignore[arg-type]
    again: PartialGame = pickle.loads(pickle.dumps(game))
    result = game.playouts(600, seed=7)
    assert replace(again.playouts(600, seed=7), seconds=0.0) == replace(result, seconds=0.0)
    assert (result.playouts, result.cut, result.stuck) == (600, 0, 0)
    cut = again.playouts(20, again.initial_state(), seed=1, max_plies=2)
    assert (cut.cut, cut.transitions, cut.max_length) == (20, 40, 2)
    with pytest.raises(gdl.NotWholeError):
        _ = game.arrays


@pytest.mark.parametrize(("pass_", "moves"), [("(true (step 0))", 9), ("(true (step 1))", 8)])
@pytest.mark.usefixtures("always")
def test_each_move_is_as_likely_as_any_other(pass_: str, moves: int) -> None:
    game = compiled(ONE_PLY.format(pass_=pass_))
    assert len(game.legal_moves(game.initial_state(), "a")) == moves
    counts = Counter(game.playouts(9_000, seed=3).counts["a"])
    expected = counts.total() / moves
    assert (counts.total(), len(counts)) == (9_000, moves)
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 26  # one in a thousand with 8 degrees


@pytest.mark.usefixtures("always")
def test_a_role_may_have_first_parts_only(monkeypatch: pytest.MonkeyPatch) -> None:
    stuck = ONE_PLY.format(pass_="(true (step 1))").replace("(x 0) (x 1) (x 2)", "(x 5)")
    game = compiled(stuck)
    with pytest.raises(gdl.NoLegalMoveError):
        game.legal_moves(game.initial_state(), "a")
    monkeypatch.setattr(game_in_parts, "_PATIENCE", 3)
    result = game.playouts(5)
    assert (result.stuck, result.transitions) == (5, 0)


def test_what_will_be_too_large_is_refused_before_it_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "_FORESEEN", 0.0)
    game = gdl.compile(amazons(4), cache=False)
    assert isinstance(game, PartialGame)
    assert (game.by_reasoner, game.refusal.stage, game.refusal.budget) == ((), pipeline.BUILDING, "seconds")
    assert isinstance(gdl.compile(NIM, cache=False), gdl.Simulator)  # its moves cannot be chosen in parts
    assert isinstance(gdl.compile(amazons(3), cache=False), gdl.Simulator)  # there are too few of them


@pytest.mark.usefixtures("always")
def test_facts_about_parts_are_no_facts_of_the_game() -> None:
    game = compiled(ONE_PLY.format(pass_=""))
    with pytest.raises(gdl.UnreachableStateError, match="holds in no state"):
        game.state("(step 0) between (pick-is-1 a 1)")


@pytest.mark.usefixtures("always")
def test_roles_do_not_wait_for_each_other() -> None:
    """Each has one second part for two of three first parts, and none for the third one, which might have forty."""
    rows = " ".join(f"(row 2 {y})" for y in range(40))
    game = compiled(
        f"(role a) (role b) (role c) (x 0) (x 1) (x 2) (row 0 0) (row 1 0) {rows}"
        "(init (step 0)) (init (fine 0)) (init (fine 1))"
        "(<= (legal ?r (pick ?x ?y)) (role ?r) (x ?x) (row ?x ?y) (true (fine ?x)))"
        "(<= (next (fine 2)) (true (fine 3)))"
        "(<= (next (made ?r ?x)) (does ?r (pick ?x ?y))) (<= terminal (not (true (step 0))))"
        "(<= (goal ?r 10) (true (made ?r 0))) (<= (goal ?r 20) (true (made ?r 1)))"
    )
    result = game.playouts(400, seed=1, max_plies=5)
    assert result.playouts == 400
    assert result.steps < 400
    assert all(150 < number < 250 for counts in result.counts.values() for number in counts.values())


@pytest.mark.usefixtures("always")
def test_a_wrong_rewrite_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = moves_in_parts.in_parts

    def wrong(rulesheet: gdl.Rulesheet) -> MovesInParts | None:
        if (parts := right(rulesheet)) is None:
            return None
        text = parts.source.text.replace("(not (true (step 0)))", "(not (true (step 0))) (not (true passed))")
        return replace(parts, source=replace(parts.source, text=text))

    monkeypatch.setattr(moves_in_parts, "in_parts", wrong)
    with pytest.raises(gdl.MiscompiledError, match=r"terminal holds by the rules.*\(moves in parts\)"):
        compiled(ONE_PLY.format(pass_="(true (step 0))"))
