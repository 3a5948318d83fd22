"""Relations are grounded only as far as they are asked for."""

from __future__ import annotations

from time import monotonic
from unittest.mock import patch

import pytest
from hypothesis import given
from support import naive
from support.engines import assert_same
from support.list_rules import hex_game
from support.profiles import examples
from support.strategies import RandomProgram, programs

import gdl
from gdl.grounder import ground, magic_sets
from gdl.grounder.magic_sets import demanded
from gdl.grounder.projection import needed, project
from gdl.language.rulesheet import Rulesheet

pytest.importorskip("clingo")

from support.grounded import SMALL, WIDE, check_rewritten


def test_what_no_answer_depends_on_is_not_grounded() -> None:
    rules = needed(Rulesheet(WIDE.replace("next (at", "unused (at")).rules)
    assert {rule.head.name for rule in rules} == {"role", "init", "legal", "next", "terminal", "goal"}


# By columns


def check_demand(program: RandomProgram) -> None:
    """Check that restricted rules derive the same rows, except for the relations that are restricted."""
    found = naive.derive(demanded(program.rules))
    expected = naive.derive(program.rules)
    assert_same(*({s: rows for s, rows in each.items() if s[1] < 3 and " " not in s[0]} for each in (found, expected)))
    assert found.get(("t", 3), set()) <= expected.get(("t", 3), set())


@examples(100, thorough=500)
@given(programs())
def test_rules_held_to_what_is_asked_derive_the_same(program: RandomProgram) -> None:
    check_demand(program)


def limits(*statements: str) -> list[str]:
    """The conditions and rules that demand adds to those of a text."""
    rules = Rulesheet(SMALL + " ".join(statements)).rules
    before = {str(condition) for rule in rules for condition in (rule.head, *rule.body)}
    new = [str(condition) for rule in demanded(rules) for condition in (rule.head, *rule.body)]
    return [condition for condition in new if condition not in before]


THREE = "(<= (count ?x ?y ?z) (true (at ?x)) (true (at ?y)) (true (at ?z)))"


@pytest.mark.parametrize("other", ["(count b a ?x)", "(true (at ?x)) (not (count b a ?x))"], ids=["true", "not true"])
def test_a_relation_is_held_to_the_constants_that_it_is_asked_for(other: str) -> None:
    assert limits(THREE, "(<= terminal (count a b ?x))", f"(<= terminal {other})") == [
        *("(count wants 3 1 ?x)", "(count wants 3 2 ?y)"),
        *("(count wants 3 1 a)", "(count wants 3 1 b)", "(count wants 3 2 b)", "(count wants 3 2 a)"),
    ]


def test_a_relation_is_held_to_what_static_conditions_leave() -> None:
    assert limits(THREE, "(n a)", "(<= terminal (n ?x) (count ?x ?y ?z) (true (at ?y)))") == [
        *("(count wants 3 1 ?x)", "(count wants 3 1 ?x)"),
    ]


def test_what_is_asked_is_handed_on() -> None:
    between = "(<= (most ?x ?y ?z) (count ?x ?y ?z))"
    assert limits(THREE, between, "(<= terminal (most a ?y ?z))") == [
        *("(count wants 3 1 ?x)", "(most wants 3 1 ?x)", "(most wants 3 1 a)"),
        *("(count wants 3 1 ?x)", "(most wants 3 1 ?x)"),
    ]


@pytest.mark.parametrize(
    "statements",
    [
        (THREE, "(<= terminal (count ?x ?y ?z))"),
        (THREE, "(<= terminal (count a ?y ?z))", "(<= terminal (count ?x ?y ?y) (true (at ?x)))"),
        (THREE.replace("count ?x ?y ?z", "next (at ?x ?y ?z)"),),
        ("(n a) (<= (p ?x ?y ?z) (n ?x) (n ?y) (p ?y ?z ?x))", "(<= terminal (p a ?y ?z))"),
        ("(n a a a) (<= (p ?x ?y ?z) (n ?x ?y ?z)) (<= (q ?x ?y ?z) (n ?x ?y ?z))", "(<= terminal (p ?x ?y ?z))"),
    ],
    ids=["asked for anything", "once asked for anything", "a target", "recursive", "static"],
)
def test_other_relations_are_left_as_they_are(statements: tuple[str, ...]) -> None:
    assert limits(*statements) == []


def test_two_relations_do_not_wait_for_each_other() -> None:
    text = "(n a b c) (<= (p ?x ?y ?z) (n ?x ?y ?z)) (<= (q ?x ?y ?z) (n ?x ?y ?z))"
    text += "(<= terminal (p ?x ?y ?z) (q ?x ?y ?z) (true (light ?l)))"
    assert ground(Rulesheet(SMALL + text)).rules


@pytest.mark.slow
def test_games_with_endless_relations_are_given_up_soon() -> None:
    begun = monotonic()
    with pytest.raises(gdl.GroundingError, match="list/1"):
        ground(Rulesheet(hex_game(3)))
    assert monotonic() - begun < 30


# By rows

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
    return [str(rule) for rule in magic_sets.asked(Rulesheet(SMALL + text).rules)[1]]


