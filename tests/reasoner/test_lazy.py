"""Relations too large to derive as a whole: asked key by key, with the same answers."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support import naive
from support.engines import answer, assert_same, derivations, flat_rules, limits, relations_of, semi_naive_each, shown
from support.naive import constants
from support.profiles import examples

from gdl.language.rules import Signature
from gdl.reasoner.forward import Program

AT: Signature = ("at", 1)
DO: Signature = ("do", 1)

#: Twelve numbers in a ring, two moves from each; `sum` has 144 rows, `near` 48, of which a question needs a few.
RING = (
    " ".join(f"(succ {i} {(i + 1) % 12}) (jump {i} {(i + 5) % 12}) (number {i})" for i in range(12))
    + """
(<= (sum ?x 0 ?x) (number ?x) (ready))
(<= (sum ?x ?y ?z) (succ ?u ?y) (distinct ?y 0) (sum ?x ?u ?v) (succ ?v ?z))
(<= (near ?x ?y) (ready) (succ ?x ?y))
(<= (near ?x ?y) (ready) (jump ?x ?y))
(<= (near ?y ?x) (near ?x ?y))
(<= (answer ?z) (at ?x) (sum ?x 3 ?z))
(<= (far ?x) (at ?x) (not (sum ?x 7 0)))
(<= (neighbour ?y) (at ?x) (near ?x ?y))
"""
)
READY = ("ready", 0)


def ring(at: Iterable[int]) -> dict[Signature, list[tuple[naive.Term, ...]]]:
    return {AT: [constants(str(x)) for x in at], READY: [()]}


def asked(limit: int, relation: Signature, at: Iterable[int]) -> tuple[list[str], list[str]]:
    """The rows of a relation, and all tables that were derived for them."""
    with limits(limit), derivations() as derived:
        program = Program(flat_rules(RING), [AT, READY])
        context = program.context({"at/1": {str(x) for x in at}, "ready/0": True})
        rows = context.rows(relation)
    return sorted(rows), derived


@pytest.mark.parametrize(("name", "expected"), [("answer", ["2", "5"]), ("far", ["11", "2"]), ("neighbour", None)])
def test_a_large_relation_is_not_derived_as_a_whole(name: str, expected: list[str] | None) -> None:
    large = "near/2" if name == "neighbour" else "sum/3"
    whole, derived = asked(1_000, (name, 1), [2, 11])
    assert large in derived
    lazily, derived = asked(20, (name, 1), [2, 11])
    assert large not in derived
    assert any(text.startswith(f"{large} for ") for text in derived)
    assert lazily == whole
    if expected is not None:
        assert lazily == expected


def test_a_large_relation_can_still_be_asked_for_as_a_whole() -> None:
    rows, _ = asked(20, ("sum", 3), [])
    assert len(rows) == 144
    assert ("5", "9", "2") in rows


@pytest.mark.parametrize("limit", [1, 20, 50, 1_000])
def test_answers_are_the_same_for_every_limit(limit: int) -> None:
    rules = flat_rules(RING)
    givens = [ring([2, 11]), ring([]), ring(range(12)), {AT: [constants("1")], READY: []}]
    with limits(limit):
        found = semi_naive_each(rules, givens, [("far", 1), ("near", 2), ("answer", 1)])
    for one, rows in zip(found, givens, strict=True):
        assert_same(one, naive.derive(rules, rows))


def test_what_a_key_matches_is_derived_once() -> None:
    with limits(20), derivations() as derived:
        program = Program(flat_rules(RING), [AT, READY])
        context = program.context({"at/1": {"2"}, "ready/0": True})
        assert context.rows(("answer", 1)) == {"5"}
        before = len(derived)
        assert context.rows(("answer", 1)) == {"5"}
        assert len(derived) == before


def test_extended_contexts_can_be_asked_key_by_key_too() -> None:
    rules = RING + "(<= (went ?z) (do ?y) (at ?x) (sum ?x ?y ?z)) (<= (seen ?z) (went ?y) (near ?y ?z))"
    with limits(20):
        program = Program(flat_rules(rules), [AT, READY, DO])
        context = program.context({"at/1": {"2"}, "ready/0": True})
        assert context.rows(("answer", 1)) == {"5"}
        assert context.extended("do/1", {"3"}).rows(("went", 1)) == {"5"}
        assert context.extended("do/1", {"4"}).rows(("went", 1)) == {"6"}
        assert context.extended("do/1", {"4"}).rows(("seen", 1)) == {"1", "5", "7", "11"}


# Large relations of every kind, each with limits so small that all count as large

CASES = {
    "without recursion": (
        "(d 1) (d 2) (d 3) (<= (pair ?x ?y) (d ?x) (d ?y) (on)) (<= (p ?y) (at ?x) (pair ?x ?y) (distinct ?x ?y))",
        ["2", "3"],
    ),
    "static": (
        "(d 1) (d 2) (d 3) (<= (pair ?x ?y) (d ?x) (d ?y)) (<= (p ?y) (at ?x) (pair ?x ?y))",
        ["1", "2", "3"],
    ),
    "static and static": ("(d 1) (d 2) (<= (big ?x ?y) (d ?x) (d ?y)) (<= (p ?y) (big 1 ?y) (big ?y 1))", ["1", "2"]),
    "with facts": (
        "(pair 1 9) (d 1) (d 2) (<= (pair ?x ?y) (d ?x) (d ?y) (on)) (<= (p ?y) (at ?x) (pair ?x ?y))",
        ["1", "2", "9"],
    ),
    "any row": ("(d 1) (d 2) (<= (big ?x ?y) (d ?x) (d ?y) (on)) (<= (p ?x) (at ?x) (big ?x ?y))", ["1"]),
    "no row": ("(d 1) (d 2) (<= (big ?x ?y) (d ?x) (d ?y) (on)) (<= (p ?x) (at ?x) (big a ?y))", []),
    "any row at all": ("(d 1) (d 2) (<= (big ?x ?y) (d ?x) (d ?y) (on)) (<= (p ?x) (at ?x) (big ?y ?z))", ["1"]),
    "repeated variable": ("(d 1) (d 2) (<= (big ?x ?y) (d ?x) (d ?y) (on)) (<= (p ?y) (on) (big ?y ?y))", ["1", "2"]),
    "head with constants": ("(d 1) (d 2) (<= (big ?x a ?x) (d ?x) (on)) (<= (p ?y) (at ?x) (big ?x ?y 1))", ["a"]),
    "head with functions": (
        "(d 1) (d 2) (<= (big (f ?x ?x) ?y) (d ?x) (d ?y) (on)) (<= (p ?y) (at ?x) (big (f ?x ?x) ?y))"
        "(<= (p wrong) (on) (big (f 1 2) ?y)) (<= (p wrong) (on) (big 1 ?y))",
        ["1", "2"],
    ),
    "pattern for functions": (
        "(d 1) (d 2) (<= (big ?x (f ?x ?y)) (d ?x) (d ?y) (on)) (<= (p ?y) (at ?x) (big ?x (f ?x ?y)))",
        ["1", "2"],
    ),
    "negated": ("(d 1) (d 2) (<= (big ?x ?y) (d ?x) (d ?y) (on)) (<= (p ?x) (at ?x) (not (big ?x 3)))", ["1"]),
    "negated and there": ("(d 1) (d 2) (<= (big ?x ?y) (d ?x) (d ?y) (on)) (<= (p ?x) (at ?x) (not (big ?x 2)))", []),
    "one column": ("(d 1) (d 2) (<= (big ?x) (d ?x) (on)) (<= (p ?x) (at ?x) (big ?x))", ["1"]),
    "a ring": (
        "(e 1 2) (e 2 3) (e 3 1) (e 4 1) (<= (t ?x ?y) (e ?x ?y) (on)) (<= (t ?x ?z) (e ?x ?y) (t ?y ?z))"
        "(<= (p ?y) (at ?x) (t ?x ?y))",
        ["1", "2", "3"],
    ),
    "two rings": (
        "(e 1 2) (e 2 1) (e 2 3) (e 3 4) (e 4 3) (<= (t ?x ?y) (e ?x ?y) (on)) (<= (t ?x ?z) (t ?x ?y) (t ?y ?z))"
        "(<= (p ?y) (at ?x) (t ?x ?y))",
        ["1", "2", "3", "4"],
    ),
    "in turn": (
        "(e 1 2) (e 2 3) (e 3 1) (<= (odd ?x ?y) (e ?x ?y) (on)) (<= (odd ?x ?z) (even ?x ?y) (e ?y ?z))"
        "(<= (even ?x ?z) (odd ?x ?y) (e ?y ?z)) (<= (p ?y) (at ?x) (even ?x ?y) (odd ?x ?y))",
        ["1", "2", "3"],
    ),
    "large on large": (
        "(d 1) (d 2) (d 3) (<= (big ?x ?y) (d ?x) (d ?y) (on)) (<= (less ?x ?y) (big ?x ?y) (distinct ?x ?y))"
        "(<= (p ?y) (at ?x) (less ?x ?y) (not (less ?y ?y)))",
        ["2", "3"],
    ),
    "terms without end": (
        "(n z) (<= (n (s ?x)) (n ?x) (on)) (<= (p yes) (on) (n (s (s z)))) (<= (p no) (on) (n (s (s y))))",
        ["yes"],
    ),
}


@pytest.mark.parametrize("limit", [1, 2])
@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_large_relations_of_every_kind(text: str, expected: list[str], limit: int) -> None:
    rules = flat_rules(text)
    inputs = {AT: [constants("1")], ("on", 0): [()]}
    with limits(limit):
        for question in [("p", 1), *(s for s in relations_of(rules) if s != ("n", 1))]:
            # Whatever was asked before.
            (model,) = semi_naive_each(rules, [inputs], [question], others=False)
            (model,) = semi_naive_each(rules, [inputs], [question, ("p", 1)], others=False)
            assert shown(model["p", 1]) == expected


def test_recursion_through_a_relation_without_arguments() -> None:
    text = "(e 1) (e 2) (e 3) (<= on (q 2)) (<= (q ?x) (e ?x)) (<= (q 9) on) (<= (p ?x) (at ?x) (q ?x) on)"
    with limits(1):
        assert answer(text, "p", at="1 9 5") == ["1", "9"]


@pytest.mark.parametrize("length", [50, 2_000])
def test_a_key_may_need_a_long_chain_of_others(length: int) -> None:
    """One that is too long for Python's stack is derived as a whole instead."""
    steps = " ".join(f"(e {i} {i + 1})" for i in range(length))
    text = f"{steps} (<= (good {length}) (on)) (<= (good ?x) (e ?x ?y) (good ?y)) (<= (p ?x) (at ?x) (good ?x))"
    inputs = {AT: [constants("0"), constants("none")], ("on", 0): [()]}
    with limits(10):
        (model,) = semi_naive_each(flat_rules(text), [inputs], [("p", 1)], others=False)
    assert shown(model["p", 1]) == ["0"]


