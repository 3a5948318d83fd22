"""Joint moves: the forms in which they can be given, and those that are refused."""

from __future__ import annotations

import pytest
from support.race import facts, one

import gdl
from gdl import Constant, Function, Reasoner, parse_term

# Joint moves


@pytest.mark.parametrize(
    "moves",
    [
        {"White": "(step 2)", "black": "noop"},
        {"BLACK": Constant("NOOP"), "white": Function("STEP", (Constant("2"),))},
        ["(step 2)", "noop"],
        (parse_term("(step 2)"), Constant("noop")),
        ["( step 2 ) ; comment", "(noop)"],
        "(step 2) noop",
        "(STEP 2)\n  (Noop)",
    ],
)
def test_moves_may_be_given_in_many_ways(race: Reasoner, moves: gdl.Moves) -> None:
    state = race.next_state(race.initial_state(), moves)
    assert facts(state) == ["(at White 2)", "(at black 0)", "(control black)"]


def test_next_state_knows_both_moves() -> None:
    game = Reasoner(
        "(role a) (role b) (<= (legal ?r ?m) (role ?r) (move ?m))"
        "(move 1) (move 2) (<= terminal (true over)) (<= (next (said ?r ?m)) (does ?r ?m))"
        "(<= (next same) (does a ?m) (does b ?m))"
    )
    assert facts(game.next_state(game.initial_state(), ["1", "2"])) == ["(said a 1)", "(said b 2)"]
    assert facts(game.next_state(game.initial_state(), ["2", "2"])) == ["(said a 2)", "(said b 2)", "same"]


def test_an_illegal_move_names_those_that_are_legal(race: Reasoner) -> None:
    with pytest.raises(gdl.IllegalMoveError) as caught:
        race.next_state(race.initial_state(), ["(step 3)", "noop"])
    assert str(caught.value) == "illegal-move: (step 3) is not legal for White; legal: (step 1), (step 2)"
    assert (caught.value.role, caught.value.move, caught.value.legal) == ("White", "(step 3)", ("(step 1)", "(step 2)"))


def test_an_illegal_move_names_the_nearest_of_many() -> None:
    game = one("(<= (legal r (mark ?x ?y)) (d ?x) (d ?y))" + "".join(f"(d {x})" for x in range(1, 9)))
    with pytest.raises(gdl.IllegalMoveError) as caught:
        game.next_state(game.initial_state(), ["(mark 3 9)"])
    text = str(caught.value)
    assert text.startswith("illegal-move: (mark 3 9) is not legal for r; nearest of 65 legal moves: (mark 3 ")
    assert text.count("(mark") == 6
    assert len(caught.value.legal) == 65


def test_a_move_where_there_is_none() -> None:
    game = Reasoner("(role r) terminal")
    with pytest.raises(gdl.IllegalMoveError, match="go is not legal for r; it has no legal move"):
        game.next_state(game.initial_state(), ["go"])


def test_a_move_that_is_no_term(race: Reasoner) -> None:
    with pytest.raises(gdl.TermError, match="never closed"):
        race.next_state(race.initial_state(), ["(step", "noop"])
    with pytest.raises(gdl.TermError, match="expected one term, found 2"):
        race.next_state(race.initial_state(), ["(step 1) noop", "noop"])
    with pytest.raises(gdl.IllegalMoveError, match=r"\?x is not legal"):
        race.next_state(race.initial_state(), ["?x", "noop"])


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ({"White": "(step 1)"}, "no move for black"),
        ({}, "no move for White, black"),
        (["(step 1)"], r"1 moves for 2 roles \(White, black\)"),
        (["(step 1)", "noop", "noop"], r"3 moves for 2 roles \(White, black\)"),
        ([], "0 moves for 2 roles"),
        ("(step 1)", "1 moves for 2 roles"),
    ],
)
def test_a_joint_move_has_a_move_for_each_role(race: Reasoner, moves: gdl.Moves, message: str) -> None:
    for question in (race.next_state, race.percepts):
        with pytest.raises(gdl.JointMoveError, match=f"joint-move: {message}"):
            question(race.initial_state(), moves)


def test_a_joint_move_has_only_one_move_for_each_role(race: Reasoner) -> None:
    with pytest.raises(gdl.JointMoveError):
        race.next_state(race.initial_state(), {"white": "(step 1)", "White": "(step 2)", "black": "noop"})
