"""Normalisation: `or`, `and` and nested `not` become flat rules that say the same."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import naive
from support.engines import flat_rules
from support.profiles import examples
from support.strategies import rules

from gdl.errors import Mistake
from gdl.language.normalize import MAX_ALTERNATIVES, Normalizer
from gdl.language.parser import parse, parse_term, source_of
from gdl.language.rules import Rule, substitute
from gdl.terms import Term, Variable


def normalized(text: str) -> tuple[list[Rule], list[Mistake]]:
    statements, mistakes = parse(source_of(text, "test.kif"))
    assert not mistakes
    normalizer = Normalizer()
    return [rule for statement in statements for rule in normalizer.rules(statement)], normalizer.mistakes


def flat(text: str) -> list[str]:
    found, mistakes = normalized(text)
    assert not mistakes, [str(mistake) for mistake in mistakes]
    return [str(rule) for rule in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # facts and empty bodies
        ("(p a)", ["(p a)"]),
        ("(<= (p a))", ["(p a)"]),
        ("p", ["p"]),
        ("(p)", ["p"]),
        ("(<= p)", ["p"]),
        ("(<= (p (f)))", ["(p f)"]),
        # plain bodies
        ("(<= p q (r))", ["(<= p q r)"]),
        ("(<= p (not q))", ["(<= p (not q))"]),
        ("(<= p q q)", ["(<= p q)"]),
        # and
        ("(<= p (and q r) s)", ["(<= p q r s)"]),
        ("(<= p (and q (and r s)))", ["(<= p q r s)"]),
        ("(<= p (and))", ["p"]),
        # or
        ("(<= p (or q r))", ["(<= p q)", "(<= p r)"]),
        ("(<= p (or q r s t))", ["(<= p q)", "(<= p r)", "(<= p s)", "(<= p t)"]),
        ("(<= p (or q))", ["(<= p q)"]),
        ("(<= p (or))", []),
        ("(<= p (or q (or r s)))", ["(<= p q)", "(<= p r)", "(<= p s)"]),
        ("(<= p (or q r) (or s t))", ["(<= p q s)", "(<= p q t)", "(<= p r s)", "(<= p r t)"]),
        ("(<= p (or (and q r) s) t)", ["(<= p q r t)", "(<= p s t)"]),
        ("(<= p (or q q))", ["(<= p q)"]),
        # not
        ("(<= p (not (not q)))", ["(<= p q)"]),
        ("(<= p (not (not (not q))))", ["(<= p (not q))"]),
        ("(<= p (not (and q r)))", ["(<= p (not q))", "(<= p (not r))"]),
        ("(<= p (not (or q r)))", ["(<= p (not q) (not r))"]),
        ("(<= p (not (or q (and r s))))", ["(<= p (not q) (not r))", "(<= p (not q) (not s))"]),
        ("(<= p (not (and q (not (or r s)))))", ["(<= p (not q))", "(<= p r)", "(<= p s)"]),
        ("(<= p (not (and)))", []),
        ("(<= p (not (or)))", ["p"]),
        # distinct
        ("(<= (p ?x) (q ?x) (distinct ?x a))", ["(<= (p ?x) (q ?x) (distinct ?x a))"]),
        ("(<= (p ?x) (q ?x) (not (distinct ?x a)))", ["(<= (p a) (q a))"]),
        ("(<= (p ?x) (q ?y) (not (distinct (f ?y) ?x)))", ["(<= (p (f ?y)) (q ?y))"]),
        ("(<= (p ?x) (q ?x) (not (r ?x)) (not (distinct ?x a)))", ["(<= (p a) (q a) (not (r a)))"]),
        ("(<= (p ?x) (q ?x) (distinct ?x b) (not (distinct ?x a)))", ["(<= (p a) (q a) (distinct a b))"]),
        ("(<= p (not (distinct a a)) q)", ["(<= p q)"]),
        ("(<= p (not (distinct a b)) q)", []),
        ("(<= (p ?x) (q ?x) (not (distinct ?x (f ?x))))", []),
        ("(<= p (q ?x) (not (or (distinct ?x a) r)))", ["(<= p (q a) (not r))"]),
        ("(<= (p ?x) (q ?x) (not (and (distinct ?x a) (distinct ?x b))))", ["(<= (p a) (q a))", "(<= (p b) (q b))"]),
    ],
)
def test_statements_become_flat_rules(text: str, expected: list[str]) -> None:
    assert flat(text) == expected


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("(<= (p ?x ?y) (q ?x ?y) (not (distinct ?x ?y)))", "(<= (p ?{0} ?{0}) (q ?{0} ?{0}))"),
        ("(<= (p ?x) (q ?y) (not (distinct ?x ?y)))", "(<= (p ?{0}) (q ?{0}))"),
        ("(<= (p ?x) (q ?y) (not (distinct ?y ?x)))", "(<= (p ?{0}) (q ?{0}))"),
    ],
)
def test_equal_variables_become_one(text: str, pattern: str) -> None:
    (found,) = flat(text)
    assert found in (pattern.format("x"), pattern.format("y"))


def test_connectives_may_be_spelled_in_capitals() -> None:
    assert flat("(<= P (OR (AND q (NOT r)) (DISTINCT a b)))") == ["(<= P q (not r))", "(<= P (distinct a b))"]


def test_symbols_print_in_their_first_spelling() -> None:
    assert flat("(Cell A) (<= (ROW ?x) (CELL ?x) (row a) (cell (F ?x))) (f (cell row))") == [
        "(Cell A)",
        "(<= (ROW ?x) (Cell ?x) (ROW A) (Cell (F ?x)))",
        "(F (Cell ROW))",
    ]


def test_variables_are_the_same_whatever_their_case() -> None:
    (rule,), _ = normalized("(<= (p ?Who) (q ?who))")
    assert len({variable.text for variable in (*rule.head.variables(), *rule.body[0].variables())}) == 1


def test_rules_know_where_their_statement_stands() -> None:
    found, _ = normalized("(p a)\n  (<= q (or r (s b)))")
    assert [str(rule.location) for rule in found] == ["test.kif:1:1", "test.kif:2:3", "test.kif:2:3"]
    literals = [literal.syntax for rule in found for literal in rule.literals()]
    assert [str(syntax.location) for syntax in literals if syntax] == ["test.kif:2:13", "test.kif:2:15"]


def disjunctions(count: int) -> str:
    return "(<= p " + "(or q r) " * count + ")"


def test_a_statement_may_stand_for_many_rules() -> None:
    count = MAX_ALTERNATIVES.bit_length() - 1
    # Duplicates in a body go, so not all of them differ; each is a set of q and r.
    assert len(flat(disjunctions(count))) > 1


def test_a_statement_may_not_stand_for_too_many_rules() -> None:
    found, (mistake,) = normalized("s " + disjunctions(MAX_ALTERNATIVES.bit_length()))
    assert [str(rule) for rule in found] == ["s"]
    assert (mistake.code, mistake.location.column) == ("too-many-alternatives", 3)
    assert "16384" in mistake.message


def test_the_limit_counts_within_a_condition_too() -> None:
    many = "(or q r) " * MAX_ALTERNATIVES.bit_length()
    _, (mistake,) = normalized(f"(<= p s (not (not (and {many}))))")
    assert (mistake.code, mistake.location.column) == ("too-many-alternatives", 19)


# What rules mean, by an independent evaluation of conditions

_VALUES = [parse_term(text) for text in ("a", "b", "(f a)", "(f b)")]
_ARGUMENTS = [parse_term(text) for text in ("?x", "?y", "a", "(f ?x)", "(f a)", "(g ?x ?y)")]

#: A condition as nested tuples: a keyword and conditions, or a relation's name and terms.
Formula = tuple[object, ...]


def formulas() -> st.SearchStrategy[Formula]:
    argument = st.sampled_from(_ARGUMENTS)
    leaves = st.tuples(st.just("q"), argument, argument) | st.tuples(st.just("distinct"), argument, argument)
    return st.recursive(
        leaves | st.just(("on",)),
        lambda inner: (
            st.tuples(st.just("not"), inner)
            | st.lists(inner, max_size=3).map(lambda parts: ("and", *parts))
            | st.lists(inner, max_size=3).map(lambda parts: ("or", *parts))
        ),
        max_leaves=6,
    )


def text_of(formula: object) -> str:
    return f"({' '.join(map(text_of, formula))})" if isinstance(formula, tuple) else str(formula)


def holds(formula: Formula, binding: Mapping[Variable, Term], facts: set[tuple[Term, ...]]) -> bool:
    name, *parts = formula
    if name == "not":
        return not holds(parts[0], binding, facts)  # type: ignore[arg-type]
    if name in ("and", "or"):
        return (all if name == "and" else any)(holds(part, binding, facts) for part in parts)  # type: ignore[arg-type]
    row = tuple(substitute(part, binding) for part in parts)  # type: ignore[arg-type]
    return row[0] != row[1] if name == "distinct" else row in facts


@examples(150)
@given(formulas(), st.sets(st.tuples(st.sampled_from(_VALUES), st.sampled_from(_VALUES))), st.booleans())
def test_flat_rules_hold_where_the_condition_does(formula: Formula, rows: set[tuple[Term, ...]], on: bool) -> None:
    found, mistakes = normalized(f"(<= (p ?x ?y) (d ?x) (d ?y) {text_of(formula)})")
    assert not mistakes
    facts = rows | {()} if on else rows
    given_rows = {("q", 2): rows, ("on", 0): facts & {()}, ("d", 1): {(value,) for value in _VALUES}}
    expected = {
        (x, y) for x, y in product(_VALUES, _VALUES) if holds(formula, {Variable("x"): x, Variable("y"): y}, facts)
    }
    assert naive.derive(found, given_rows).get(("p", 2), set()) == expected


@examples(100)
@given(rules())
def test_rules_read_back_as_they_print(rule: Rule) -> None:
    (again,), mistakes = normalized(str(rule))
    assert not mistakes
    assert str(again).lower() == str(rule).lower()
    assert again.head.signature == rule.head.signature
    assert again.head.args == rule.head.args
    assert [type(condition) for condition in again.body] == [type(condition) for condition in rule.body]


# Mistakes: test_rulesheet.py has each with its report. Here is what is easily missed.


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("(<= (p ?x) (q ?x ?z) (not (r ?x (f ?y))))", "?y in a negation", 36),
        ("(<= (p ?x) (or (q ?x) r))", "?x in the head", 8),
        ("(<= (p ?x) (not (not (or (q ?x) r))))", "?x in the head", 8),
        ("(<= p (not (distinct ?x ?y)) (not (q ?x)))", "?x in a negation", 38),
        ("(<= p (distinct (f ?x) a))", "?x in distinct", 20),
        ("(<= (p ?x) q (not (distinct ?x ?y)))", "?x in the head", 8),
    ],
)
def test_unsafe_variables_are_found(text: str, message: str, column: int) -> None:
    _, (mistake,) = normalized(text)
    assert (mistake.code, mistake.location.column) == ("unsafe-variable", column)
    assert mistake.message == f"{message} occurs in no positive condition of the body"


@pytest.mark.parametrize(
    "text",
    [
        "(<= (p ?y) q (not (distinct ?x ?y)))",
        "(<= p (not (q ?x)) (not (distinct ?x (f ?y))))",
    ],
)
def test_unsafe_variables_that_equal_others_are_found(text: str) -> None:
    found, mistakes = normalized(text)
    assert not found
    assert {mistake.code for mistake in mistakes} == {"unsafe-variable"}


def test_every_broken_condition_of_a_rule_is_noted() -> None:
    _, mistakes = normalized("(<= (p ()) (not) (true) ?x (distinct a) (distinct (?f) a))")
    assert [(mistake.code, mistake.location.column) for mistake in mistakes] == [
        ("empty-parentheses", 8),
        ("keyword-arity", 13),
        ("keyword-arity", 19),
        ("misplaced-variable", 25),
        ("keyword-arity", 29),
        ("misplaced-variable", 52),
    ]


def test_keywords_may_be_names_of_functions_and_constants() -> None:
    assert flat("(p (not a) true) (<= q (p (or a b) does))") == ["(p (not a) true)", "(<= q (p (or a b) does))"]


def test_the_first_spelling_of_a_relation_comes_before_those_in_its_arguments() -> None:
    (fact,) = flat_rules("(TRUE- (f true-) True-)")
    assert str(fact) == "(TRUE- (f TRUE-) TRUE-)"
