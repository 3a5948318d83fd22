"""Relations are grounded only as far as they are asked for."""

from __future__ import annotations

from time import monotonic

import pytest
from hypothesis import given
from support import naive
from support.engines import assert_same
from support.list_rules import hex_game
from support.profiles import examples
from support.strategies import RandomProgram, programs

import gdl
from gdl.grounder import ground
from gdl.grounder.demand import demanded
from gdl.grounder.projection import needed
from gdl.language.rulesheet import Rulesheet

pytest.importorskip("clingo")

from support.grounded import SMALL, WIDE


def test_what_no_answer_depends_on_is_not_grounded() -> None:
    rules = needed(Rulesheet(WIDE.replace("next (at", "unused (at")).rules)
    assert {rule.head.name for rule in rules} == {"role", "init", "legal", "next", "terminal", "goal"}


# Demand


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


def test_a_relation_is_held_to_the_constants_that_it_is_asked_for() -> None:
    assert limits(THREE, "(<= terminal (count a b ?x))", "(<= terminal (count b a ?x))") == [
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
