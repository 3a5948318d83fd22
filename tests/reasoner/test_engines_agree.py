"""Random programs, on which the naive interpreter, the Reasoner and clingo agree."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import naive
from support.engines import Given, assert_same, clingo, limits, semi_naive, semi_naive_each
from support.profiles import examples
from support.strategies import RandomProgram, programs

from gdl.language.rules import Rule, Signature
from gdl.language.rulesheet import Rulesheet

#: With more rows than this a relation counts as large: none does; some do; most do.
LIMITS = [1_000_000, 4, 1]


def check_program(program: RandomProgram) -> None:
    expected = naive.derive(program.rules)
    assert_same(clingo(program.rules), expected)
    assert_same(semi_naive(program.rules), expected)


@examples(60, thorough=200)
@given(programs())
def test_the_engines_derive_the_same(program: RandomProgram) -> None:
    pytest.importorskip("clingo")
    check_program(program)


@examples(60)
@given(programs())
def test_a_rulesheet_derives_what_its_text_says(program: RandomProgram) -> None:
    """The text, with `or`, through parser and normalisation, against rules that were never text."""
    rulesheet = Rulesheet("(role robot) terminal\n" + program.text)
    game: Given = {("role", 1): [naive.constants("robot")], ("terminal", 0): [()]}
    assert_same(semi_naive(list(rulesheet.rules)), naive.derive(program.rules, game))


def split(program: RandomProgram, random: Random) -> tuple[list[Rule], list[Given]]:
    """Some relations as inputs: the rules without their facts, and two sets of rows for these relations."""
    inputs = [s for s in program.sources if random.random() < 0.6]
    facts = [r for r in program.rules if not r.body and r.head.signature in inputs]
    rules = [r for r in program.rules if r not in facts]

    def rows(share: float) -> Given:
        return {s: {f.head.args for f in facts if f.head.signature == s and random.random() < share} for s in inputs}

    return rules, [rows(1), rows(0.5)]


def check_given_rows(program: RandomProgram, random: Random, questions: list[Signature], limit: int) -> None:
    rules, givens = split(program, random)
    expected = [naive.derive(rules, each) for each in givens]
    with limits(limit):
        found = semi_naive_each(rules, givens, questions)
    for one, other in zip(found, expected, strict=True):
        assert_same(one, other)


SEEDS = st.integers(0, 9)
#: Relations in the order in which they are asked for, as what was derived before may matter.
QUESTIONS = st.permutations([("u", 2), ("v", 1), ("t", 3), ("r", 2), ("s", 1), ("no", 0), ("yes", 0), ("p", 2)])


@pytest.mark.parametrize("limit", LIMITS)
@examples(60, thorough=400)
@given(programs(), SEEDS, QUESTIONS)
def test_what_follows_from_given_rows(
    limit: int, program: RandomProgram, seed: int, questions: list[Signature]
) -> None:
    check_given_rows(program, Random(seed), questions, limit)
