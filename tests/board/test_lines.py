"""Lines between dots: drawn around the boxes, whether facts name both ends or one end and a direction."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.drawn import by_class

import gdl
from ggp.board import CellPlace, Layout, find_boards, render_text
from ggp.board.clicks import clicks
from ggp.board.drawing.svg import svg
from ggp.board.view import lay, places_in
from ggp.board.wishes import fulfil, parse_wishes

PUBLIC = Path(__file__).parents[3] / "shared" / "rulesheets" / "dotsAndBoxes.kif"

FRAME = """
(role red) (role blue) (init (control red)) (n 1) (n 2) (n 3) (next_n 1 2) (next_n 2 3) (box_n 1) (box_n 2)
(<= (base (control ?r)) (role ?r)) (<= (base (owned ?x ?y ?r)) (box_n ?x) (box_n ?y) (role ?r))
(<= (next (owned ?x ?y ?r)) (true (owned ?x ?y ?r))) (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (control red)) (true (control blue))) (<= (next (control blue)) (true (control red)))
(<= terminal (true (owned 1 1 ?r))) (<= (goal ?r 0) (role ?r))
"""

#: Lines that are named by both of their ends.
FENCES = (
    FRAME
    + """
(<= (fence ?x ?a ?x ?b) (n ?x) (next_n ?a ?b)) (<= (fence ?a ?y ?b ?y) (n ?y) (next_n ?a ?b))
(<= (base (built ?a ?b ?c ?d)) (fence ?a ?b ?c ?d))
(<= (legal ?r (build ?a ?b ?c ?d)) (true (control ?r)) (fence ?a ?b ?c ?d) (not (true (built ?a ?b ?c ?d))))
(<= (next (built ?a ?b ?c ?d)) (does ?r (build ?a ?b ?c ?d)))
(<= (next (built ?a ?b ?c ?d)) (true (built ?a ?b ?c ?d)))
(<= (next (owned 1 1 ?r)) (does ?r (build 1 1 1 2)))
"""
)

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
    assert board.lined
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
        FENCES.replace("(box_n 1) (box_n 2)", "(<= (box_n ?x) (n ?x))"),  # what is on the dots
        WAYS.replace("(<= (way ?x ?y east) (n ?y)", "(<= (way ?x ?y east) (box_n ?y)"),
    ],
)
def test_other_facts_are_no_lines(other: str) -> None:
    assert not any(board.lined for board in found(other)[1].boards)


@pytest.mark.skipif(not PUBLIC.exists(), reason="needs ../shared/rulesheets")
def test_dots_and_boxes_of_a_public_file() -> None:
    (board,) = find_boards(gdl.Reasoner.load(PUBLIC)).boards
    assert (board.lined, len(board.cells)) == (True, 60 + 25)
