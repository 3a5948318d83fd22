"""Boards that are parts of a whole one by a relation of the rules are arranged like these parts."""

from __future__ import annotations

import pytest

import gdl
from ggp.board import find_boards

#: Four boards of two by two cells; `wide` and `high` say which of them are on the right, and which at the top.
PARTS = """
(role white) (role black) (n 1) (n 2) (part a) (part b) (part c) (part d)
(wide b) (wide d) (narrow a) (narrow c) (high a) (high b) (low c) (low d)
(shifted 1 3) (shifted 2 4)
(<= (init (cell ?p ?x ?y empty)) (part ?p) (n ?x) (n ?y))
(<= (base (cell ?p ?x ?y ?what)) (part ?p) (n ?x) (n ?y) (kind ?what)) (kind empty) (kind white) (kind black)
(<= (across ?p ?x ?x) (n ?x) (narrow ?p)) (<= (across ?p ?x ?x2) (wide ?p) (shifted ?x ?x2))
(<= (along ?p ?y ?y) (n ?y) (low ?p)) (<= (along ?p ?y ?y2) (high ?p) (shifted ?y ?y2))
(<= (overall ?p ?x ?y ?x2 ?y2) (across ?p ?x ?x2) (along ?p ?y ?y2))
(<= (next (cell ?p ?x ?y ?what)) (true (cell ?p ?x ?y ?what))) (<= (legal ?r noop) (role ?r))
(<= terminal (true (cell a 1 1 white))) (<= (goal ?r 50) (role ?r))
"""


def bands(rules: str) -> list[list[str]]:
    layout = find_boards(gdl.Reasoner(rules))
    return [[layout.boards[number].title for number in band] for band in layout.bands]


def test_parts_lie_as_on_the_whole_board() -> None:
    assert bands(PARTS) == [["a", "b"], ["c", "d"]]
    turned = PARTS.replace("(high a) (high b) (low c) (low d)", "(low a) (low b) (high c) (high d)")
    assert bands(turned) == [["c", "d"], ["a", "b"]]
    row_first = PARTS.replace(
        "?x2 ?y2) (across ?p ?x ?x2) (along ?p ?y ?y2)", "?x2 ?y2) (along ?p ?x ?x2) (across ?p ?y ?y2)"
    )
    assert bands(row_first) == [["d", "b"], ["c", "a"]]


@pytest.mark.parametrize(
    "other",
    [
        PARTS.replace("(overall ?p ?x ?y ?x2 ?y2)", "(overall ?p ?x ?y ?y2 ?x2)"),  # the parts are turned
        PARTS.replace("(shifted 1 3) (shifted 2 4)", "(shifted 1 2) (shifted 2 1)"),  # the parts lie on one another
        PARTS.replace("(overall ?p ?x ?y ?x2 ?y2)", "(overall ?p ?x ?y ?x2)"),
    ],
)
def test_other_relations_leave_the_boards_in_a_row(other: str) -> None:
    assert bands(other) == [["a", "b", "c", "d"]]
