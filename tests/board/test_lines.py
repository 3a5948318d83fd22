"""Lines between dots: drawn around the boxes, whether facts name both ends or one end and a direction."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.drawn import by_class
from support.line_rules import FENCES, FRAME

import gdl
from ggp.board import CellPlace, Layout, find_boards, render_text
from ggp.board.clicks import clicks
from ggp.board.drawing.svg import svg
from ggp.board.kinds.grids import Grid
from ggp.board.kinds.lines import Lines
from ggp.board.view import lay, places_in
from ggp.board.wishes import fulfil, parse_wishes
from ggp.board.words import cell_words, content_words

PUBLIC = Path(__file__).parents[3] / "shared" / "rulesheets" / "dotsAndBoxes.kif"

#: Lines that are named by the lower or left end and a direction, and have the colour of a role.
WAYS = (
    FRAME
    + """
(<= (way ?x ?y north) (n ?x) (next_n ?y ?y2)) (<= (way ?x ?y east) (n ?y) (next_n ?x ?x2))
(<= (base (road ?r ?x ?y ?d)) (role ?r) (way ?x ?y ?d))
(<= (legal ?r (pave ?x ?y ?d)) (true (control ?r)) (way ?x ?y ?d) (not (taken ?x ?y ?d)))
(<= (taken ?x ?y ?d) (true (road ?r ?x ?y ?d)))
(<= (next (road ?r ?x ?y ?d)) (does ?r (pave ?x ?y ?d))) (<= (next (road ?r ?x ?y ?d)) (true (road ?r ?x ?y ?d)))
"""
)

#: Lines in two relations, which have those that run across and those that run down.
HALVES = (
    FRAME
    + """
