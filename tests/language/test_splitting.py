"""Relations that negate themselves in other atoms only are split, so that no cycle is left."""

from __future__ import annotations

import pytest
from support.engines import clingo, flat_rules, semi_naive
from support.naive import Model, derive

from gdl.language.rules import Rule
from gdl.language.splitting import stratified
from gdl.language.strata import DependencyGraph


def split(text: str) -> tuple[list[Rule], DependencyGraph]:
    flat = flat_rules(text)
    parts, graph = stratified(flat, DependencyGraph(flat))
    return list(parts), graph


def without_parts(model: Model) -> Model:
    return {relation: rows for relation, rows in model.items() if rows and " " not in relation[0]}


def test_stratified_rules_stay_as_they_are() -> None:
    flat = flat_rules("(<= (p ?x) (q ?x) (not (r ?x))) (<= (q ?x) (q ?x) (s ?x))")
    graph = DependencyGraph(flat)
    assert stratified(flat, graph) == (flat, graph)


CURABLE = [
    # the goal of one who has not won
    "(player white) (player black) (won white)"
    "(<= (goal ?r 100) (won ?r)) (<= (goal ?r 0) (player ?r) (not (goal ?r 100)))",
    "(player white) (player black) (won white) (<= (goal ?r 100) (won ?r))"
    "(<= (goal ?r 0) (player ?r) (not (goal ?r 100))) (<= (some ?r ?v) (goal ?r ?v))"
    "(<= (of white ?v) (goal white ?v))",
    # three values, one after another
    "(r a) (r b) (r c) (x a) (y b) (<= (v ?r 3) (x ?r)) (<= (v ?r 2) (y ?r) (not (v ?r 3)))"
    "(<= (v ?r 1) (r ?r) (not (v ?r 2)) (not (v ?r 3)))",
    # through another relation
    "(on a) (<= (p (f ?x)) (on ?x) (not (q ?x))) (<= (q ?x) (p (g ?x))) (<= (p (g ?x)) (on ?x))",
    # whoever asks for the whole relation gets all parts
    "(d a) (d b) (<= (p 1 ?x) (d ?x)) (<= (p 2 ?x) (d ?x) (not (p 1 ?x))) (<= (p 3 a) (not (p 2 b)))"
    "(<= (all ?n ?x) (p ?n ?x)) (<= (some ?x) (d ?x) (p ?n ?x) (not (p 4 ?x)))",
    # heads that overlap through a third one
    "(d a) (<= (p ?x 1) (d ?x)) (<= (p a ?y) (d ?y)) (<= (p b 1) (not (p c 2))) (<= (p c 2) (d b))",
    "(d a) (d b) (<= (p ?x 1) (d ?x)) (<= (p a ?y) (d ?y)) (<= (p z 9) (not (p b 1))) (<= (p z 8) (not (p b 2)))",
    # positive recursion stays within its part
    "(e a b) (e b c) (<= (p to ?x ?y) (e ?x ?y)) (<= (p to ?x ?z) (p to ?x ?y) (e ?y ?z))"
    "(<= (p apart ?x ?y) (e ?x ?u) (e ?v ?y) (not (p to ?x ?y)))",
]


@pytest.mark.parametrize("text", CURABLE)
def test_split_rules_are_stratified_and_say_the_same(text: str) -> None:
    pytest.importorskip("clingo")
    assert DependencyGraph(flat_rules(text)).negative_cycles()
    parts, graph = split(text)
    assert not graph.negative_cycles()
    expected = without_parts(clingo(flat_rules(text)))
    assert without_parts(derive(parts)) == expected
    assert without_parts(semi_naive(parts)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "(<= p (not p))",
        "(<= p (not q)) (<= q (not p))",
        "(<= (p a) (not (p a)))",
        "(<= (p ?x) (d ?x) (not (p a)))",
        "(<= (win ?x) (move ?x ?y) (not (win ?y)))",
        "(<= (p a ?x) (d ?x) (not (p ?x b)))",
        "(<= (p (f ?x)) (d ?x) (not (p (f a))))",
    ],
)
def test_atoms_that_may_negate_themselves_are_left_in_a_cycle(text: str) -> None:
    assert split(text)[1].negative_cycles()
