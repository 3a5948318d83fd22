"""Points on lines: where the rules connect only some neighbours, lines are drawn and cells are points on them."""

from __future__ import annotations

import re

import pytest
from support.drawn import by_class, loaded

import gdl
from ggp.board import Layout, find_boards, render_text
from ggp.board.drawing.svg import svg
from ggp.board.kinds.grids import Grid
from ggp.board.kinds.points import Points
from ggp.board.wishes import fulfil, parse_wishes
from ggp.board.words import cell_words, move_words

#: Men are put on points; `{lines}` says which points there are, and which are next to each other.
MEN = """
(role white) (role black) (init (control white))
(<= (base (man ?p ?r)) (spot ?p) (role ?r)) (<= (base (control ?r)) (role ?r))
(<= (legal ?r (put ?p)) (true (control ?r)) (spot ?p) (not (taken ?p)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (taken ?p) (true (man ?p ?r)))
(<= (next (man ?p ?r)) (does ?r (put ?p))) (<= (next (man ?p ?r)) (true (man ?p ?r)))
(<= (next (control white)) (true (control black))) (<= (next (control black)) (true (control white)))
(<= terminal (true (man ?a ?r)) (true (man ?b ?r)) (near ?a ?b)) (<= (goal ?r 50) (role ?r))
"""
MILLS = """
(<= (spot ?a) (mill ?a ?b ?c)) (<= (spot ?b) (mill ?a ?b ?c)) (<= (spot ?c) (mill ?a ?b ?c))
(<= (near ?a ?b) (mill ?a ?b ?c)) (<= (near ?b ?c) (mill ?a ?b ?c))
"""
ROWS = "1 2 3,4 5 6,7 8 9,10 11 12,13 14 15,16 17 18,19 20 21,22 23 24"
COLUMNS = "1 10 22,4 11 19,7 12 16,2 5 8,17 20 23,9 13 18,6 14 21,3 15 24"
#: The names of the points of nine men's morris on a board of seven columns and rows, from the top.
SQUARES = re.findall("..", "a7d7g7b6d6f6c5d5e5a4b4c4e4f4g4c3d3e3b2d2f2a1d1g1")
PATHS = "n1 n2,n2 n3,n3 n4,n4 n5,n5 n6,n6 n1,n1 n7,n3 n7,n5 n7"


def merrills(names: list[str]) -> gdl.Reasoner:
    mills = (" ".join(names[int(point) - 1] for point in row.split()) for row in f"{ROWS},{COLUMNS}".split(","))
    return gdl.Reasoner(MEN + MILLS + "".join(f"(mill {mill})" for mill in mills))


def points(layout: Layout) -> Points:
    (board,) = (board for board in layout.boards if not board.holds)
    assert isinstance(board, Points)
    return board


def along(game: gdl.Reasoner, layout: Layout) -> None:
    """Assert that lines are drawn where the rules have them, and nowhere else."""
    near = {frozenset((str(row["?a"]), str(row["?b"]))) for row in game.query("(near ?a ?b)", game.initial_state())}
    places = next(layer.places for layer in layout.layers.values() if layer.name == "man")
    at = {name: (place.column, place.row) for (name,), place in places.items()}
    drawn = {frozenset(link) for link in points(layout).links}
    assert drawn == {frozenset(at[name] for name in pair) for pair in near}


@pytest.mark.parametrize("named", [SQUARES, [f"p{n}" for n in range(1, 25)]], ids=["columns and rows", "numbers"])
def test_merrills_is_three_squares(named: list[str]) -> None:
    game = merrills(named)
    layout = find_boards(game)
    along(game, layout)
    places = next(iter(layout.layers.values())).places
    expected = {
        name: (ord(square[0]) - ord("a"), 7 - int(square[1])) for name, square in zip(named, SQUARES, strict=True)
    }
    assert {name: (place.column, place.row) for (name,), place in places.items()} == expected
    state = game.next_state(game.initial_state(), [f"(put {named[4]})", "noop"])
    drawn = svg(layout, state)
    assert len(by_class(drawn, "link")) == 32
    assert len(by_class(drawn, "spot")) == 24
    assert move_words(layout, f"(put {named[4]})") == f"put {named[4]}"
    assert "".join(render_text(game, state).splitlines()[:7]).count("w") == 1


