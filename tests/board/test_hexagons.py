"""Boards whose cells have six neighbours by the rules are drawn with hexagons, whichever way they lean."""

from __future__ import annotations

import re
from math import dist, isclose

import pytest
from support.drawn import by_class

import gdl
from ggp.board import CellPlace, find_boards, lay, render_text
from ggp.board.drawing.looks import CELL
from ggp.board.drawing.scene import scene_of
from ggp.board.drawing.svg import svg
from ggp.board.kinds.grids import Grid
from ggp.board.kinds.hexagons import Hexagons

#: Stones on a board of four by three; `below` says where the neighbours in the next row are.
STONES = """
(role red) (role blue) (init (control red))
(row a) (row b) (row c) (next_row a b) (next_row b c)
(column 1) (column 2) (column 3) (column 4) (next_column 1 2) (next_column 2 3) (next_column 3 4)
(<= (base (cell ?r ?c ?p)) (row ?r) (column ?c) (role ?p)) (<= (base (control ?p)) (role ?p))
(<= (near ?r ?c ?r ?d) (row ?r) (next_column ?c ?d))
(<= (near ?r ?c ?s ?c) (next_row ?r ?s) (column ?c))
{diagonal}
(<= (adjacent ?r ?c ?s ?d) (or (near ?r ?c ?s ?d) (near ?s ?d ?r ?c)))
(<= (legal ?p (place ?r ?c)) (true (control ?p)) (row ?r) (column ?c))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (cell ?r ?c ?p)) (does ?p (place ?r ?c)))
(<= (next (cell ?r ?c ?p)) (true (cell ?r ?c ?p)))
(<= (next (control red)) (true (control blue))) (<= (next (control blue)) (true (control red)))
(<= linked (true (cell ?r ?c ?p)) (true (cell ?s ?d ?p)) (adjacent ?r ?c ?s ?d))
(<= terminal linked) (<= (goal ?p 50) (role ?p))
"""

FALLING = "(<= (near ?r ?d ?s ?c) (next_row ?r ?s) (next_column ?c ?d))"
RISING = "(<= (near ?r ?c ?s ?d) (next_row ?r ?s) (next_column ?c ?d))"


def stones(diagonal: str) -> gdl.Reasoner:
    return gdl.Reasoner(STONES.replace("{diagonal}", diagonal))


@pytest.mark.parametrize(("diagonal", "shifts"), [(FALLING, (0, 1, 2)), (RISING, (2, 1, 0))], ids=["falling", "rising"])
def test_six_neighbours_touch_and_no_others(diagonal: str, shifts: tuple[int, ...]) -> None:
    game = stones(diagonal)
    layout = find_boards(game)
    (board,) = layout.boards
    assert isinstance(board, Hexagons)
    assert (board.columns, board.rows, board.shifts) == (("1", "2", "3", "4"), ("a", "b", "c"), shifts)
    places = next(layer.places for layer in layout.layers.values() if layer.name == "cell")
    middles = scene_of(layout).middles
    adjacent = {
        tuple(str(answer[name]) for name in ("?a", "?b", "?c", "?d"))
        for answer in game.query("(adjacent ?a ?b ?c ?d)", game.initial_state())
    }
    assert len(adjacent) == 2 * (3 * 3 + 2 * 4 + 2 * 3)
    for one, here in places.items():
        for other, there in places.items():
            if one != other:
                distance = dist(middles[here], middles[there])
                assert isclose(distance, CELL, rel_tol=0.01) == ((*one, *other) in adjacent)


@pytest.mark.parametrize("diagonal", ["", FALLING + RISING], ids=["four neighbours", "eight neighbours"])
def test_other_boards_are_squares(diagonal: str) -> None:
    (board,) = find_boards(stones(diagonal)).boards
    assert type(board) is Grid


def test_columns_are_named_as_moves_name_them() -> None:
    game = stones(FALLING)
    state = game.next_state(game.initial_state(), ["(place b 3)", "noop"])
    lines = render_text(game, state).splitlines()
    assert lines[:4] == ["   1 2 3 4", "a  . . . .", "b   . . r .", "c    . . . ."]
    layout = find_boards(game)
    labels = re.findall(r'class="label"[^>]*>(.)<', svg(layout, state))
    assert sorted(labels) == ["1", "2", "3", "4", "a", "b", "c"]
    assert lay(layout, state).cells[CellPlace(0, 2, 1)].pieces


ENDS = """
(<= (path ?p ?r ?c) (start ?p ?r ?c) (true (cell ?r ?c ?p)))
(<= (path ?p ?s ?d) (path ?p ?r ?c) (adjacent ?r ?c ?s ?d) (true (cell ?s ?d ?p)))
(<= (start red ?r 1) (row ?r)) (<= (start blue a ?c) (column ?c))
(<= terminal (path red ?r 4)) (<= terminal (path blue c ?c))
"""


@pytest.mark.parametrize(
    ("rules", "sides"),
    [
        (ENDS, ("red", "blue")),
        (ENDS.replace("(path red ?r 4)", "(path red ?r 3)"), ("", "blue")),
        (ENDS.replace("(path blue c ?c)", "(path red c ?c)"), ("red", "")),
        ("", ("", "")),
    ],
    ids=["both", "not to the end", "of another role", "none"],
)
def test_sides_have_the_colour_of_the_role_that_connects_them(rules: str, sides: tuple[str, str]) -> None:
    layout = find_boards(gdl.Reasoner(STONES.replace("{diagonal}", FALLING) + rules))
    (board,) = layout.boards
    assert isinstance(board, Hexagons)
    assert board.sides == sides
    drawn = svg(layout, [])
    assert len(by_class(drawn, "badge")) == 2 * 3 * (sides[0] != "") + 2 * 4 * (sides[1] != "")
