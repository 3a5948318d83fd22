"""Rules with many variables are split into parts that have fewer instances."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from support import naive
from support.engines import assert_same
from support.profiles import examples
from support.strategies import RandomProgram, programs

from gdl.grounder import ground
from gdl.grounder.projection import project
from gdl.language.rules import Atom, Literal
from gdl.language.rulesheet import Rulesheet

pytest.importorskip("clingo")

from support.grounded import SMALL

# Splitting


def check_split(program: RandomProgram) -> None:
    """Check that split rules derive the same rows for every relation of the text."""
    projected = project(program.rules)
    found = naive.derive([*projected.rules, *projected.domains])
    assert_same({s: rows for s, rows in found.items() if " " not in s[0]}, naive.derive(program.rules))


@examples(100, thorough=500)
@given(programs())
def test_split_rules_derive_the_same(program: RandomProgram) -> None:
    check_split(program)


def split_texts(*statements: str) -> list[str]:
    rules = project([rule for rule in Rulesheet(SMALL + " ".join(statements)).rules if rule.location.line == 4])
    return [str(rule) for rule in (*rules.rules, *(replace(r, body=(*r.body, OPEN)) for r in rules.domains))]


#: Marks the rules of domains.
OPEN = Literal(Atom("open"))


def test_variables_that_the_head_does_not_have_are_eliminated() -> None:
    assert split_texts("(<= (next (p ?x)) (true (q ?x ?y)) (true (r ?y ?z)) (true (s ?z)))") == [
        "(<= (next (p ?x)) (true (q ?x ?y)) (next needs 1 ?y))",
        "(<= (next needs 1 ?v0) (true (r ?v0 ?v1)) (true (s ?v1)))",
    ]


def test_a_part_that_knows_all_variables_takes_more_conditions() -> None:
    assert split_texts("(<= (next (p ?x ?u)) (true (q ?x ?u)) (true (r ?x ?y ?z)) (true (s ?y)))") == [
        "(<= (next (p ?x ?u)) (true (q ?x ?u)) (next needs 1 ?x))",
        "(<= (next needs 1 ?v0) (true (r ?v0 ?v1 ?v2)) (true (s ?v1)))",
    ]


def test_a_part_asks_a_domain_for_what_it_does_not_bind() -> None:
    frame = "(<= (next (cell ?x ?p)) (true (cell ?x ?p)) (does robot (drop ?c)) (distinct ?x ?c))"
    assert split_texts(frame) == [
        "(<= (next (cell ?x ?p)) (true (cell ?x ?p)) (next needs 2 ?x))",
        "(<= (next needs 2 ?v0) (does robot (drop ?v1)) (distinct ?v0 ?v1) (next domain 1 ?v0))",
        "(<= (next domain 1 ?v0) (true (cell ?v0 ?v1)) open)",
    ]


def test_a_part_is_held_to_what_relates_its_variables_elsewhere() -> None:
    both = "(<= (next (p ?x ?y ?z)) (true (q ?x ?v)) (true (q ?y ?v)) (true (near ?x ?y ?z)))"
    assert split_texts(both) == [
        "(<= (next (p ?x ?y ?z)) (true (near ?x ?y ?z)) (next needs 2 ?x ?y))",
        "(<= (next needs 2 ?v0 ?v1) (true (q ?v0 ?v2)) (true (q ?v1 ?v2)) (next domain 1 ?v0 ?v1))",
        "(<= (next domain 1 ?v0 ?v1) (true (near ?v0 ?v1 ?v2)) open)",
    ]


def test_parts_that_mean_the_same_are_made_once() -> None:
    first = "(<= (next (p ?x)) (true (p ?x)) (true (q ?y ?z)) (true (r ?z)))"
    second = "(<= (next (o ?a)) (true (o ?a)) (true (q ?b ?c)) (true (r ?c)))"
    assert split_texts(first, second) == [
        "(<= (next (p ?x)) (true (p ?x)) next needs 1)",
        "(<= (next (o ?a)) (true (o ?a)) next needs 1)",
        "(<= next needs 1 (true (q ?v0 ?v1)) (true (r ?v1)))",
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "(<= (next (p ?x ?y)) (true (q ?x ?y)) (true (r ?y)))",
        "(<= (next (p ?x)) (true (q ?x ?y)) (not (true (r ?y))))",
        "(<= (next (p ?x)) (true (p ?x)) (true (light on)))",
    ],
)
def test_what_gains_nothing_is_left_as_it_is(statement: str) -> None:
    assert split_texts(statement) == [statement]


def test_split_bodies_have_far_fewer_instances() -> None:
    some = [f"(init (on {i} {j}))" for i in range(6) for j in range(6)]
    rules = (
        "(<= terminal (true (on ?a ?b)) (true (on ?b ?c)) (true (on ?c ?d))) (<= (next (on ?x ?y)) (true (on ?y ?x)))"
    )
    rulesheet = Rulesheet(SMALL + "".join(some) + rules)
    short, long = ground(rulesheet), ground(rulesheet, split=False)
    assert len(long.rules) > 1000 > 200 > len(short.rules)
