"""Random games, of which the Reasoner, the Simulator, explanations and the checker say what the oracle says."""

from __future__ import annotations

from collections import Counter
from random import Random
from unittest.mock import patch

import pytest
from support.comparing import Disagreement, compare
from support.features import Coverage
from support.fuzz import check_game, minimal
from support.oracle import Game
from support.random_games import random_game

import gdl
from gdl.checker.domains import Domains

#: The games that are compared with the Reasoner, explanations and the checker; the default run takes the first ones.
GAMES = range(300)
FIRST = 15
#: These are compiled, too; and of this one, arrays and batches are made.
COMPILED = range(0, 300, 50)
ARRAYS = 7
#: The games of the exhaustive run, compared with everything.
MANY = range(1000, 11_000)


def check(numbers: range, level: int) -> Counter[str]:
    counts: Counter[str] = Counter()
    for number in numbers:
        text = random_game(Random(number))
        try:
            counts += check_game(number, text, level)
        except AssertionError as error:
            raise AssertionError(
                f"game {number} (PYTHONPATH=.:tests python -m support.fuzz --only {number}): {error}"
            ) from error
    return counts


@pytest.mark.parametrize(
    "first", [pytest.param(i, marks=() if i < FIRST else pytest.mark.slow) for i in range(0, len(GAMES), FIRST)]
)
def test_games_go_as_the_oracle_says(first: int) -> None:
    counts = check(GAMES[first : first + FIRST], 0)
    assert counts["refused"] == 0
    assert counts["states"] > 15
    assert counts["claims"] > 40


def test_compiled_games_go_as_the_oracle_says() -> None:
    pytest.importorskip("llvmlite")
    assert check(COMPILED, 1)["compiled"] >= len(COMPILED) - 1


def test_many_states_go_as_the_oracle_says() -> None:
    pytest.importorskip("llvmlite")
    assert check(range(ARRAYS, ARRAYS + 1), 2)["arrays"] == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(0, len(MANY), 100))
def test_many_games_go_as_the_oracle_says(first: int) -> None:
    check(MANY[first : first + 100], 2)


def test_games_of_every_kind_are_met() -> None:
    coverage = Coverage()
    for number in GAMES:
        coverage.add(random_game(Random(number)))
    assert coverage.missing() == []


# The comparison finds what is wrong

WALK = """
(role r) (init (at 1)) (succ 1 2) (succ 2 3)
(<= (legal r (go ?y)) (true (at ?x)) (succ ?x ?y)) (legal r stay)
(<= (next (at ?y)) (does r (go ?y))) (<= (next (at ?x)) (does r stay) (true (at ?x)))
(<= terminal (true (at 3))) (<= (goal r 100) (true (at 3))) (<= (goal r 0) (not (true (at 3))))
"""


def test_a_wrong_engine_is_found() -> None:
    compare(WALK, 1)
    moves = gdl.Reasoner.legal_moves
    with (
        patch.object(gdl.Reasoner, "legal_moves", lambda *asked: moves(*asked)[1:]),
        pytest.raises(Disagreement, match="legal r: expected"),
    ):
        compare(WALK, 1)


def test_a_wrong_claim_is_found() -> None:
    possible = Domains.possible
    with (
        patch.object(Domains, "possible", lambda domains, atom: atom.name != "succ" and possible(domains, atom)),
        pytest.raises(Disagreement, match="nothing derives"),
    ):
        compare(WALK, 1)


def test_a_text_is_made_small() -> None:
    def fails(text: str) -> bool:
        return any(head[:2] == ("legal", "r") and body for head, body in Game(text).rules)

    assert minimal(WALK, fails, 5.0) == "(<= (legal r) ?x)"