def test_what_is_known_where_a_relation_is_read_is_asked_of_it() -> None:
    assert asked(NUMBERS + FAR + WALK) == [
        "(<= (far asked 5 ?x ?y ?a ?b e) (true (at ?x ?y)) (true (goal_at ?a ?b)))",
        "(<= (far asked 5 ?x ?y ?a ?b w) (true (at ?x ?y)) (true (goal_at ?a ?b)))",
    ]


def test_little_is_grounded() -> None:
    assert len(ground(Rulesheet(SMALL + NUMBERS + FAR + WALK)).rules) < 100


def test_the_answers_stay_the_same() -> None:
    few = NUMBERS[: NUMBERS.index("(n 8)")]
    with patch.object(magic_sets, "_LARGE", 10):
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
    projected = project(*magic_sets.asked(Rulesheet(SMALL + NUMBERS + FAR + WALK).rules))
    assert projected.origin["far asked 5", 5] == ("far", 5)


# Both at once

#: A walk over a few numbers. `journey` is static; what is asked of it depends on `start`, which is wide itself.
JOURNEY = """(role you) (init (at 1 2)) (<= (legal you (go ?z)) (succ ?z ?z1)) (succ 0 1) (succ 1 2) (succ 2 3)
(succ 3 4) (number 0) (number 1) (number 2) (number 3) (number 4) (number 5)
(<= (sum ?x 0 ?x) (number ?x)) (<= (sum ?x ?y ?z) (succ ?y1 ?y) (succ ?z1 ?z) (sum ?x ?y1 ?z1))
(<= (journey ?a ?b ?c ?d ?e) (sum ?a ?c ?e) (sum ?b ?d ?e)) (<= (journey ?a ?b ?c ?d ?e) (sum ?c ?e ?a) (sum ?d ?e ?b))
(<= (start ?x ?y ?z) (true (at ?x ?y)) (does you (go ?z)))
(<= terminal (true (at 4 ?y))) (goal you 100)
"""
ARRIVE = "(<= (next (at ?c ?d)) (start ?x ?y ?z) (journey ?x ?y ?c ?d ?z)) "
STAY = "(<= (next (at ?x ?y)) (true (at ?x ?y)) (not (true (at ?y ?x)))) "


@pytest.mark.parametrize(
    "rules",
    [
        ARRIVE,
        ARRIVE + "(<= (start ?x ?y ?z) (true (from ?x ?y)) (does you (go ?z))) (<= (next (from 1 2)) (start ?x ?y 2))",
        STAY + "(<= (next (at ?z ?z)) (start ?x ?y ?z) (not (journey ?x ?y ?z 1 ?z)))",
        STAY + ARRIVE.replace("?z)", "2)") + ARRIVE.replace("start ?x ?y ?z", "start ?x 1 ?z"),
        "(<= (trip ?a ?b ?c ?d ?e) (journey ?a ?b ?c ?d ?e) (sum ?a ?b ?e))"
        + ARRIVE
        + ARRIVE.replace("journey", "trip"),
        "(<= (way ?a ?b ?c) (number ?a) (number ?b) (number ?c) (distinct ?a ?c))"
        + STAY
        + "(<= (next (at ?c ?d)) (start ?x ?y ?z) (way ?x ?y ?c) (journey ?x ?y ?c ?d ?z))"
        + "(<= (next (at ?c ?d)) (start ?x ?y ?z) (journey ?x ?y ?c ?d ?z) (way ?c ?d ?z))",
        "(<= (start ?y ?x ?z) (start ?x ?y ?z) (succ ?x ?y))" + ARRIVE,
        ARRIVE + "(<= (legal you ?m) (true (at ?x ?y)) (journey ?x ?y ?m ?d ?m))"
        "(<= (next (at ?m 1)) (does you ?m) (number ?m))",
        ARRIVE + "(<= (goal you ?d) (true (at ?x ?y)) (journey ?x ?y ?c ?d 1))"
        "(<= terminal (journey 1 1 ?x ?y 3) (true (at ?x ?y)))",
        "(<= (fixed ?c) (number ?e) (journey 1 2 ?c ?d ?e)) (<= (next (at ?x ?z)) (start ?x ?y ?z) (fixed ?z))",
        "(journey 1 2 4 4 0) (journey 1 1 1 1 1)" + STAY + ARRIVE,
        "(<= (apart ?a ?b ?c ?d) (number ?a) (number ?b) (number ?c) (number ?d) (distinct ?a ?c))"
        "(<= (legal you (jump ?a ?b)) (true (at ?a ?b))) (<= (next (at ?b ?b)) (does you (jump ?a ?b)))"
        "(<= (next (at ?x ?y)) (true (at ?x ?y)) (does you (jump ?a ?b)) (apart ?x ?y ?a ?b))" + ARRIVE,
    ],
    ids=[
        *("plain", "two starts", "negated", "by constants", "through a helper", "in both orders", "recursive caller"),
        *("by moves", "by answers", "by what is static", "with facts", "by complement"),
    ],
)
def test_what_is_asked_by_rows_does_not_limit_what_asks(rules: str) -> None:
    for large, columns in ((0, 1), (0, 3), (10**18, 1)):
        with patch.object(magic_sets, "_LARGE", large), patch.object(magic_sets, "_COLUMNS", columns):
            assert large or "asked" in str(magic_sets.restricted(Rulesheet(JOURNEY + rules).rules)[1])
            check_rewritten(JOURNEY + rules)
