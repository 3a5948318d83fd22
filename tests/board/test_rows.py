"""Rows: games whose facts give each of several things one value, in games without other boards."""

from __future__ import annotations

import pytest

import gdl
from ggp.board import Layout, find_boards
from ggp.board.view import lay

HEAPS = """
(role a) (role b) (init (control a)) (init (heap h2 n3)) (init (heap h10 n1)) (init (heap spare n3)) (init (heap h1 n2))
(succ n0 n1) (succ n1 n2) (succ n2 n3)
(<= (legal ?r (take ?h)) (true (control ?r)) (true (heap ?h ?n)) (succ ?m ?n))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (heap ?h ?m)) (does ?r (take ?h)) (true (heap ?h ?n)) (succ ?m ?n))
(<= (next (heap ?h ?n)) (true (heap ?h ?n)) (not (taken ?h)))
(<= (taken ?h) (does ?r (take ?h)))
(<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))
(<= terminal (not (open))) (<= (open) (true (heap ?h ?n)) (distinct ?n n0)) (goal a 50) (goal b 50)
"""

LIGHTS = """
(role r) (init (off p)) (init (on q)) (init (off s)) (light p) (light q) (light s)
(<= (legal r (turn ?x)) (light ?x))
(<= (next (on ?x)) (does r (turn ?x)) (true (off ?x))) (<= (next (on ?x)) (true (on ?x)) (not (does r (turn ?x))))
(<= (next (off ?x)) (does r (turn ?x)) (true (on ?x))) (<= (next (off ?x)) (true (off ?x)) (not (does r (turn ?x))))
(<= terminal (not (true (off p)))) (goal r 100)
"""


def found(rules: str) -> tuple[gdl.Reasoner, Layout]:
    game = gdl.Reasoner(rules)
    return game, find_boards(game)


def shown(layout: Layout, state: gdl.State) -> list[list[str]]:
    """What stands on each cell, from left to right."""
    cells = {place.column: [piece.name for piece in cell.pieces] for place, cell in lay(layout, state).cells.items()}
    return [cells.get(column, []) for column in range(len(layout.boards[0].columns))]


def test_heaps_are_a_row_in_their_natural_order() -> None:
    game, layout = found(HEAPS)
    (board,) = layout.boards
    assert board.columns == ("h1", "h2", "h10", "spare")
    assert board.rows == ("",)
    start = game.initial_state()
    assert shown(layout, start) == [["n2"], ["n3"], ["n1"], ["n3"]]
    assert shown(layout, game.next_state(start, ["(take h2)", "noop"])) == [["n2"], ["n2"], ["n1"], ["n3"]]


def test_lights_that_are_on_or_off_are_a_row() -> None:
    game, layout = found(LIGHTS)
    (board,) = layout.boards
    assert board.columns == ("p", "q", "s")
    start = game.initial_state()
    assert shown(layout, start) == [["off"], ["on"], ["off"]]
    assert shown(layout, game.next_state(start, ["(turn q)"])) == [["off"], ["off"], ["off"]]


@pytest.mark.parametrize(
    "other",
    [
        HEAPS.replace("n3))", "n3)) (init (heap h2 n2))", 1),  # a thing with two values
        HEAPS.replace("(init (heap h10 n1)) (init (heap spare n3))", ""),  # two things
        HEAPS.replace("heap h1 ", "heap a ")
        .replace("h2 ", "b ")
        .replace("(init (heap h10 n1)) ", "")  # of the roles
        .replace("(init (heap spare n3)) ", "(init (heap c n1)) (role c)"),
        LIGHTS.replace("(init (on q))", ""),  # a thing that is neither on nor off
    ],
)
def test_other_tables_are_no_rows(other: str) -> None:
    assert not found(other)[1].boards


def test_a_game_with_a_board_has_no_rows() -> None:
    cells = " ".join(f"(init (cell {x} {y} b))" for x in (1, 2, 3) for y in (1, 2, 3))
    layout = found(HEAPS + cells + "(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)))")[1]
    assert [len(board.columns) for board in layout.boards] == [3]
