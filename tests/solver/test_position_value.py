"""Exact values in one call."""

from __future__ import annotations

import pytest
from support.toy_rules import COIN

import gdl
import ggp
from ggp.solver.errors import LineError, NotSolvableError


def test_the_start_of_a_game() -> None:
    value = ggp.solve("tic_tac_toe")
    assert str(value) == "draw in 9 plies: xplayer 50, oplayer 50"
    assert repr(value) == f"<PositionValue tic_tac_toe: {value}>"
    assert (value.goals, value.plies, value.proven) == ({"xplayer": 50, "oplayer": 50}, 9, True)
    assert len(value.moves) == 9


def test_a_position_after_moves() -> None:
    value = ggp.solve("tic_tac_toe", "(mark 1 1) (mark 1 2)")
    assert value.goals == {"xplayer": 100, "oplayer": 0}
    assert ggp.solve("tic_tac_toe", "(mark 1 1) (mark 1 2)", only_value=True).text == value.text
    rest = repr(value.moves)
    assert rest.startswith("((mark ")
    assert ggp.solve("tic_tac_toe", f"(mark 1 1) (mark 1 2) {rest}").plies == 0


def test_the_reasoner_solves_as_the_simulator_does() -> None:
    sheet = gdl.Rulesheet.load(ggp.find_game("tic_tac_toe"))
    line = "(mark 1 1) (mark 1 2) (mark 2 2)"
    compiled = ggp.solve(gdl.compile(sheet), line)
    assert compiled.goals == ggp.solve(sheet, line).goals


def test_a_plan_for_one_role() -> None:
    stages: list[str] = []
    rules = """
        (role r) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
        (legal r step) (legal r wait)
        (<= (next (at ?y)) (true (at ?x)) (does r step) (succ ?x ?y))
        (<= (next (at ?x)) (true (at ?x)) (does r wait))
        (<= terminal (true (at 3))) (<= (goal r 100) (true (at 3))) (<= (goal r 0) (not (true (at 3))))
    """
    value = ggp.solve(gdl.Rulesheet(rules), progress=stages.append)
    assert str(value) == "r has 100 in 3 plies"
    assert [move.text for (move,) in value.moves] == ["step"] * 3
    assert value.proven
    assert stages


def test_what_cannot_be_solved_is_said() -> None:
    with pytest.raises(NotSolvableError):
        ggp.solve(gdl.Rulesheet(COIN))
    with pytest.raises(LineError):
        ggp.solve("tic_tac_toe", "(mark 1 1) (mark 1 1)")
