"""Relations that are rewritten before grounding: walks, columns that nobody reads, tables by cases, free columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest
from support import naive

from gdl.grounder import free_columns, unfolding
from gdl.grounder.free_columns import free_columns_apart
from gdl.grounder.unfolding import unfolded
from gdl.grounder.unread import read_only
from gdl.grounder.walks import walked
from gdl.language.rules import Atom, Rule
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Term

pytest.importorskip("clingo")

from support.grounded import SMALL, check_rewritten
from support.profiles import first_few
from support.wide_rules import wide_rules

COUNT = """(value a) (value b) (number 0) (number 1) (number 2) (++ 0 1) (++ 1 2) (follows a b) (follows b end)
(init (at a x)) (init (at b y)) (<= (next (at ?x ?y)) (true (at ?z ?y)) (follows ?z ?x)) (legal robot wait)
(<= (count ?x ?n ?k ?r) (follows ?x ?y) (true (at ?x ?k)) (++ ?n ?m) (count ?y ?m ?k ?r))
(<= (count ?x ?n ?k ?r) (follows ?x ?y) (not (true (at ?x ?k))) (count ?y ?n ?k ?r))
(<= (count end ?n ?k ?n) (number ?n) (kind ?k)) (kind x) (kind y)
"""
CALL = "(<= (next (has ?k ?n)) (kind ?k) (count a 0 ?k ?n))"


def texts(rewrite: Callable[[Sequence[Rule]], list[Rule]], text: str, name: str) -> list[str]:
    """The rules about a relation, and those that came from it."""
    return [str(rule) for rule in rewrite(Rulesheet(SMALL + text).rules) if f"({name} " in str(rule)]


# Walks


def test_a_walk_takes_the_place_of_the_relation_that_hands_back_its_result() -> None:
    assert texts(walked, COUNT + CALL, "count") == [
        "(<= (next (has ?k ?n)) (kind ?k) (count of 4 result 1 ?k ?n))",
        "(<= (count of 4 visits 1 ?k a 0) (kind ?k))",
        "(<= (count of 4 visits 1 ?k ?y ?m)"
        " (count of 4 visits 1 ?k ?x ?n) (follows ?x ?y) (true (at ?x ?k)) (++ ?n ?m))",
        "(<= (count of 4 visits 1 ?k ?y ?n) (count of 4 visits 1 ?k ?x ?n) (follows ?x ?y) (not (true (at ?x ?k))))",
        "(<= (count of 4 result 1 ?k ?n) (count of 4 visits 1 ?k end ?n) (number ?n) (kind ?k))",
    ]
    check_rewritten(SMALL + COUNT + CALL)


def test_calls_from_several_places_have_walks_of_their_own() -> None:
    other = "(<= (next (few ?k)) (kind ?k) (not (count b 1 ?k 2)))"
    found = [str(rule) for rule in walked(Rulesheet(SMALL + COUNT + CALL + other).rules)]
    assert "(<= (next (few ?k)) (kind ?k) (not (count of 4 result 2 ?k 2)))" in found
    assert "(<= (count of 4 visits 2 ?k b 1) (kind ?k))" in found
    check_rewritten(SMALL + COUNT + CALL + other)


@pytest.mark.parametrize(
    "text",
    [
        COUNT + "(<= (next (has ?x ?n)) (value ?x) (count ?x 0 x ?n))",
        COUNT + "(<= (next (has ?k ?n)) (count a 0 ?k ?n))",
        COUNT.replace("(follows ?x ?y) (true", "(follows ?x ?y) (distinct ?r 0) (true") + CALL,
        COUNT.replace("(count ?y ?m ?k ?r))", "(count ?y ?m ?k ?r) (count b 0 ?k ?r))") + CALL,
        COUNT.replace("(follows ?x ?y) (true", "(true").replace("?x ?k)) (++", "?x ?k)) (value ?x) (++") + CALL,
        COUNT + CALL + "(<= (kind ?n) (number ?n) (count a 0 x ?n) (distinct ?n ?n))",
    ],
    ids=["from any place", "for any value", "a result is read", "two branches", "to any place", "recursive by others"],
)
def test_other_relations_stay(text: str) -> None:
    rules = Rulesheet(SMALL + text).rules
    assert walked(rules) == list(rules)


# Columns that nobody reads


def test_columns_that_nobody_reads_are_dropped() -> None:
    text = """(<= (hit ?k ?n ?x) (mark ?k ?n) (true (at ?x))) (<= (hit ?k ?n ?y) (hit ?k ?n ?x) (step ?x ?y))
    (<= (next (at ?x)) (hit ?k ?n ?x)) (step a b) (mark a b) (mark a c) (init (at a)) (legal robot wait)"""
    assert texts(read_only, text, "hit of 3 3") == [
        "(<= (hit of 3 3 ?x) mark of 2 (true (at ?x)))",
        "(<= (hit of 3 3 ?y) (hit of 3 3 ?x) (step ?x ?y))",
        "(<= (next (at ?x)) (hit of 3 3 ?x))",
    ]
    check_rewritten(SMALL + text)


@pytest.mark.parametrize("call", ["(hit ?x a)", "(hit ?x ?x)", "(hit ?x ?k) (kind ?k)", "(kind ?k) (not (hit ?x ?k))"])
def test_columns_that_are_read_stay(call: str) -> None:
    text = f"(kind a) (value a) (<= (hit ?x ?k) (value ?x) (kind ?k)) (<= (next (at ?x)) (value ?x) {call})"
    rules = [rule for rule in Rulesheet(SMALL + text).rules if rule.head.signature != ("value", 1)]
    assert read_only(rules) == rules


# Free columns

LINE = """(square a) (square b) (square c) (step n a b) (step n b c) (init (on a)) (legal robot wait)
(<= (line ?d ?a ?b ?i) (step ?d ?a ?b) (square ?i))
(<= (line ?d ?a ?b ?i) (step ?d ?a ?c) (open ?c ?i) (line ?d ?c ?b ?i))
(<= (open ?i ?i) (square ?i))
(<= (open ?c ?i) (square ?c) (square ?i) (not (occupied ?c)))
(<= (occupied ?c) (true (on ?c)))
"""
SEEN = "(<= (next (on ?b)) (true (on ?a)) (square ?b) (not (line n ?a ?b ?a)))"


@pytest.fixture
def always_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Free columns of relations of any size are set apart."""
    monkeypatch.setattr(free_columns, "_LARGE", 0)
    monkeypatch.setattr(free_columns, "_VALUES", 0)