def test_a_key_that_waits_for_another_is_not_taken_for_complete() -> None:
    """0 leads to all, an even number to 0, an odd one to the even one below it: all reach all.

    Each pair is there to be answered in an order of its own.
    """
    pairs = range(2, 22, 2)
    edges = "".join(f"(e 0 {even}) (e 0 {even + 1}) (e {even} 0) (e {even + 1} {even}) " for even in pairs)
    text = edges + (
        "(<= (t ?x ?y) (e ?x ?y) (on)) (<= (t ?x ?z) (e ?x ?y) (t ?y ?z))"
        "(<= (first ?y) (at ?x) (t ?x ?y)) (<= (second ?x ?y) (then ?x) (t ?x ?y))"
    )
    odd = [constants(str(even + 1)) for even in pairs]
    inputs = {AT: [constants("0")], ("then", 1): odd, ("on", 0): [()]}
    with limits(10):
        (model,) = semi_naive_each(flat_rules(text), [inputs], [("first", 1), ("second", 2)])
    assert_same(model, naive.derive(flat_rules(text), inputs))


def test_a_change_of_plan_leaves_no_half_answers_behind() -> None:
    """`half` grows large only in the second context, while keys of `t` that need each other are being answered."""
    text = (
        "".join(f"(d {i}) (step {i} {i % 12 + 1}) " for i in range(1, 13))
        + """
        (e 1 2) (e 2 1) (first 1)
        (<= (t ?x ?x) (d ?x) (on))
        (<= (t ?x ?z) (e ?x ?y) (t ?y ?w) (step ?w ?z))
        (<= (t ?x none) (first ?x) (half ?x ?y ?w))
        (<= (half ?x ?y ?w) (d ?x) (d ?y) (d ?w) (more))
        (<= (middle ?y) (at ?x) (t ?x ?y))
        (<= (large ?x ?y) (d ?x) (d ?y) (less))
        (<= (large ?x ?y) (d ?x) (middle ?y))
        (<= (p ?y) (at ?x) (large ?x ?y))
        """
    )
    rules = flat_rules(text)
    inputs = {AT: [constants("1")], ("on", 0): [()]}
    givens = [
        {**inputs, ("less", 0): [()], ("more", 0): []},
        {**inputs, ("less", 0): [], ("more", 0): [()]},
    ]
    with limits(8):
        found = semi_naive_each(rules, givens, [("p", 1)], others=False)
    assert [shown(model["p", 1]) for model in found] == [shown(naive.derive(rules, g)["p", 1]) for g in givens]


