"""Wide static relations give way to their definitions where rules can then be split further."""

from __future__ import annotations

import pytest

from gdl.grounder.unfolding import unfolded
from gdl.language.rulesheet import Rulesheet

pytest.importorskip("clingo")

from support.grounded import SMALL, check_rewritten

PIECES = """(shape a round) (shape b round) (shape b tall) (shape c tall) (legal robot wait)
(init (cell 1 b)) (init (cell 2 b)) (init (cell 3 c))"""
ALIKE = "(<= (alike ?p ?q ?r) (shape ?p ?s) (shape ?q ?s) (shape ?r ?s))"
ROW = "(<= (goal robot 50) (true (cell 1 ?s)) (true (cell 2 ?q)) (true (cell 3 ?r)) (alike ?s ?q ?r))"
MOVES = """(<= (next (cell 1 a)) (does robot press)) (<= (next (cell 1 ?p)) (true (cell 1 ?p)) (does robot wait))
(<= (next (cell 2 ?p)) (true (cell 1 ?p))) (<= (next (cell 3 ?p)) (true (cell 2 ?p)))"""


def last(text: str) -> str:
    return str(unfolded(Rulesheet(SMALL + text).rules)[-1])


def test_a_definition_takes_the_place_of_its_relation() -> None:
    assert last(PIECES + ALIKE + MOVES + ROW) == (
        "(<= (goal robot 50) (true (cell 1 ?s)) (true (cell 2 ?q)) (true (cell 3 ?r))"
        " (shape ?s ?u0) (shape ?q ?u0) (shape ?r ?u0))"
    )
    check_rewritten(SMALL + PIECES + ALIKE + MOVES + ROW)


@pytest.mark.parametrize(
    "text",
    [
        ALIKE + ALIKE.replace("(shape ?r ?s)", "(colour ?r ?s)") + ROW,
        ALIKE.replace("(shape ?r ?s)", "(true (cell 1 ?r)) (shape ?r ?s)") + ROW,
        ALIKE.replace("(shape ?q ?s)", "(alike ?r ?q ?p)") + ROW,
        ALIKE.replace("?q ?s", "?r ?q") + ROW.replace("(goal robot 50)", "(next (row ?s ?q ?r))"),
        ALIKE + ROW.replace("(alike", "(not (alike") + ")",
    ],
    ids=["two rules", "not static", "recursive", "as wide as before", "negated"],
)
def test_other_relations_stay(text: str) -> None:
    rule = text[text.index("(<= (goal") if "(<= (goal" in text else text.index("(<= (next") :]
    assert last(text) == rule