(<= (base (beam ?r ?x ?y)) (role ?r) (box_n ?x) (n ?y)) (<= (base (post ?r ?x ?y)) (role ?r) (n ?x) (box_n ?y))
(<= (legal ?r (lay beam ?x ?y)) (true (control ?r)) (box_n ?x) (n ?y))
(<= (legal ?r (lay post ?x ?y)) (true (control ?r)) (n ?x) (box_n ?y))
(<= (next (beam ?r ?x ?y)) (does ?r (lay beam ?x ?y))) (<= (next (beam ?r ?x ?y)) (true (beam ?r ?x ?y)))
(<= (next (post ?r ?x ?y)) (does ?r (lay post ?x ?y))) (<= (next (post ?r ?x ?y)) (true (post ?r ?x ?y)))
"""
)


def found(rules: str) -> tuple[gdl.Reasoner, Layout]:
    game = gdl.Reasoner(rules)
    return game, find_boards(game)


def played(game: gdl.Reasoner, *moves: tuple[str, str]) -> gdl.State:
    state = game.initial_state()
    for joint in moves:
        state = game.next_state(state, list(joint))
    return state


def test_a_board_has_dots_lines_and_boxes() -> None:
    layout = found(FENCES)[1]
    (board,) = layout.boards
    assert board.columns == ("1", "1-2", "2", "2-3", "3")
    assert isinstance(board, Lines)
    assert len(board.cells) == 12 + 4
    assert len({len(row) for row in (board.columns, board.rows, board.widths, board.heights)}) == 1


def test_lines_and_boxes_as_text() -> None:
    game, layout = found(FENCES)
    state = played(game, ("(build 1 2 1 3)", "noop"), ("noop", "(build 2 1 3 1)"), ("(build 1 1 1 2)", "noop"))
    assert render_text(layout, state).split("\n")[:6] == [
        "3  +   +   +",
        "   | .   .",
        "2  +   +   +",
        "   | r   .",
        "1  +   + - +",
        "   1   2   3",
    ]
    turned = fulfil(layout, parse_wishes("flip = true"))
    assert render_text(turned, state).split("\n")[:3] == ["   1   2   3", "1  +   + - +", "   | r   ."]


def test_lines_and_dots_as_a_picture() -> None:
    game, layout = found(FENCES)
    moves = ("(build 1 2 1 3)", "noop")
    text = svg(layout, played(game, moves), last_moves=moves)
    assert len(by_class(text, "spot")) == 9
    assert len(by_class(text, "cell")) == 12 + 4
    assert len(by_class(text, "piece")) == len(by_class(text, "named")) == 1
    assert not by_class(text, "arrow")
    (line,) = [one for one in by_class(text, "body") if one.tag.endswith("rect")]
    assert float(line.get("height", 0)) > 4 * float(line.get("width", 0))


def test_a_line_is_one_click() -> None:
    game, layout = found(FENCES)
    start = game.initial_state()
    found_paths = clicks(
        layout, lay(layout, start), game.legal_moves(start, "red"), lambda move: game.next_state(start, [move, "noop"])
    )
    paths = {click.move.text: click.path for click in found_paths}
    assert paths["(build 1 2 1 3)"] == (frozenset({CellPlace(0, 0, 1)}),)
    assert len({path[0] for path in paths.values()}) == len(paths) == 12


def test_lines_of_an_end_and_a_direction() -> None:
    game, layout = found(WAYS)
    state = played(game, ("(pave 1 2 north)", "noop"), ("noop", "(pave 2 1 east)"))
    assert render_text(layout, state).split("\n")[:5] == [
        "3  +   +   +",
        "   | .   .",
        "2  +   +   +",
        "     .   .",
        "1  +   + - +",
    ]
    owners = {piece.owner for cell in lay(layout, state).cells.values() for piece in cell.pieces}
    assert owners == {"red", "blue"}
    assert list(places_in(layout, "(pave 2 1 east)")) == [CellPlace(0, 3, 4)]


def test_lines_without_boxes_are_a_board_of_their_own() -> None:
    game, layout = found(FENCES.replace("(owned ?x ?y ?r)", "(ended ?r)").replace("(owned 1 1 ?r)", "(ended ?r)"))
    (board,) = layout.boards
    assert len(board.cells) == 12
    assert render_text(layout, played(game, ("(build 1 2 1 3)", "noop"))).split("\n")[1] == "   |"


@pytest.mark.parametrize(
    "other",
    [
        FENCES.replace("(fence ?a ?y ?b ?y)", "(fence ?a ?y ?b 1)"),  # ends that are no neighbours
        FENCES.replace("(n ?y) (next_n ?a ?b)", "(box_n ?y) (next_n ?a ?b)"),  # the lines of one side are missing
        WAYS.replace("(<= (way ?x ?y east) (n ?y)", "(<= (way ?x ?y east) (box_n ?y)"),
    ],
)
def test_other_facts_are_no_lines(other: str) -> None:
    assert not any(isinstance(board, Lines) for board in found(other)[1].boards)


def without_boxes(rules: str) -> str:
    return rules.replace("(owned ?x ?y ?r)", "(ended ?r)").replace("(owned 1 1 ?r)", "(ended ?r)")


@pytest.mark.parametrize("boxes", [True, False])
def test_lines_of_two_relations(boxes: bool) -> None:
    game, layout = found(HALVES if boxes else without_boxes(HALVES))
    (board,) = layout.boards
    assert (type(board), len(board.cells)) == (Lines, 16 if boxes else 12)
    state = played(game, ("(lay beam 2 1)", "noop"), ("noop", "(lay post 1 2)"))
    box = "." if boxes else " "
    assert render_text(layout, state).split("\n")[:5] == [
        "3  +   +   +",
        f"   | {box}   {box}".rstrip(),
        "2  +   +   +",
        f"     {box}   {box}".rstrip(),
        "1  +   + - +",
    ]
    owners = {place: piece.owner for place, cell in lay(layout, state).cells.items() for piece in cell.pieces}
    assert owners == {CellPlace(0, 3, 4): "red", CellPlace(0, 0, 1): "blue"}


def test_a_line_of_one_of_two_relations_is_one_click() -> None:
    game, layout = found(without_boxes(HALVES))
    start = game.initial_state()
    legal = game.legal_moves(start, "red")
    paths = [c.path for c in clicks(layout, lay(layout, start), legal, lambda m: game.next_state(start, [m, "noop"]))]
    assert len(set(paths)) == len(legal) == 12
    assert {len(path) for path in paths} == {1}


def test_pieces_stand_on_dots() -> None:
    game, layout = found(FENCES.replace("(box_n 1) (box_n 2)", "(<= (box_n ?x) (n ?x))"))
    (board,) = layout.boards
    assert (type(board), len(board.cells)) == (Lines, 12 + 9)
    state = played(game, ("(build 1 1 1 2)", "noop"))
    assert render_text(layout, state).split("\n")[2:5] == ["2  .   .   .", "   |", "1  r   .   ."]


def test_lines_beside_another_board_are_a_board_of_their_own() -> None:
    other = "(letter a) (letter b) (letter c) (letter d) (letter e)"
    grid = "(<= (init (cell ?x ?y empty)) (letter ?x) (letter ?y)) (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)))"
    boards = found(without_boxes(FENCES) + other + grid)[1].boards
    assert [(one.title, type(one), len(one.cells)) for one in boards] == [("cell", Grid, 25), ("built", Lines, 12)]


def test_wide_boards_with_lines_are_divided_at_dots() -> None:
    game, layout = found(FENCES)
    state = played(game, ("(build 1 2 1 3)", "noop"), ("noop", "(build 2 1 3 1)"))
    assert render_text(layout, state, width=11).split("\n")[:15] == [
        "1 to 2",
        "3  +   +",
        "   | .",
        "2  +   +",
        "     .",
        "1  +   +",
        "   1   2",
        "",
        "2 to 3",
        "3  +   +",
        "     .",
        "2  +   +",
        "     .",
        "1  + - +",
        "   2   3",
    ]


def test_lines_and_boxes_in_words() -> None:
    game, layout = found(WAYS)
    state = played(game, ("(pave 1 2 north)", "noop"), ("noop", "(pave 2 1 east)"))
    cells = lay(layout, state).cells
    assert {cell_words(layout, place): content_words(layout, place, cell) for place, cell in cells.items()} == {
        "line between (1, 2) and (1, 3)": "drawn by red",
        "line between (2, 1) and (3, 1)": "drawn by blue",
    }
    assert cell_words(layout, CellPlace(0, 1, 1)) == "box (1, 2) to (2, 3)"
    game, layout = found(FENCES)
    (line,) = lay(layout, played(game, ("(build 1 2 1 3)", "noop"))).cells.items()
    assert content_words(layout, *line) == "drawn"


@pytest.mark.skipif(not PUBLIC.exists(), reason="needs ../shared/rulesheets")
def test_dots_and_boxes_of_a_public_file() -> None:
    (board,) = find_boards(gdl.Reasoner.load(PUBLIC)).boards
    assert (type(board), len(board.cells)) == (Lines, 60 + 25)