# Random relations over small graphs, most of them recursive


def _bodies(*conditions: str) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(conditions), min_size=1, max_size=3)


_EDGE = ("(e ?x ?y)", "(e ?y ?x)", "(e ?y ?z)", "(half ?x ?y)", "(half ?y ?z)", "(on)", "(first ?x)", "(succ ?z ?y)")
_LOWER = (*_EDGE, "(a ?x ?y)", "(a ?y ?z)", "(a ?z ?y)", "(b ?x ?y)", "(b ?y ?z)", "(b ?z ?x)", "(c ?x)", "(c ?y)")
_UPPER = (*_LOWER, "(middle ?x)", "(middle ?y)", "(k ?x ?y)", "(k ?z ?y)", "(not (c ?y))")
_LOWER_HEADS = st.sampled_from(["(a ?x ?y)", "(a ?y ?x)", "(b ?x ?y)", "(b ?x ?x)", "(c ?x)", "(c ?y)", "(a 1 ?x)"])
_UPPER_HEADS = st.sampled_from(["(k ?x ?y)", "(k ?y ?x)", "(k 1 ?y)"])
_RULES = st.tuples(
    st.lists(st.tuples(_LOWER_HEADS, _bodies(*_LOWER)), min_size=2, max_size=8),
    st.lists(st.tuples(_UPPER_HEADS, _bodies(*_UPPER)), min_size=1, max_size=4),
)
_EDGES = st.sets(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=2, max_size=8)
_FIXED = """
(d 1) (d 2) (d 3) (d 4) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 1) (first 1)
(<= (half ?x ?y) (d ?x) (d ?y) (more))
(<= (middle ?y) (at ?x) (a ?x ?y))
(<= (p ?y) (at ?x) (a ?x ?y))
(<= (q ?y) (at ?x) (b ?y ?x) (not (a ?y ?x)))
(<= (r ?y) (at ?x) (k ?x ?y))
"""


