"""Terms: how they print, when they are equal, how they order, and that they never change."""

from __future__ import annotations

import copy
import pickle

import pytest

from gdl import Constant, Function, Term, Variable

MOVE = Function("move", (Constant("c4"), Variable("to"), Function("by", (Constant("Rook"),))))
EACH_KIND = [Constant("c1"), Variable("x"), MOVE]
A, B = Constant("a"), Constant("b")


def f(*args: Term) -> Function:
    return Function("f", args)


def test_terms_print_as_kif() -> None:
    assert [str(term) for term in EACH_KIND] == ["c1", "?x", "(move c4 ?to (by Rook))"]


def test_parts() -> None:
    assert Constant("Wolf").name == "Wolf"
    assert (Variable("x").name, Variable("x").text) == ("x", "?x")
    assert (MOVE.name, [arg.text for arg in MOVE.args]) == ("move", ["c4", "?to", "(by Rook)"])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Constant("Wolf"), Constant("wOLF")),
        (Variable("From"), Variable("from")),
        (Function("Cell", (Constant("A"),)), Function("cell", (Constant("a"),))),
        (Constant("ÄΣ"), Constant("äς")),
    ],
)
def test_symbols_are_the_same_whatever_their_case(left: Term, right: Term) -> None:
    assert left == right
    assert hash(left) == hash(right)
    assert left.text != right.text  # each keeps its spelling


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Constant("x"), Variable("x")),
        (Constant("f"), f(Constant("f"))),
        (f(A, B), f(B, A)),
        (f(A), f(A, A)),
        (f(f(A), B), f(f(A, B))),
        (f(A), Function("g", (A,))),
    ],
)
def test_different_terms_differ(left: Term, right: Term) -> None:
    assert left != right


def test_a_term_equals_no_string() -> None:
    assert Constant("a") != "a"
    assert "a" not in {Constant("a")}


def test_terms_order_by_their_text() -> None:
    terms: list[Term] = [Constant("b"), f(A), Variable("a"), Constant("10"), Constant("9"), Constant("a")]
    assert [term.text for term in sorted(terms)] == ["(f a)", "10", "9", "?a", "a", "b"]
    assert A < B <= B < Constant("c")
    assert B > A >= A


@pytest.mark.parametrize("term", EACH_KIND, ids=str)
def test_terms_never_change(term: Term) -> None:
    with pytest.raises(AttributeError, match="immutable"):
        term.text = "other"
    with pytest.raises(AttributeError, match="immutable"):
        term.size = 3  # type: ignore[union-attr]
    with pytest.raises(AttributeError, match="immutable"):
        del term.text


@pytest.mark.parametrize("term", EACH_KIND, ids=str)
def test_terms_can_be_copied_and_pickled(term: Term) -> None:
    for copied in (pickle.loads(pickle.dumps(term)), copy.copy(term), copy.deepcopy(term)):
        assert copied == term
        assert copied.text == term.text
        assert type(copied) is type(term)


@pytest.mark.parametrize("term", EACH_KIND, ids=str)
def test_repr_evaluates_to_the_term(term: Term) -> None:
    names = {"Constant": Constant, "Variable": Variable, "Function": Function}
    assert eval(repr(term), names) == term


def test_a_function_needs_an_argument() -> None:
    with pytest.raises(ValueError, match=r"use Constant\('f'\)"):
        Function("f", ())