@pytest.mark.usefixtures("always_apart")
def test_rows_for_any_value_are_set_apart() -> None:
    assert texts(free_columns_apart, LINE + SEEN, "line of 4 any 4") == [
        "(<= (line of 4 any 4 ?d ?a ?b) (step ?d ?a ?b))",
        "(<= (line of 4 any 4 ?d ?a ?b) (step ?d ?a ?c) (open of 2 any 2 ?c) (line of 4 any 4 ?d ?c ?b))",
        "(<= (line of 4 any ?d ?a ?b ?i) (step ?d ?a ?c) (open of 2 any ?c ?i) (line of 4 any 4 ?d ?c ?b) (square ?i))",
        "(<= (next (on ?b)) (true (on ?a)) (square ?b)"
        " (not (line of 4 any 4 n ?a ?b)) (not (line of 4 any n ?a ?b ?a)))",
    ]
    check_rewritten(SMALL + LINE + SEEN)


@pytest.mark.usefixtures("always_apart")
def test_rows_with_other_limits_are_of_other_kinds() -> None:
    text = """(even a) (even b) (odd c) (odd d) (init (on a)) (legal robot wait)
    (<= (meets ?x ?i) (true (on ?x)) (even ?x) (even ?i)) (<= (meets ?x ?i) (true (on ?x)) (odd ?x) (odd ?i))
    (<= (next (on ?i)) (meets a ?i)) (<= (next (on c)) (meets b ?i)) (<= (next (on ?i)) (meets c ?i))"""
    assert texts(free_columns_apart, text, "meets of 2 any 2")
    check_rewritten(SMALL + text)


