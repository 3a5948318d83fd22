"""Relations that need demand, and the modes in which questions about them end."""

from __future__ import annotations

import pytest
from support.engines import flat_rules
from support.list_rules import LISTS, PATHS, SETS, items

from gdl.language.demand import Demand
from gdl.language.strata import DependencyGraph


def demand(text: str) -> Demand:
    rules = flat_rules(text)
    return Demand(rules, DependencyGraph(rules))


MODES = {
    ("list", 1): [(0,)],
    ("append", 3): [(2,), (0, 1)],
    ("reverse", 2): [(0,)],
    ("turned", 3): [(0, 1), (0, 2)],
    ("member", 2): [(1,)],
    ("select", 3): [(1,), (2,)],
    ("permutation", 2): [(1,)],
    ("sorted", 2): [(0,)],
    ("path", 4): [],
}


@pytest.mark.parametrize("relation", MODES)
def test_modes_that_end(relation: tuple[str, int]) -> None:
    found = demand(LISTS + SETS + PATHS + items("ab") + "(edge a b)")
    assert relation in found.reasons
    assert found.modes(relation) == MODES[relation]


@pytest.mark.parametrize(
    "text",
    [
        "(e a b) (<= (t ?x ?y) (e ?x ?y)) (<= (t ?x ?z) (t ?x ?y) (t ?y ?z))",
        "(small z) (n z) (<= (n (s ?x)) (n ?x) (small ?x))",
        "(d a) (<= (f (g ?x ?y)) (d ?x) (d ?y)) (<= (h ?x) (f ?x))",
        "(<= (next (count (s ?x))) (true (count ?x)))",
    ],
)
def test_other_relations_need_no_demand(text: str) -> None:
    assert not demand(text).reasons


def test_more_bound_columns_do_no_harm() -> None:
    found = demand(LISTS + items("ab"))
    assert found.is_safe(("append", 3), (0, 1, 2))
    assert not found.is_safe(("append", 3), (0,))
    assert not found.is_safe(("append", 3), (1,))
    assert found.is_safe(("item", 1), ())
