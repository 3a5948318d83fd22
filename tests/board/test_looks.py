"""The looks of single pieces: words written out, lamps, walls and other things that stay, and what stands on them."""

from __future__ import annotations

import pytest
from support.drawn import by_class

import gdl
from ggp.board import Layout, Piece, find_boards
from ggp.board.drawing.palette import Colours
from ggp.board.drawing.svg import svg

#: A walker on a board of three by three, on which something stands.
RULES = """
(role {role}) (role {other}) (n 1) (n 2) (n 3) (succ 1 2) (succ 2 3)
(init (cell 1 1 {one})) (init (cell 1 3 {one})) (init (cell 2 2 {two})) (init (cell 1 2 b)) (init (cell 2 1 b))
(init (cell 3 3 b))
(<= (base (cell ?x ?y ?w)) (n ?x) (n ?y) (what ?w)) (what {one}) (what {two}) (what b)
(<= (legal ?r (go ?x ?y)) (role ?r) (n ?x) (n ?y))
(<= (next (cell ?x ?y {one})) (true (cell ?x ?y {one})))
(<= (next (cell ?x ?y {two})) (does {role} (go ?x ?y)))
(<= (next (cell ?x ?y b)) (true (cell ?x ?y b)) (not (does {role} (go ?x ?y))))
(<= terminal (true (cell 3 3 {two}))) (<= (goal ?r 50) (role ?r))
"""


def pieces(one: str, two: str, more: str = "", role: str = "left", other: str = "right") -> dict[str, tuple[str, str]]:
    """Return the shape and the colour of each piece by name."""
    layout = find_boards(gdl.Reasoner(RULES.format(one=one, two=two, role=role, other=other) + more))
    colours = Colours(layout.roles)
    made = (piece for layer in layout.layers.values() for piece in layer.pieces.values() if not piece.blank)
    return {piece.name: (piece.shape, colours.piece(piece)) for piece in made}


@pytest.mark.parametrize(
    ("one", "two", "more", "expected"),
    [
        ("z", "q", "(queen_move 1 2)", {"z": ("tile", "grey"), "q": ("queen", "grey")}),
        ("z", "q", "(queen_move 1 2) (quiet 3)", {"z": ("tile", "grey"), "q": ("queen", "grey")}),
        ("z", "w", "(white 1 2) (wolf_move 2 1)", {"z": ("tile", "grey"), "w": ("", "grey")}),
        ("z", "w", "(is_white 1 2)", {"z": ("tile", "grey"), "w": ("disc", "white")}),
        ("z", "w", "(awhite 1 2)", {"z": ("tile", "grey"), "w": ("", "grey")}),
        ("off", "on", "", {"off": ("disc", "grey"), "on": ("disc", "yellow")}),
        ("hole", "coin", "", {"hole": ("tile", "black"), "coin": ("disc", "yellow")}),
    ],
    ids=["a queen", "one word", "two words", "a colour", "inside a word", "lamps", "words"],
)
def test_letters_are_written_out_and_what_stays_is_a_tile(
    one: str, two: str, more: str, expected: dict[str, tuple[str, str]]
) -> None:
    assert pieces(one, two, more) == expected


def test_a_single_thing_that_stays_keeps_its_letter() -> None:
    rules = RULES.replace("(init (cell 1 3 {one}))", "").format(one="z", two="y", role="left", other="right")
    layout = find_boards(gdl.Reasoner(rules))
    shapes = {piece.name: piece.shape for layer in layout.layers.values() for piece in layer.pieces.values()}
    assert shapes["z"] == ""


def test_numbers_are_made_black() -> None:
    assert pieces("2", "2b") == {"2": ("", "grey"), "2b": ("", "black")}


def test_what_moves_name_is_no_wall() -> None:
    assert pieces("z", "y", "(<= (legal left (put z)) (n 1))")["z"] == ("", "grey")


def test_letters_may_stand_for_colours_of_several_roles() -> None:
    assert pieces("r", "z", role="redleft", other="redright")["r"] == ("disc", "red")


def test_roles_called_x_and_o_have_crosses_and_rings_as_soon_as_one_of_them_has_pieces() -> None:
    assert {pieces("x", "z", role="x", other="o")["x"][0], pieces("o", "z", role="x", other="o")["o"][0]} == {
        "cross",
        "ring",
    }


def test_others_stand_on_a_tile() -> None:
    rules = RULES.format(one="hole", two="coin", role="left", other="right") + "(init (cell 1 1 coin))"
    game = gdl.Reasoner(rules)
    layout: Layout = find_boards(game)
    scales = ["scale" in one.get("transform", "") for one in by_class(svg(layout, game.initial_state()), "piece")]
    assert scales == [False] * 4


def test_nothing_is_a_tile_beside_values_of_rows() -> None:
    """The value `none` of things in a row is an empty cell."""
    game = gdl.Reasoner(
        "(role r) (what red) (what none) (<= (init (lamp ?p red)) (place ?p)) (place p1) (place p2) (place p3)"
        "(<= (next (lamp ?p none)) (does r (out ?p)))"
        "(<= (next (lamp ?p ?s)) (true (lamp ?p ?s)) (not (does r (out ?p))))"
        "(<= (legal r (out ?p)) (place ?p)) (<= terminal (true (lamp p1 none))) (goal r 50)"
    )
    layout = find_boards(game)
    found: list[Piece] = [piece for layer in layout.layers.values() for piece in layer.pieces.values()]
    assert {piece.name: piece.blank for piece in found} == {"red": False, "none": True}
