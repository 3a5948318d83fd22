"""Files of kinds that explode when they are grounded as they are written."""

from __future__ import annotations

import pytest
from support.large_rules import amazons, guards, king_hunt, lines, mill, pins, snake, sudoku, tried_moves

import gdl
from gdl.compile_budget import CompileBudget
from gdl.grounder import free_columns, ground, unfolding
from gdl.language.rulesheet import Rulesheet

pytest.importorskip("clingo")

from support.agreement import check_playouts
from support.grounded import check_rewritten

#: A move that is always legal, as playouts go on after the end.
PASS = "(<= (legal ?p pass) (role ?p))"


@pytest.mark.parametrize(
    "text",
    [
        *(mill(4) + PASS, sudoku(3) + PASS, king_hunt(3), snake(4, 5) + PASS),
        *(pins(3) + PASS, tried_moves(3) + PASS, guards(3) + PASS, lines(3), amazons(3) + PASS),
    ],
    ids=["mill", "sudoku", "king", "snake", "pins", "tried moves", "guards", "lines", "amazons"],
)
def test_small_ones_mean_what_they_say(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfolding, "_LARGE", 0)
    monkeypatch.setattr(free_columns, "_LARGE", 0)
    monkeypatch.setattr(free_columns, "_VALUES", 0)
    check_rewritten(text, playouts=2)


@pytest.mark.parametrize(
    ("text", "most"), [(mill(24), 20_000), (sudoku(7), 60_000), (pins(5), 40_000)], ids=["mill", "sudoku", "pins"]
)
def test_large_ones_are_grounded(text: str, most: int) -> None:
    ground(Rulesheet(text), CompileBudget(rules=most))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [mill(24), king_hunt(10), snake(16, 80), tried_moves(5), guards(6), lines(8)],
    ids=["mill", "king", "snake", "tried moves", "guards", "lines"],
)
def test_large_ones_are_compiled(text: str) -> None:
    check_playouts(gdl.Reasoner(Rulesheet(text)), gdl.compile(Rulesheet(text)), 3, 40, seconds=20)
