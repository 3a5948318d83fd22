"""Moves that are chosen in two parts: the game between them goes as the rules say, here by the Reasoner."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.agreement import check_playouts
from support.large_rules import amazons
from support.profiles import examples
from support.random_games import random_game
from support.strategies import games
from support.toy_rules import NIM

import gdl
from gdl.grounder import ground, moves_in_parts
from gdl.grounder.moves_in_parts import MovesInParts, in_parts
from gdl.simulator.game_in_parts import GameInParts

pytest.importorskip("clingo")

#: Two roles mark pairs of numbers, both in each ply; `{}` says what is legal, and more.
FRAME = """
(role a) (role b) (n 1) (n 2) (n 3) (init (left 3)) (down 3 2) (down 2 1) (down 1 0) (init (wall 2))
(<= (next (left ?m)) (true (left ?n)) (down ?n ?m)) (<= terminal (true (left 0)))
(<= (next (wall ?x)) (true (wall ?x)))
(<= (next (mark ?x ?y)) (true (mark ?x ?y))) (<= (goal ?r 50) (role ?r) (not (true (mark 1 1))))
(<= (goal ?r 100) (role ?r) (true (mark 1 1)))
"""
PAIR = "(<= (legal ?r (pair ?x ?y)) (role ?r) (n ?x) (n ?y) (not (true (mark ?x ?y))) (not (true (wall ?x))))"
MARK = "(<= (next (mark ?x ?y)) (does ?r (pair ?x ?y)))"
FORMS = {
    "both roles at once": PAIR + MARK,
    "two functions, and whole moves": PAIR + MARK + "(legal a noop)"
    "(<= (legal b (swap ?x ?y)) (n ?x) (true (mark ?x ?y))) (<= (next (mark ?y ?x)) (does b (swap ?x ?y)))",
    "two rules with other conditions": "(<= (legal ?r (pair ?x ?y)) (role ?r) (n ?x) (n ?y) (true (left 3)))"
    "(<= (legal ?r (pair ?x ?y)) (role ?r) (n ?x) (n ?y) (not (true (left 3))) (down ?x ?y))"
    "(<= (legal ?r noop) (role ?r))" + MARK,
    "moves as variables": PAIR
    + MARK
    + "(legal a noop) (<= (next (last ?r ?m)) (does ?r ?m)) (<= (sees ?r ?m) (role ?r)"
    "(does ?q ?m)) (<= (next (idle ?r)) (does ?r noop)) (<= (next busy) (role ?r) (not (does ?r noop)))",
    "a relation of moves": "(<= (legal ?r ?m) (may ?r ?m)) (<= (may ?r (pair ?x ?y)) (role ?r) (n ?x) (n ?y)"
    " (not (true (mark ?x ?y)))) (<= (may a noop) (true (left 2)))" + MARK,
    "legal moves as conditions": PAIR + MARK + "(legal a noop) (<= none (role ?r) (not (some ?r))) (<= terminal none)"
    "(<= (some ?r) (legal ?r (pair ?x ?y))) (<= (sees a (all ?m)) (legal a ?m))"
    "(<= (next wide) (not (legal b (pair 1 2))))",
    "constants and equal arguments": "(<= (legal ?r (pair ?x ?x 3 ?y)) (role ?r) (n ?x) (n ?y))"
    "(legal b (pair 1 2 1 2)) (<= (next (mark ?x ?y)) (does ?r (pair ?x ?y 3 1)))"
    "(<= (next (mark 1 ?y)) (does b (pair ?x 2 1 ?y)))",
    "helpers that are told a part": "(<= (legal ?r (pair ?x ?y ?z)) (role ?r) (free ?x) (reach ?x ?y) (near ?x ?y ?z))"
    "(<= (free ?x) (n ?x) (not (true (mark ?x ?x)))) (<= (reach ?x ?y) (free ?x) (down ?x ?y))"
    "(<= (reach ?x ?z) (reach ?x ?y) (free ?y) (down ?y ?z)) (<= (near ?x ?x 3) (free ?x))"
    "(<= (near ?x ?y ?z) (reach ?x ?y) (down ?z ?y) (not (true (mark ?z ?x))))"
    "(<= (near 3 ?y (left ?z)) (reach 3 ?y) (reach ?z ?y)) (<= (near ?x ?y ?z) (near ?x ?y ?w) (down ?w ?z))"
    "(<= (next (mark ?x ?z)) (does ?r (pair ?x ?y ?z)))",
    "facts of which some last": "(init (gate 1 open)) (init (gate 2 shut))"
    "(<= (next (gate ?x open)) (true (gate ?x open)))"
    "(<= (legal ?r (pair ?x ?y)) (role ?r) (n ?x) (n ?y) (not (true (gate ?y shut))))" + MARK,
    "names that are taken": PAIR.replace("mark", "pair-is-1")
    + "(init (between 1)) (<= (legal a pair-1) (true (between 1)))"
    "(<= (next (pair-is-1 ?x ?y)) (does ?r (pair ?x ?y))) (<= (next (pair-is-1 ?x ?y)) (true (pair-is-1 ?x ?y)))"
    "(<= (next done) (does a pair-1)) (<= (next (mark ?x ?x)) (does ?r (pair ?x 1)) (does a pair-1))",
    "parts that cannot be completed": "(<= (legal ?r (pair ?x ?y)) (role ?r) (n ?x) (down ?x ?y) (true (left ?y)))"
    "(legal a no) (<= (legal b no) (true (left 2)))" + MARK,
}


def rewritten(text: str) -> MovesInParts | None:
    return in_parts(gdl.Rulesheet(text))


def check(text: str, playouts: int = 4, plies: int = 6) -> bool:
    """Compare a game with the one whose moves are in parts, both by the Reasoner; False if it has none."""
    rulesheet = gdl.Rulesheet(text)
    parts = in_parts(rulesheet)
    if parts is None:
        return False
    game = GameInParts(rulesheet, parts, gdl.Reasoner(gdl.Rulesheet.of_source(parts.source)))  # type: ignore[arg-type]
    check_playouts(gdl.Reasoner(rulesheet), game, playouts, plies)  # type: ignore[arg-type]
    return True


@pytest.mark.parametrize("form", FORMS)
def test_forms(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves_in_parts, "_GAIN", 0)
    assert check(FRAME + FORMS[form])


@examples(60)
@given(games() | st.integers(0, 2**32).map(lambda seed: random_game(Random(seed))))
def test_random_games(text: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(moves_in_parts, "_GAIN", 0)
        check(text, playouts=2, plies=4)


def test_the_largest_gain_is_taken() -> None:
    parts = rewritten(amazons(4))
    assert parts is not None
    assert [(own.name, own.arity, own.split) for own in parts.parts] == [("move", 6, 4)]
    assert check(amazons(4), playouts=1, plies=4)


@pytest.mark.parametrize(
    "text",
    [
        NIM,
        FRAME + PAIR + MARK + "(<= (next (copy ?f)) (true ?f))",
        FRAME + PAIR + MARK + "(<= (next calm) (not (does a (pair 1 1))))",
        FRAME + "(<= (legal ?r ?m) (true (free ?r ?m))) (init (free a x)) (init (free b (pair 1 1)))",
        FRAME + "(<= (legal ?r (pair ?x ?y)) (role ?r) (beside ?x ?y)) (beside 1 2)" + MARK,
    ],
    ids=["few moves", "any fact", "a move that is not made", "moves of facts", "no gain"],
)
def test_what_stays_as_it_is(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if "beside" not in text and text is not NIM:
        monkeypatch.setattr(moves_in_parts, "_GAIN", 0)
    assert rewritten(text) is None


def test_recursive_moves_end() -> None:
    text = "(role a) (n 1) (init (left 3)) (<= terminal (true (left 0))) (<= (legal ?r ?m) (may ?r ?m))"
    text += "(<= (may ?r ?m) (may ?r ?m) (n 1)) (<= (legal ?r (pair ?x ?y)) (role ?r) (n ?x) (n ?y))"
    assert in_parts(gdl.Rulesheet(text)) is None


def test_parts_are_not_split_again() -> None:
    parts = in_parts(gdl.Rulesheet(amazons(4)))
    assert parts is not None
    assert in_parts(gdl.Rulesheet.of_source(parts.source)) is None


def test_there_is_far_less_to_ground() -> None:
    parts = rewritten(amazons(8))
    assert parts is not None
    ground(gdl.Rulesheet.of_source(parts.source), gdl.CompileBudget(rules=50_000))
