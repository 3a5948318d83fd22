"""The parts of a rulesheet."""

from __future__ import annotations

from support.toy_rules import NIM

import gdl
from ggp.rules.overview import Dependence, Relation, fact_counts, relations


def test_relations_with_their_kinds_and_counts() -> None:
    found = {relation.name: relation for relation in relations(gdl.Rulesheet(NIM))}
    assert found["take/3"] == Relation("take/3", Dependence.STATIC, rules=0, facts=7)
    assert found["init/1"] == Relation("init/1", Dependence.STATIC, rules=0, facts=2)
    assert found["legal/2"] == Relation("legal/2", Dependence.STATE, rules=2, facts=0)
    assert found["next/1"] == Relation("next/1", Dependence.MOVES, rules=2, facts=0)
    assert found["terminal/0"] == Relation("terminal/0", Dependence.STATE, rules=1, facts=0)
    assert "true/1" not in found
    assert "does/2" not in found


def test_relations_come_in_the_order_of_the_text_and_undefined_ones_last() -> None:
    text = "(role r) (<= (helper ?x) (true (f ?x)) (missing ?x)) (<= terminal (helper 1))"
    names = [relation.name for relation in relations(gdl.Rulesheet(text))]
    assert names == ["role/1", "helper/1", "terminal/0", "missing/1"]


def test_facts_of_a_state() -> None:
    game = gdl.Reasoner(NIM)
    state = game.state(["(cell 1 1 x)", "(cell 1 2 o)", "(control left)", "done"])
    assert fact_counts(state) == {"cell/3": 2, "control/1": 1, "done/0": 1}
    assert next(iter(fact_counts(state))) == "cell/3"
