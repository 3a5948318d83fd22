"""Conditions that hold for most moves are said by their complement."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import examples

from gdl.grounder import ground
from gdl.grounder.complement import complement
from gdl.language.rules import Rule
from gdl.language.rulesheet import Rulesheet

pytest.importorskip("clingo")

from support.grounded import check_rewritten

#: Two roles that both move, and helpers of every kind; `{}` is for the conditions of a frame.
GAME = """(role x) (role o) (n 1) (n 2) (n 3) (after 1 2) (after 2 3)
(init (cell 1 1 a)) (init (cell 2 3 b)) (init (cell 3 3 a))
(<= (legal ?r (move ?a ?b ?c ?d)) (role ?r) (true (cell ?a ?b ?p)) (n ?c) (n ?d))
(<= (legal ?r pass) (role ?r))
(<= (next (cell ?c ?d b)) (does x (move ?a ?b ?c ?d)))
(<= (next (cell 1 1 a)) (does o pass))
(<= (other ?a ?b ?c ?d) (n ?a) (n ?b) (n ?c) (n ?d) (distinct ?a ?c))
(<= (other ?a ?b ?c ?d) (n ?a) (n ?b) (n ?c) (n ?d) (distinct ?b ?d))
(<= (same ?a ?b ?c ?d) (n ?a) (n ?b) (n ?c) (n ?d) (not (other ?a ?b ?c ?d)))
(<= (apart ?a ?b ?c ?d) (pair ?a ?b) (pair ?c ?d) (other ?a ?b ?c ?d)) (<= (pair ?a ?b) (n ?a) (n ?b))
(<= (takes ?r ?x ?y ?c ?d) (true (cell ?x ?y ?p)) (role ?r) (after ?c ?x) (after ?y ?d))
(<= (near ?a ?b ?c ?d) (after ?a ?c) (n ?b) (n ?d))
(<= terminal (true (cell 9 9 a))) (goal x 50) (goal o 50)
"""
_PLACES = ["?a ?b", "?c ?d", "?a ?d"]


def frame(*conditions: str, role: str = "?r") -> str:
    text = f"(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (does {role} (move ?a ?b ?c ?d)) {' '.join(conditions)})"
    return GAME + text


def usual(text: str) -> list[str]:
    """The conditions of the last rule that are said by their complement."""
    rules = Rulesheet(text).rules
    static: dict[tuple[str, int], list[Rule]] = {}
    for rule in rules:
        if rule.head.name in ("n", "after", "other", "same", "apart", "pair", "near"):
            static.setdefault(rule.head.signature, []).append(rule)
    found = complement(rules[-1], static)
    return [] if found is None else [str(condition) for condition in found.usual]


def test_the_cells_that_a_move_does_not_name_stay() -> None:
    text = frame("(other ?x ?y ?a ?b)", "(apart ?x ?y ?c ?d)", "(not (takes ?r ?x ?y ?c ?d))", "(distinct ?a ?y)")
    assert usual(text) == [
        *("(other ?x ?y ?a ?b)", "(apart ?x ?y ?c ?d)", "(not (takes ?r ?x ?y ?c ?d))", "(distinct ?a ?y)"),
    ]
    check_rewritten(text)


@pytest.mark.parametrize(
    "text",
    [
        frame("(near ?a ?b ?x ?y)"),
        frame("(distinct ?x ?a)"),
        frame("(other ?x ?y ?a ?b)", "(other ?x ?y ?c ?d)").replace(
            "(next (cell ?x ?y ?p)) (true", "(next (cell ?a ?c ?b)) (true"
        ),
        frame("(same ?x ?y ?a ?b)"),
        GAME + "(<= (next (cell ?x ?y a)) (does ?r (move ?a ?b ?c ?d)) (other ?x ?y ?a ?b))",
    ],
    ids=["few hold", "one variable", "named elsewhere", "few hold by negation", "nothing else binds"],
)
def test_other_conditions_stay_as_they_are(text: str) -> None:
    assert usual(text) == []
    check_rewritten(text)


def test_there_are_fewer_rules() -> None:
    text = frame("(other ?x ?y ?a ?b)", "(other ?x ?y ?c ?d)").replace("(n 3)", "(n 3) (n 4) (n 5)")
    assert len(ground(Rulesheet(text)).rules) < len(ground(Rulesheet(text), split=False).rules) / 5


@st.composite
def conditions(draw: st.DrawFn) -> str:
    place = draw(st.sampled_from(_PLACES))
    return draw(
        st.sampled_from(
            [
                *(f"(other ?x ?y {place})", f"(other {place} ?x ?y)", f"(not (same ?x ?y {place}))"),
                *(f"(apart ?x ?y {place})", f"(near ?x ?y {place})", f"(not (near {place} ?x ?y))"),
                *(f"(not (takes ?r ?x ?y {place}))", f"(distinct ?x {place[:2]})", f"(distinct {place[3:]} ?y)"),
                *("(same ?x ?y ?x ?b)", "(other ?x 2 ?a ?b)", "(other 1 ?y ?c ?d)", "(not (true (cell ?a ?y ?p)))"),
                *("(distinct ?r ?p)", "(n ?a)", "(after ?a ?c)", "(not (after ?y ?c))", "(distinct ?r x)"),
            ]
        )
    )


@pytest.mark.slow
@examples(30, thorough=40)
@given(st.lists(conditions(), min_size=1, max_size=4), st.sampled_from(["?r", "?r", "x"]), st.booleans())
def test_whatever_the_conditions_the_answers_stay_the_same(some: list[str], role: str, named: bool) -> None:
    text = frame(*(condition.replace("?r", role) for condition in some), role=role)
    check_rewritten(text.replace("(next (cell ?x ?y ?p)) (true", "(next (cell ?x ?d ?p)) (true") if named else text)
