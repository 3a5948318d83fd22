"""Things in a circle by the rules are drawn around a rectangle, or in two rows if pairs of them are opposite."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.drawn import by_class

import gdl
from ggp.board import CellPlace, Layout, find_boards, render_text
from ggp.board.clicks import clicks
from ggp.board.drawing.svg import svg
from ggp.board.kinds.grids import Grid
from ggp.board.kinds.rows import Ring
from ggp.board.view import lay
from ggp.board.wishes import fulfil, parse_wishes
from ggp.board.words import cell_words

PUBLIC = Path(__file__).parents[3] / "shared" / "rulesheets"

FRAME = """
(role south) (role north) (full yes) (full no)
(<= (init (lamp ?p yes)) (place ?p)) (<= (next (lamp ?p no)) (does ?r (out ?p)))
(<= (next (lamp ?p ?s)) (true (lamp ?p ?s)) (not (put_out ?p))) (<= (put_out ?p) (does ?r (out ?p)))
(<= (legal ?r (out ?p)) (role ?r) (true (lamp ?p yes)))
(<= terminal (true (lamp p1 no))) (<= (goal ?r 50) (role ?r))
"""
#: Eight lamps in a circle, p4 after p5.
CIRCLE = FRAME + "".join(f"(place p{n})" for n in range(1, 9))
CIRCLE += "".join(f"(beside p{a} p{b}) (beside p{b} p{a})" for a, b in ("12", "23", "35", "54", "46", "67", "78", "81"))
#: Four pits of two roles, which go from pit to pit and into their own store.
PITS = (
    FRAME
    + """
(place p1) (place p2) (place p3) (place p4) (place north_store) (place south_store)
(follows south p1 p2) (follows south p2 south_store) (follows south south_store p3) (follows south p3 p4)
(follows south p4 p1)
(follows north p1 p2) (follows north p2 p3) (follows north p3 p4) (follows north p4 north_store)
(follows north north_store p1)
"""
)
OPPOSITE = "(opposite p1 p4) (opposite p2 p3)"


def found(rules: str) -> tuple[gdl.Reasoner, Layout]:
    game = gdl.Reasoner(rules)
    return game, find_boards(game)


def names(layout: Layout) -> dict[str, tuple[int, int]]:
    (board,) = layout.boards
    assert isinstance(board, Ring)
    assert set(board.names) == board.cells
    return {name: place for place, name in board.names.items()}


def test_a_circle_is_a_rectangle() -> None:
    game, layout = found(CIRCLE)
    clockwise = [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1)]
    assert names(layout) == dict(zip(("p1", "p2", "p3", "p5", "p4", "p6", "p7", "p8"), clockwise, strict=True))
    state = game.next_state(game.initial_state(), ["(out p4)", "(out p8)"])
    assert render_text(layout, state).split("\n")[:6] == [
        "  p1 p2 p3",
        "   y  y  y",
        "  p8    p5",
        "   n     y",
        "  p7 p6 p4",
        "   y  y  n",
    ]


def test_opposite_pits_are_in_two_rows() -> None:
    game, layout = found(PITS + OPPOSITE)
    assert names(layout) == {
        "p1": (1, 2), "p2": (2, 2), "south_store": (3, 1), "p3": (2, 0), "p4": (1, 0), "north_store": (0, 1)
    }  # fmt: skip
    start = game.initial_state()
    text = svg(layout, start)
    assert len(by_class(text, "cell")) == len(by_class(text, "piece")) == 6
    assert sorted(one.text for one in by_class(text, "label") if one.text) == [
        "north…", "p1", "p2", "p3", "p4", "south…"
    ]  # fmt: skip
    legal = game.legal_moves(start, "south")
    paths = {c.move.text: c.path for c in clicks(layout, lay(layout, start), legal, lambda _: start)}
    assert paths["(out south_store)"] == (frozenset({CellPlace(0, 3, 1)}),)
    assert cell_words(layout, CellPlace(0, 3, 1)) == "south_store"
    turned = fulfil(layout, parse_wishes("flip = true"))
    assert names(turned)["p1"] == (1, 0)
    assert lay(turned, start).cells.keys() == {CellPlace(0, *place) for place in names(turned).values()}


def test_without_opposites_pits_are_in_a_circle() -> None:
    assert names(found(PITS)[1])["south_store"] == (1, 1)


def test_opposites_without_ends() -> None:
    pits = "".join(f"(opposite p{a} p{b})" for a, b in ((1, 8), (2, 7), (3, 6), (5, 4)))
    assert names(found(CIRCLE + pits)[1]) == {
        "p1": (0, 1), "p2": (1, 1), "p3": (2, 1), "p5": (3, 1), "p4": (3, 0), "p6": (2, 0), "p7": (1, 0), "p8": (0, 0)
    }  # fmt: skip


@pytest.mark.parametrize(
    "other",
    [
        CIRCLE.replace("(beside p1 p8)", ""),  # one way only
        CIRCLE.replace("(beside p8 p1) (beside p1 p8)", ""),  # a line
        CIRCLE + "(place p9)",
        PITS.replace("(follows north p4 north_store)", "(follows north p3 north_store)"),
    ],
)
def test_other_things_are_in_a_row(other: str) -> None:
    (board,) = found(other)[1].boards
    assert (len(board.rows), type(board)) == (1, Grid)


@pytest.mark.skipif(not PUBLIC.exists(), reason="needs ../shared/rulesheets")
@pytest.mark.parametrize(
    ("name", "size"), [("circlesolitaire", (3, 3)), ("kalaha6x2x4", (8, 3)), ("kalaha_2009", (5, 3))]
)
def test_circles_of_public_files(name: str, size: tuple[int, int]) -> None:
    (board,) = find_boards(gdl.Reasoner.load(PUBLIC / f"{name}.kif")).boards
    assert (len(board.columns), len(board.rows)) == size
