"""Large static relations are grounded as far as they are asked for."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from gdl.grounder import ground, large_tables
from gdl.grounder.projection import project
from gdl.language.rulesheet import Rulesheet

pytest.importorskip("clingo")

from support.grounded import SMALL, check_rewritten

#: 60 to the power of four rows, of which few are asked for.
NUMBERS = " ".join(f"(n {i}) (after {i} {i + 1})" for i in range(60))
FAR = """(<= (far ?a ?b ?c ?d ?s) (side ?a ?c ?s) (side ?b ?d ?t)) (<= (side ?a ?c w) (n ?a) (n ?c) (not (less ?a ?c)))
(<= (far ?a ?b ?a ?b here) (n ?a) (n ?b))
(<= (side ?a ?c e) (less ?a ?c)) (<= (less ?a ?c) (after ?a ?c)) (<= (less ?a ?c) (after ?a ?b) (less ?b ?c))
"""
WALK = """(init (at 3 4)) (init (goal_at 5 2)) (legal robot wait)
(<= (next (goal_at ?x ?y)) (true (goal_at ?x ?y)))
(<= (next (at ?x ?y)) (true (at ?x ?y)) (does robot wait))
(<= (next (at 3 4)) (true (at ?x ?y)) (does robot press) (true (goal_at ?a ?b)) (far ?x ?y ?a ?b e))
(<= (next (at 7 1)) (true (at ?x ?y)) (does robot press) (true (goal_at ?a ?b)) (not (far ?x ?y ?a ?b w)))"""


def asked(text: str) -> list[str]:
    return [str(rule) for rule in large_tables.asked(Rulesheet(SMALL + text).rules)[1]]


def test_what_is_known_where_a_relation_is_read_is_asked_of_it() -> None:
    assert asked(NUMBERS + FAR + WALK) == [
        "(<= (far asked 5 ?x ?y ?a ?b e) (true (at ?x ?y)) (true (goal_at ?a ?b)))",
        "(<= (far asked 5 ?x ?y ?a ?b w) (true (at ?x ?y)) (true (goal_at ?a ?b)))",
    ]


def test_little_is_grounded() -> None:
    assert len(ground(Rulesheet(SMALL + NUMBERS + FAR + WALK)).rules) < 100


def test_the_answers_stay_the_same() -> None:
    few = NUMBERS[: NUMBERS.index("(n 8)")]
    with patch.object(large_tables, "_LARGE", 10):
        assert asked(few + FAR + WALK)
        check_rewritten(SMALL + few + FAR + WALK)


def test_only_what_every_reader_knows_is_asked() -> None:
    other = "(<= terminal (true (at ?x ?y)) (far ?x ?b ?c ?y w))"
    assert asked(NUMBERS + FAR + WALK + other)[-1] == "(<= (far asked 5 ?x ?y w) (true (at ?x ?y)))"


@pytest.mark.parametrize(
    "text",
    [
        NUMBERS + FAR + "(<= terminal (far ?a ?b ?c ?d ?s) (true (at ?a ?b)))",
        NUMBERS
        + FAR.replace("(far ?a ?b ?c ?d ?s)", "(far ?a ?c ?s)")
        + "(<= terminal (true (at ?a ?b)) (far ?a ?b e))",
        NUMBERS
        + "(<= (far ?a ?b ?c ?d e) (n ?a) (n ?b) (far ?b ?c ?d ?a e)) (<= terminal (true (at ?a)) (far ?a ?a ?a ?a e))",
    ],
    ids=["nothing is known", "small", "recursive"],
)
def test_other_relations_are_left_alone(text: str) -> None:
    assert asked(text) == []


def test_what_is_asked_is_known_to_come_from_the_relation() -> None:
    projected = project(*large_tables.asked(Rulesheet(SMALL + NUMBERS + FAR + WALK).rules))
    assert projected.origin["far asked 5", 5] == ("far", 5)
