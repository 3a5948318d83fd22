"""Join orders: tests come as soon as they can, and what matches least comes first."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from support.engines import flat_rules

from gdl.language.rules import Atom, Literal, Rule
from gdl.reasoner import joins
from gdl.reasoner.joins import Match, Step, order
from gdl.terms import Variable


def steps(
    text: str, sizes: Mapping[str, float] | None = None, *, first: int | None = None, known: str = ""
) -> list[str]:
    """The steps as texts: a test is `? atom`, a match `atom bound>outputs`."""
    (flat,) = flat_rules(text)
    literals = list(flat.literals())

    def estimate(atom: Atom, bound: tuple[int, ...]) -> float:
        rows = (sizes or {}).get(atom.name, 100.0)
        return rows / 10.0 ** len(bound)

    found = order(flat, estimate, None if first is None else literals[first], map(Variable, known.split()))
    return [shown(step) for step in found]


def shown(step: Step) -> str:
    if isinstance(step, joins.Test):
        return f"? {step.condition}"
    columns = [",".join(map(str, columns)) for columns in (step.bound, step.outputs)]
    return f"{'new ' if step.delta else ''}{step.atom} {'>'.join(columns)}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(<= p (q a b))", ["? (q a b)"]),
        ("(<= p q (not r))", ["? q", "? (not r)"]),
        ("(<= p (not q) r)", ["? (not q)", "? r"]),
        ("(<= (p ?x ?y) (q ?x ?y))", ["(q ?x ?y) >0,1"]),
        # What nothing needs is not looked at.
        ("(<= (p ?x) (q ?x ?y))", ["(q ?x ?y) >0"]),
        ("(<= p (q ?x ?y))", ["(q ?x ?y) >"]),
        ("(<= (p ?x) (q a ?x))", ["(q a ?x) 0>1"]),
        ("(<= p (q a ?x))", ["(q a ?x) 0>"]),
        # Repeated variables and functions are looked into.
        ("(<= p (q ?x ?x))", ["(q ?x ?x) >0,1"]),
        ("(<= p (q ?x (f ?x) ?y))", ["(q ?x (f ?x) ?y) >0,1"]),
        ("(<= p (q (f ?x) ?y))", ["(q (f ?x) ?y) >0"]),
        ("(<= p (q (f ?x) (g ?x) ?y))", ["(q (f ?x) (g ?x) ?y) >0,1"]),
        ("(<= (p ?x) (q ?x) (r (f ?x) ?x (g ?x)))", ["(q ?x) >0", "? (r (f ?x) ?x (g ?x))"]),
    ],
)
def test_how_a_condition_is_matched(text: str, expected: list[str]) -> None:
    assert steps(text) == expected


def test_tests_come_as_soon_as_their_variables_are_bound() -> None:
    text = "(<= (p ?x ?z) (q ?x ?y) (r ?y ?z) (distinct ?x ?y) (not (s ?y)) (not (s ?z)) (t ?x ?y))"
    assert steps(text, {"q": 1}) == [
        "(q ?x ?y) >0,1",
        "? (distinct ?x ?y)",
        "? (not (s ?y))",
        "? (t ?x ?y)",
        "(r ?y ?z) 0>1",
        "? (not (s ?z))",
    ]


def test_what_matches_least_comes_first() -> None:
    text = "(<= (p ?x ?y ?z) (q ?x ?y) (r ?y ?z) (s ?z))"
    assert steps(text, {"q": 10, "r": 1000, "s": 50}) == ["(q ?x ?y) >0,1", "(s ?z) >0", "? (r ?y ?z)"]
    assert steps(text, {"q": 500, "r": 100, "s": 5}) == ["(s ?z) >0", "(r ?y ?z) 1>0", "(q ?x ?y) 1>0"]


def test_a_condition_that_binds_nothing_for_others_is_only_a_filter() -> None:
    assert steps("(<= (p ?x) (q ?x) (r ?y ?z))", {"q": 10, "r": 1000}) == ["(r ?y ?z) >", "(q ?x) >0"]


def test_equal_estimates_keep_the_order_of_the_text() -> None:
    assert steps("(<= (p ?x ?y) (b ?y) (a ?x))") == ["(b ?y) >0", "(a ?x) >0"]


def test_the_delta_comes_first() -> None:
    text = "(<= (t ?x ?z) (e ?x ?y) (t ?y ?z))"
    assert steps(text, {"e": 1, "t": 1000}, first=1) == ["new (t ?y ?z) >0,1", "(e ?x ?y) 1>0"]
    assert steps("(<= (t ?x) (t a) (e ?x))", first=0) == ["new (t a) >", "(e ?x) >0"]


def test_known_variables_are_bound_beforehand() -> None:
    assert steps("(<= (p ?x ?y) (q ?x ?y) (not (r ?x)))", known="x") == ["? (not (r ?x))", "(q ?x ?y) 0>1"]
    assert steps("(<= (p ?x ?y) (q ?x ?y) (not (r ?x)))", known="x y") == ["? (q ?x ?y)", "? (not (r ?x))"]


def test_equal_literals_are_taken_one_at_a_time() -> None:
    literal = Literal(Atom("q", (Variable("x"),)))
    doubled = Rule(Atom("p", (Variable("x"),)), (literal, literal))
    assert [shown(step) for step in order(doubled, lambda *_: 1.0)] == ["(q ?x) >0", "? (q ?x)"]
    assert isinstance(order(doubled, lambda *_: 1.0, literal)[0], Match)


def test_an_unsafe_rule_cannot_be_ordered() -> None:
    unsafe = Rule(Atom("p"), (Literal(Atom("q", (Variable("x"),)), negated=True),))
    with pytest.raises(ValueError, match="unsafe"):
        order(unsafe, lambda *_: 1.0)
