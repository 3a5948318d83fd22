"""Renamings that exchange the roles."""

from __future__ import annotations

import pytest
from support.toy_rules import NIM

import gdl
from ggp.rules.shipped_games import find_game
from ggp.study.theory import Symmetry, symmetry_of

#: Both choose at once; equal choices are a draw.
TOGETHER = """\
(role left) (role right) (init start)
(<= (legal ?r (show ?n)) (role ?r) (finger ?n))
(finger one) (finger two)
(<= (next (shown ?r ?n)) (does ?r (show ?n)))
(<= terminal (true (shown ?r ?n)))
(<= (goal left 100) (true (shown left one)) (true (shown right two)))
(<= (goal right 100) (true (shown right one)) (true (shown left two)))
(<= (goal ?r 50) (role ?r) (true (shown left ?n)) (true (shown right ?n)))
(<= (goal left 0) (true (shown left two)) (true (shown right one)))
(<= (goal right 0) (true (shown right two)) (true (shown left one)))
"""


def found(rules: str | gdl.Rulesheet) -> Symmetry:
    rulesheet = gdl.Reasoner(rules).rulesheet
    roles = gdl.Reasoner(rules).roles
    return symmetry_of(rulesheet, roles, 30)


def test_both_at_once() -> None:
    assert found(TOGETHER) is Symmetry.YES


def test_conditions_in_any_order() -> None:
    first, second = "(true (shown right one))", "(true (shown left two))"
    assert f"{first} {second}" in TOGETHER
    assert found(TOGETHER.replace(f"{first} {second}", f"{second} {first}")) is Symmetry.YES


def test_a_role_that_gets_more() -> None:
    assert found(TOGETHER.replace("(goal left 0)", "(goal left 10)")) is Symmetry.UNKNOWN


def test_who_begins() -> None:
    assert found(NIM) is Symmetry.BEGINNER


@pytest.mark.parametrize("name", ["tic_tac_toe", pytest.param("breakthrough", marks=pytest.mark.slow)])
def test_pieces_and_places_are_exchanged_with_the_roles(name: str) -> None:
    assert found(gdl.Rulesheet.load(find_game(name))) is Symmetry.BEGINNER


def test_where_the_roles_begin() -> None:
    ahead = TOGETHER.replace("(init start)", "(init (shown left one)) (init (shown right two))")
    assert found(ahead) is Symmetry.PLACES


def test_rules_that_are_too_large_are_not_looked_at() -> None:
    rulesheet = gdl.Rulesheet.load(find_game("tic_tac_toe"))
    assert symmetry_of(rulesheet, gdl.Reasoner(rulesheet).roles, 30, rules=10) is Symmetry.UNTRIED
    assert symmetry_of(rulesheet, gdl.Reasoner(rulesheet).roles, 0) is Symmetry.UNTRIED


def test_percepts() -> None:
    assert found(gdl.Rulesheet.load(find_game("kuhn_poker"))) is Symmetry.PERCEPTS


@pytest.mark.parametrize("name", ["wolf_sheep", pytest.param("fox_game", marks=pytest.mark.slow)])
def test_different_sides(name: str) -> None:
    assert found(gdl.Rulesheet.load(find_game(name))) is Symmetry.UNKNOWN