#: Keys of `b` need each other in cycles within cycles; one of them needs a key that waits for a key that waits.
_CYCLES = (
    [
        ("(a ?x ?y)", ["(e ?x ?y)"]),
        ("(a ?y ?x)", ["(b ?x ?y)"]),
        ("(b ?x ?y)", ["(first ?x)", "(a ?z ?y)"]),
        ("(b ?x ?y)", ["(b ?y ?z)", "(a ?z ?y)"]),
    ],
    [("(k ?x ?y)", ["(e ?x ?y)"])],
)


@examples(60)
@given(_RULES, _EDGES, st.permutations([("p", 1), ("q", 1), ("r", 1)]), st.sampled_from([1, 3]))
@example(_CYCLES, {(1, 1), (1, 2)}, [("p", 1), ("q", 1), ("r", 1)], 1)
def test_recursive_relations_over_graphs(
    rules: tuple[list[tuple[str, list[str]]], ...],
    edges: set[tuple[int, int]],
    questions: list[Signature],
    limit: int,
) -> None:
    text = " ".join(f"(<= {head} {' '.join(body)} (d ?x) (d ?y))" for some in rules for head, body in some)
    facts = " ".join(f"(e {x} {y})" for x, y in edges)
    flat = flat_rules(f"{facts} {text} {_FIXED}")
    at = {AT: [constants("1"), constants("3")]}
    givens = [{**at, ("on", 0): [()] * on, ("more", 0): [()] * more} for on, more in [(1, 0), (0, 0), (1, 1)]]
    with limits(limit):
        found = semi_naive_each(flat, givens, questions, others=False)
    for model, inputs in zip(found, givens, strict=True):
        expected = naive.derive(flat, inputs)
        assert_same(model, {relation: expected.get(relation, set()) for relation in model})