@pytest.mark.usefixtures("always_apart")
def test_what_all_rows_satisfy_may_limit_free_columns() -> None:
    text = """(init (at a b)) (init (at b c)) (<= (next (at ?x ?y)) (true (at ?y ?x))) (legal robot wait)
    (value a) (value b)
    (<= (tried ?u ?v) (true (at ?u ?v)))
    (<= (hit ?x ?u ?v) (tried ?u ?v) (true (at ?x c)))
    (<= (hit ?x ?u ?v) (value ?x) (step ?x ?y) (hit ?y ?u ?v)) (step a b) (step b a)
    (<= (next (was ?x ?u)) (true (at ?u ?x)) (hit ?x ?u ?v))"""
    assert texts(free_columns_apart, text, "hit of 3 any 2 3") == [
        "(<= (hit of 3 any 2 3 ?x) (true (at ?x c)))",
        "(<= (hit of 3 any 2 3 ?x) (value ?x) (step ?x ?y) (hit of 3 any 2 3 ?y))",
        "(<= (next (was ?x ?u)) (true (at ?u ?x)) (hit of 3 any 2 3 ?x) (tried ?u ?v))",
    ]
    check_rewritten(SMALL + text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(step ?d ?a ?b) (square ?i)", "(step ?d ?a ?b) (true (on ?i))"),
        ("(step ?d ?a ?b) (square ?i)", "(step ?d ?a ?b) (square ?i) (distinct ?i ?a)"),
        ("(line ?d ?a ?b ?i) (step ?d ?a ?b)", "(line ?d ?i ?b ?i) (step ?d ?i ?b)"),
        ("(step ?d ?a ?b) (square ?i)", "(step ?d ?a ?b) (square ?i) (not (occupied ?i))"),
    ],
    ids=["a fact", "an inequality", "twice in the head", "a negation"],
)
@pytest.mark.usefixtures("always_apart")
def test_columns_of_which_more_is_asked_are_not_free(old: str, new: str) -> None:
    found = [str(rule) for rule in free_columns_apart(Rulesheet(SMALL + LINE.replace(old, new) + SEEN).rules)]
    assert not any("line of 4" in text for text in found)


def test_small_relations_and_few_values_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = list(Rulesheet(SMALL + LINE + SEEN).rules)
    assert free_columns_apart(rules) == rules
    monkeypatch.setattr(free_columns, "_LARGE", 0)
    assert free_columns_apart(rules) == rules


# All of them


def following(rules: Sequence[Rule]) -> set[tuple[Term, ...]]:
    """The facts that the rules derive for the next state."""
    return naive.derive(rules).get(("next", 1), set())


@pytest.mark.parametrize("first", first_few(range(0, 60, 12), 1))
@pytest.mark.usefixtures("always_apart")
def test_rewritten_relations_mean_the_same(monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    monkeypatch.setattr(unfolding, "_LARGE", 0)
    monkeypatch.setattr(unfolding, "_SHARE", 1e9)
    changed = {"walked": 0, "read_only": 0, "unfolded": 0, "free_columns_apart": 0}
    for seed in range(first, first + 12):
        rules: list[Rule] = list(Rulesheet(SMALL + wide_rules(Random(seed))).rules)
        rules += [Rule(Atom("true", rule.head.args)) for rule in rules if rule.head.signature == ("init", 1)]
        expected = following(rules)
        for rewrite in (walked, read_only, unfolded, free_columns_apart):
            found = rewrite(rules)
            changed[rewrite.__name__] += found != rules
            rules = found
            assert following(rules) == expected, (seed, rewrite)
    assert min(changed.values()) > 3
