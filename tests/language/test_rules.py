"""Operations on rules and their terms: variables, substitution, unification."""

from __future__ import annotations

import pytest

from gdl import Constant, Function, Term, Variable
from gdl.language.parser import parse_term
from gdl.language.rules import substitute, unify, variables_of

X, Y, Z = Variable("x"), Variable("y"), Variable("z")
A, B = Constant("a"), Constant("b")


def f(*args: Term) -> Function:
    return Function("f", args)


def test_variables_of_gives_each_occurrence_from_left_to_right() -> None:
    assert list(variables_of(f(X, f(Y, X), A))) == [X, Y, X]
    assert not list(variables_of(A))


def test_substitute_follows_chains() -> None:
    assert substitute(f(X, Y, Z), {X: f(Y), Y: A}) == f(f(A), A, Z)


@pytest.mark.parametrize(
    ("left", "right", "unified"),
    [
        (A, A, A),
        (X, A, A),
        (A, X, A),
        (f(X, B), f(A, Y), f(A, B)),
        (f(X, X), f(Y, A), f(A, A)),
        (f(X, f(X)), f(f(Y), Z), f(f(Y), f(f(Y)))),
        (Constant("A"), Constant("a"), A),
        (Function("F", (X,)), f(A), f(A)),
        (X, X, X),
    ],
)
def test_unify_makes_terms_equal(left: Term, right: Term, unified: Term) -> None:
    binding: dict[Variable, Term] = {}
    assert unify(left, right, binding)
    assert substitute(left, binding) == substitute(right, binding) == unified


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (A, B),
        (A, f(A)),
        (f(A), f(A, A)),
        (f(A), Function("g", (A,))),
        (f(X, X), f(A, B)),
        (X, f(X)),
        (f(X, Y), f(Y, f(X))),
    ],
)
def test_unify_refuses_what_cannot_be_equal(left: Term, right: Term) -> None:
    assert not unify(left, right, {})


def test_unify_of_rules_agrees_with_equality_of_their_instances() -> None:
    left, right = parse_term("(f ?x (g ?y))"), parse_term("(f (g a) ?x)")
    binding: dict[Variable, Term] = {}
    assert unify(left, right, binding)
    assert substitute(left, binding) == parse_term("(f (g a) (g a))")
    assert binding[Variable("y")] == Constant("a")