def test_points_without_coordinates_lie_apart_and_are_connected_as_in_the_rules() -> None:
    paths = "".join(f"(path {pair})" for pair in PATHS.split(","))
    game = gdl.Reasoner(MEN + "(<= (spot ?a) (near ?a ?b)) (<= (near ?a ?b) (or (path ?a ?b) (path ?b ?a)))" + paths)
    layout = find_boards(game)
    along(game, layout)
    board = points(layout)
    assert len(board.cells) == 7
    assert {cell_words(layout, place) for place in next(iter(layout.layers.values())).places.values()} == {
        f"n{n}" for n in range(1, 8)
    }


@pytest.mark.parametrize("paths", ["n1 n2,n2 n3,n3 n4,n4 n5,n5 n6", ""], ids=["a chain", "everything"])
def test_a_chain_is_no_net_and_neither_is_what_leads_everywhere(paths: str) -> None:
    names = [f"n{n}" for n in range(1, 7)]
    pairs = paths.split(",") if paths else [f"{a} {b}" for a in names for b in names if a < b]
    rules = MEN + "(<= (spot ?a) (near ?a ?b)) (<= (spot ?b) (near ?a ?b))" + "".join(f"(near {p})" for p in pairs)
    assert not any(isinstance(board, Points) for board in find_boards(gdl.Reasoner(rules)).boards)


def test_diagonals_are_drawn_where_there_are_lines() -> None:
    _, layout = loaded("fox_game")
    board = points(layout)
    assert board.title == ""
    assert board.columns == ("1", "2", "3", "4", "5", "6", "7")
    slanting = {(one, other) for one, other in board.links if one[0] != other[0] and one[1] != other[1]}
    assert slanting
    assert all((one[0] + one[1]) % 2 == 0 for one, _ in slanting)
    upside_down = fulfil(layout, parse_wishes("flip = true")).boards[0]
    assert isinstance(upside_down, Points)
    assert {frozenset(link) for link in upside_down.links} == {
        frozenset((column, 6 - row) for column, row in link) for link in board.links
    }


GRID = """
(role r) (n 1) (n 2) (n 3) (succ 1 2) (succ 2 3)
(<= (base (cell ?x ?y ?w)) (n ?x) (n ?y) (what ?w)) (what x) (what b)
(<= (init (cell ?x ?y b)) (n ?x) (n ?y))
(<= (legal r (mark ?x ?y)) (n ?x) (n ?y))
(<= (next (cell ?x ?y x)) (does r (mark ?x ?y)))
(<= (next (cell ?x ?y ?w)) (true (cell ?x ?y ?w)) (not (does r (mark ?x ?y))))
(<= (beside ?x ?y ?x ?y2) (n ?x) (succ ?y ?y2)) (<= (beside ?x ?y ?x2 ?y) (n ?y) (succ ?x ?x2))
(<= terminal (beside ?x ?y ?x2 ?y2) (true (cell ?x ?y x)) (true (cell ?x2 ?y2 x))) (goal r 50)
"""


@pytest.mark.parametrize(
    ("more", "kind"),
    [("", Grid), ("(beside 1 1 2 2) (beside 2 2 3 3) (beside 3 1 2 2) (beside 2 2 1 3)", Points)],
    ids=["a grid", "four diagonals"],
)
def test_lines_are_drawn_only_where_they_say_something(more: str, kind: type[Grid]) -> None:
    (board,) = find_boards(gdl.Reasoner(GRID + more)).boards
    assert type(board) is kind
