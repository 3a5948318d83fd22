"""Walls between cells are drawn on their sides, whether facts name two cells, a cell and a direction, or corners."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.drawn import by_class

import gdl
from ggp.board import CellPlace, Layout, find_boards, render_text
from ggp.board.clicks import clicks
from ggp.board.drawing.svg import svg
from ggp.board.kinds.walls import Walls
from ggp.board.view import lay
from ggp.board.wishes import fulfil, parse_wishes
from ggp.board.words import cell_words, content_words

PUBLIC = Path(__file__).parents[3] / "shared" / "rulesheets"

FRAME = """
(role thief) (index 1) (index 2) (index 3) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(init (at thief 1 1)) (init (at loot 3 3))
(<= (legal thief (go ?x ?y)) (index ?x) (index ?y)) (<= (next (at thief ?x ?y)) (does thief (go ?x ?y)))
(<= (next (at loot ?x ?y)) (true (at loot ?x ?y)))
(<= (step north ?x ?y ?x ?y2) (index ?x) (succ ?y ?y2)) (<= (step east ?x ?y ?x2 ?y) (index ?y) (succ ?x ?x2))
(<= terminal (true (at thief 3 3))) (goal thief 0)
"""

#: Walls on the right of 1 1, around 2 2, and on the left of 1 3, in four ways.
MAZES = {
    "cell and direction": """
        (init (wall 1 1 east)) (init (wall 2 2 north)) (init (wall 2 2 east)) (init (wall 0 3 east))
        (<= (next (wall ?x ?y ?d)) (true (wall ?x ?y ?d)))""",
    "two relations": """
        (init (closedEast 1 1)) (init (closedNorth 2 2)) (init (closedEast 2 2)) (init (closedEast 0 3))
        (<= (next (closedEast ?x ?y)) (true (closedEast ?x ?y)))
        (<= (next (closedNorth ?x ?y)) (true (closedNorth ?x ?y)))""",
    "two cells": """
        (init (wall 1 1 2 1)) (init (wall 2 2 2 3)) (init (wall 3 2 2 2)) (init (wall 0 3 1 3))
        (<= (next (wall ?a ?b ?c ?d)) (true (wall ?a ?b ?c ?d)))""",
    "two columns and two rows": """
        (init (wall 1 2 1 1)) (init (wall 2 2 2 3)) (init (wall 2 3 2 2)) (init (wall 0 1 3 3))
        (<= (next (wall ?a ?b ?c ?d)) (true (wall ?a ?b ?c ?d)))""",
}

#: Walls are put where four cells meet, and a step from column to column may not cross them.
CORNERS = """
(role white) (role black) (init (control white)) (n 1) (n 2) (n 3) (next_n 1 2) (next_n 2 3)
(<= (init (cell ?x ?y none)) (n ?x) (n ?y) (not (home ?x ?y))) (home 1 2) (init (cell 1 2 black))
(<= (init (fence ?a ?b ?c ?d none)) (next_n ?a ?b) (next_n ?c ?d))
(<= (open ?x1 ?x2 ?y) (next_n ?x1 ?x2) (next_n ?y ?y2) (true (fence ?x1 ?x2 ?y ?y2 none)))
(<= (legal ?r (build ?a ?b ?c ?d)) (true (control ?r)) (true (fence ?a ?b ?c ?d none)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (fence ?a ?b ?c ?d ?r)) (does ?r (build ?a ?b ?c ?d)))
(<= (next (fence ?a ?b ?c ?d ?w)) (true (fence ?a ?b ?c ?d ?w)) (not (built ?a ?b ?c ?d)))
(<= (built ?a ?b ?c ?d) (does ?r (build ?a ?b ?c ?d)))
(<= (next (cell ?x ?y ?w)) (true (cell ?x ?y ?w)))
(<= (next (control white)) (true (control black))) (<= (next (control black)) (true (control white)))
(<= terminal (not (open 1 2 1))) (<= (goal ?r 50) (role ?r))
"""


def found(rules: str) -> tuple[gdl.Reasoner, Layout]:
    game = gdl.Reasoner(rules)
    return game, find_boards(game)


@pytest.mark.parametrize("way", MAZES)
def test_walls_are_on_the_sides_of_cells(way: str) -> None:
    game, layout = found(FRAME + MAZES[way])
    (board,) = layout.boards
    assert isinstance(board, Walls)
    assert render_text(layout, game.initial_state()).split("\n")[:5] == [
        "3 |. . l",
        "     -",
        "2  . .|.",
        "1  t|. .",
        "   1 2 3",
    ]
    text = svg(layout, game.initial_state())
    assert len(by_class(text, "piece")) == 2 + 4
    assert len(by_class(text, "gap")) == 4
    assert not by_class(text, "spot")


def test_walls_in_words() -> None:
    game, layout = found(FRAME + MAZES["two relations"])
    view = lay(layout, game.initial_state())
    words = {cell_words(layout, place): content_words(layout, place, cell) for place, cell in view.cells.items()}
    assert words == {
        "1 1": "thief",
        "3 3": "loot",
        "between 1 1 and 2 1": "wall",
        "between 2 2 and 3 2": "wall",
        "between 2 2 and 2 3": "wall",
        "side of 1 3": "wall",
    }


def test_walls_are_turned_with_the_board() -> None:
    game, layout = found(FRAME + MAZES["two relations"])
    turned = fulfil(layout, parse_wishes("flip = true"))
    assert render_text(turned, game.initial_state()).split("\n")[:5] == [
        "   1 2 3",
        "1  t|. .",
        "2  . .|.",
        "     -",
        "3 |. . l",
    ]


def test_walls_at_corners_are_as_long_as_two_cells() -> None:
    game, layout = found(CORNERS)
    (board,) = layout.boards
    assert isinstance(board, Walls)
    assert (board.crossing, len(board.cells)) == ("|", 9 + 4)
    start = game.initial_state()
    move = "(build 2 3 1 2)"
    state = game.next_state(start, [move, "noop"])
    assert render_text(layout, state, last_moves=[move]).split("\n")[:5] == [
        "3  . . .",
        "2  b .|.",
        "      |",
        "1  . .|.",
        "   1 2 3",
    ]
    text = svg(layout, state, last_moves=[move])
    (wall,) = [one for one in by_class(text, "body") if one.tag.endswith("rect")]
    assert float(wall.get("height", 0)) > 12 * float(wall.get("width", 0))
    (named,) = by_class(text, "named")
    assert float(named.get("height", 0)) > float(wall.get("height", 0))
    paths = {
        click.move.text: click.path
        for click in clicks(layout, lay(layout, start), game.legal_moves(start, "white"), lambda _: start)
    }
    assert paths[move] == (frozenset({CellPlace(0, 4, 4)}),)
    ((place, cell),) = [item for item in lay(layout, state).cells.items() if item[0].column % 2 == 0]
    assert cell_words(layout, place) == "corner of 2 1, 3 1, 2 2, 3 2"
    assert content_words(layout, place, cell) == "wall of white"


def test_the_rules_say_how_walls_at_corners_run() -> None:
    step = "(open ?x1 ?x2 ?y)"
    game, layout = found(CORNERS.replace(step, "(open ?y ?y2 ?x1)"))
    assert layout.boards[0].crossing == "-"
    state = game.next_state(game.initial_state(), ["(build 2 3 1 2)", "noop"])
    assert render_text(layout, state).split("\n")[2:4] == ["     ---", "1  . . ."]
    unknown = CORNERS.replace(step, "(open ?x1 ?x2 ?y ?y2)").replace("(open 1 2 1)", "(open 1 2 1 2)")
    assert not found(unknown)[1].boards[0].crossing


@pytest.mark.parametrize(
    "other",
    [
        FRAME + "(init (robot 1 1 east)) (init (robot 2 2 north)) (<= (next (robot ?x ?y ?d)) (true (robot ?x ?y ?d)))",
        FRAME + MAZES["two relations"].replace("closedNorth", "visitedTwice"),
        FRAME + MAZES["two relations"].replace("(closedNorth 2 2)", "(closedNorth 3 3)"),  # no cell has two walls
        FRAME + MAZES["two cells"].replace("(wall 1 1 2 1)", "(wall 1 1 3 1)"),  # not side by side
        FRAME + MAZES["cell and direction"].replace("(wall 0 3 east)", "(wall 3 5 north)"),  # not beside a cell
    ],
)
def test_other_facts_are_no_walls(other: str) -> None:
    assert not any(isinstance(board, Walls) for board in found(other)[1].boards)


@pytest.mark.skipif(not PUBLIC.exists(), reason="needs ../shared/rulesheets")
@pytest.mark.parametrize("name", ["hallway", "mummymaze1p", "mummyMaze2p_2007", "ghostMaze2p"])
def test_walls_of_public_files(name: str) -> None:
    (board,) = find_boards(gdl.Reasoner.load(PUBLIC / f"{name}.kif")).boards
    assert isinstance(board, Walls)
    assert (len(board.columns), len(board.rows)) == ((19, 19) if name == "hallway" else (17, 17))
