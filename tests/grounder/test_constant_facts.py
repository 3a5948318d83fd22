"""Facts that never change are read from the initial state."""

from __future__ import annotations

import pytest

from gdl.grounder.constant_facts import settled
from gdl.language.rulesheet import Rulesheet

pytest.importorskip("clingo")

from support.grounded import SMALL, check_rewritten

WALLS = "(init (wall a north)) (init (wall b east)) (<= (next (wall ?x ?d)) (true (wall ?x ?d)))"
WALK = """(init (at a)) (next_to a b) (next_to b c) (next_to c a) (legal robot turn)
(<= (next (at ?y)) (true (at ?x)) (next_to ?x ?y) (not (true (wall ?x east))) (does robot press))
(<= (next (at ?x)) (true (at ?x)) (does robot turn))
(<= (next (at ?x)) (true (at ?x)) (true (wall ?x east)))"""


def read_first(text: str) -> list[str]:
    """The conditions that are read from the initial state."""
    rules = settled(Rulesheet(SMALL + text).rules)
    return [str(literal) for rule in rules for literal in rule.literals() if literal.atom.name == "init"]


def test_conditions_on_constant_facts_are_about_the_initial_state() -> None:
    assert read_first(WALLS + WALK) == ["(init (wall ?x ?d))", "(not (init (wall ?x east)))", "(init (wall ?x east))"]


def test_they_are_evaluated_while_grounding() -> None:
    program = check_rewritten(SMALL + WALLS + WALK)
    walls = {program.true[fact] for fact in program.true if fact.text.startswith("(wall")}
    assert len(walls) == 2
    assert walls.isdisjoint(abs(literal) for _, body in program.rules for literal in body)


def test_only_the_facts_of_a_pattern_need_to_be_constant() -> None:
    text = """(init (at exit a)) (init (at me b)) (<= (next (at exit ?x)) (true (at exit ?x))) (legal robot wait)
    (<= (next (at me c)) (does robot press)) (<= (next (at me b)) (does robot wait))
    (<= (goal robot 50) (true (at exit ?x)) (true (at ?who ?x)) (true (at me ?x)))"""
    assert read_first(text) == ["(init (at exit ?x))", "(init (at exit ?x))"]
    check_rewritten(SMALL + text)


def test_rules_must_hand_on_all_facts_of_a_condition() -> None:
    text = "(init (p a a)) (<= (next (p ?x ?x)) (true (p ?x ?x))) (<= terminal (true (p ?x ?y)))"
    assert read_first(text) == ["(init (p ?x ?x))"]
    check_rewritten(SMALL + text)


@pytest.mark.parametrize(
    "text",
    [
        "(init (p a)) (<= terminal (true (p a)))",
        "(init (p a)) (<= (next (p ?x)) (true (p ?x)) (does robot press)) (<= terminal (true (p a)))",
        "(<= (next (p ?x)) (true (p ?x))) (<= (next (p b)) (does robot press)) (<= terminal (true (p ?x)))",
        "(init (p a)) (<= (next (p ?x)) (true (p ?x))) (<= (next ?f) (true (q ?f))) (<= terminal (true (p a)))",
    ],
    ids=["held once", "handed on at times", "new ones", "any fact"],
)
def test_facts_that_may_change_are_read_from_the_state(text: str) -> None:
    assert read_first(text) == []
