"""Why a match is over: the facts from which it follows, and the condition in words."""

from __future__ import annotations

import pytest

import gdl
from ggp.board.wishes import parse_wishes
from ggp.rules.shipped_games import find_game
from ggp.server.game.reasons import end_of
from ggp.server.game.table import Table

ROW = """(cell 1 1 x) (cell 2 1 x) (cell 3 1 x) (cell 1 2 o) (cell 2 2 o) (cell 3 2 b)
(cell 1 3 b) (cell 2 3 b) (cell 3 3 b) (control oplayer)"""


def test_a_line_is_the_reason() -> None:
    game = gdl.Reasoner.load(find_game("tic_tac_toe"))
    facts, words = end_of(game, game.state(ROW))
    assert sorted(fact.text for fact in facts) == ["(cell 1 1 x)", "(cell 2 1 x)", "(cell 3 1 x)"]
    assert words == "Xplayer has a line."


def test_nothing_is_the_reason_before_the_end() -> None:
    game = gdl.Reasoner.load(find_game("tic_tac_toe"))
    assert end_of(game, game.initial_state()) == ([], "")


def test_an_end_for_want_of_something() -> None:
    game = gdl.Reasoner("(role r) (legal r go) (init a) (next b) (<= terminal (not (true a))) (<= (goal r 7) (true b))")
    facts, words = end_of(game, game.state("b"))
    assert [fact.text for fact in facts] == ["b"]
    assert words == "There is no a."


def test_an_end_without_conditions() -> None:
    game = gdl.Reasoner("(role r) (legal r go) (init a) terminal (goal r 7)")
    assert end_of(game, game.initial_state()) == ([], "")


def test_before_the_end_no_cell_is_marked() -> None:
    table = Table(find_game("tic_tac_toe").read_text(encoding="utf-8"), "game.kif", parse_wishes("", "wishes"))
    assert table.reason(None, 0) == {"cells": [], "because": ""}


FAR = "; (far P): P is far away, so it is lost.\n(<= (far a) (true b))"


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ("(<= terminal (true (step 5))) (init (step 5))", "Step 5 is reached."),
        ("(<= terminal (not (can_move r)))", "R cannot move."),
        ("(<= terminal over) (<= over (true (score r 30))) (init (score r 30))", "R: score 30."),
        (f"{FAR}(<= terminal (far a)) (init b)", "A is far away, so it is lost."),
        (f"{FAR}(<= terminal (not (far a)))", "It is not so that a is far away."),
        ("(<= terminal (true (control r)) (not (has_move r))) (init (control r))", "R has no move."),
    ],
)
def test_why_it_is_over_in_a_sentence(rules: str, words: str) -> None:
    game = gdl.Reasoner(f"(role r) (legal r go) (next c) (goal r 7)\n{rules}")
    assert end_of(game, game.initial_state())[1] == words
