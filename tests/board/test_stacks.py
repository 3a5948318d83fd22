"""Stacks: things that stand on one another are drawn in columns, from the ground up."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.drawn import by_class

import gdl
from ggp.board import CellPlace, Layout, find_boards, render_text
from ggp.board.clicks import clicks
from ggp.board.drawing.scene import scene_of
from ggp.board.drawing.svg import svg
from ggp.board.view import lay
from ggp.board.wishes import fulfil, parse_wishes

PUBLIC = sorted((Path(__file__).parents[3] / "shared" / "rulesheets").glob("*.kif"))

#: Three plates on pegs; a plate may only lie on a larger one.
PEGS = """
(role sorter) (wider p1 p2) (wider p2 p3)
(init (lies p3 left)) (init (lies p2 p3)) (init (lies p1 p2)) (peg left) (peg middle) (peg right)
(plate p1) (plate p2) (plate p3)
(<= (wide ?a ?b) (wider ?a ?b)) (<= (wide ?a ?c) (wider ?a ?b) (wide ?b ?c)) (<= (wide ?a ?p) (plate ?a) (peg ?p))
(<= (under ?y) (true (lies ?x ?y)))
(<= (legal sorter (put ?x ?y)) (wide ?x ?y) (not (under ?x)) (not (under ?y)))
(<= (next (lies ?x ?y)) (does sorter (put ?x ?y)))
(<= (next (lies ?x ?y)) (true (lies ?x ?y)) (not (moved ?x))) (<= (moved ?x) (does sorter (put ?x ?y)))
(<= terminal (true (lies p3 right)) (true (lies p2 p3)) (true (lies p1 p2))) (goal sorter 100)
"""

#: Crates on the floor, which has a relation of its own.
CRATES = """
(role crane) (init (over red blue)) (init (floor blue)) (init (floor green)) (init (free red)) (init (free green))
(<= (legal crane (lift ?x ?y)) (true (free ?x)) (true (floor ?x)) (true (free ?y)) (distinct ?x ?y))
(<= (legal crane (drop ?x ?y)) (true (free ?x)) (true (over ?x ?y)))
(<= (next (over ?x ?y)) (does crane (lift ?x ?y)))
(<= (next (over ?x ?y)) (true (over ?x ?y)) (not (does crane (drop ?x ?y))))
(<= (next (floor ?x)) (does crane (drop ?x ?y)))
(<= (next (floor ?x)) (true (floor ?x)) (not (lifted ?x))) (<= (lifted ?x) (does crane (lift ?x ?y)))
(<= (next (free ?y)) (does crane (drop ?x ?y)))
(<= (next (free ?y)) (true (free ?y)) (not (covered ?y))) (<= (covered ?y) (does crane (lift ?x ?y)))
(<= terminal (true (over red green)) (true (over green blue))) (goal crane 0)
"""

#: Blocks on one table, on which each has a place of its own; all are on it at the start.
BLOCKS = """
(role hand) (init (on a table)) (init (on b table)) (init (on c table)) (block a) (block b) (block c)
(init (clear a)) (init (clear b)) (init (clear c))
(<= (legal hand (put ?x ?y)) (block ?x) (true (clear ?x)) (true (clear ?y)) (distinct ?x ?y))
(<= (next (on ?x ?y)) (does hand (put ?x ?y)))
(<= (next (on ?x ?y)) (true (on ?x ?y)) (not (moved ?x))) (<= (moved ?x) (does hand (put ?x ?y)))
(<= (next (clear ?x)) (true (clear ?x)) (not (covered ?x))) (<= (covered ?y) (does hand (put ?x ?y)))
(<= (next (clear ?y)) (true (on ?x ?y)) (block ?y) (moved ?x))
(<= terminal (true (on a b)) (true (on b c))) (goal hand 0)
"""


def found(rules: str) -> tuple[gdl.Reasoner, Layout]:
    game = gdl.Reasoner(rules)
    return game, find_boards(game)


def after(game: gdl.Reasoner, *moves: str) -> gdl.State:
    state = game.initial_state()
    for move in moves:
        state = game.next_state(state, [move])
    return state


def columns(layout: Layout, state: gdl.State) -> dict[str, list[str]]:
    """Return what stands in each column, from the ground up."""
    (board,) = layout.boards
    cells = sorted(lay(layout, state).cells.items(), key=lambda item: -item[0].row)
    held: dict[str, list[str]] = {}
    for place, cell in cells:
        held.setdefault(board.columns[place.column], []).extend(piece.name for piece in cell.pieces)
    return held


def test_plates_lie_on_pegs_in_the_order_of_their_supports() -> None:
    game, layout = found(PEGS)
    (board,) = layout.boards
    assert board.columns == ("left", "middle", "right")
    assert columns(layout, after(game)) == {"left": ["p3", "p2", "p1"]}
    moved = after(game, "(put p1 right)", "(put p2 middle)", "(put p1 p2)")
    assert columns(layout, moved) == {"left": ["p3"], "middle": ["p2", "p1"]}


def test_widths_follow_the_relation_by_which_things_stand_on_larger_ones() -> None:
    widths = {piece.name: piece.width for piece in found(PEGS)[1].layers["(lies _ _)"].pieces.values()}
    assert widths["p1"] < widths["p2"] < widths["p3"]
    turned = PEGS.replace("(wider p1 p2) (wider p2 p3)", "(wider p2 p1) (wider p3 p2)").replace(
        "(wider ?a ?b)", "(wider ?b ?a)"
    )
    assert {piece.name: piece.width for piece in found(turned)[1].layers["(lies _ _)"].pieces.values()} == widths
    assert len({piece.width for piece in found(CRATES)[1].layers["(over _ _)"].pieces.values()}) == 1


def test_things_on_the_ground_by_a_relation_of_its_own_have_a_column_each() -> None:
    game, layout = found(CRATES)
    assert layout.boards[0].columns == ("blue", "green", "red")
    assert columns(layout, after(game)) == {"blue": ["blue", "red"], "green": ["green"]}
    assert columns(layout, after(game, "(lift green red)")) == {"blue": ["blue", "red", "green"]}
    assert columns(layout, after(game, "(drop red blue)")) == {"blue": ["blue"], "green": ["green"], "red": ["red"]}


def test_a_single_ground_has_room_for_all_things() -> None:
    game, layout = found(BLOCKS)
    assert layout.boards[0].columns == ("a", "b", "c")
    assert columns(layout, after(game, "(put c a)")) == {"a": ["a", "c"], "b": ["b"]}


def test_a_stack_as_text() -> None:
    game, layout = found(CRATES)
    assert render_text(layout, after(game)).split("\n")[:4] == [
        "3",
        "2      r",
        "1      b     g",
        "    blue green   red",
    ]


def test_a_move_is_an_arrow_and_two_clicks() -> None:
    game, layout = found(PEGS)
    start = after(game)
    state = game.next_state(start, ["(put p1 right)"])
    assert len(by_class(svg(layout, state, last_moves=["(put p1 right)"], before=start), "arrow")) == 1
    found_paths = clicks(
        layout, lay(layout, start), game.legal_moves(start, "sorter"), lambda move: game.next_state(start, [move])
    )
    paths = {click.move.text: [{(at.column, at.row) for at in cells} for cells in click.path] for click in found_paths}
    assert paths["(put p1 right)"] == [{(0, 0)}, {(2, 2)}]


def test_the_same_name_in_two_stacks_is_two_things() -> None:
    second = CRATES.replace("(role crane)", "").replace("(goal crane 0)", "")
    for name in ("over", "floor", "free", "lift", "drop", "lifted", "covered"):
        second = second.replace(f"({name} ", f"({name}2 ")
    game, layout = found(CRATES + second)
    assert [board.title for board in layout.boards] == ["over", "over2"]
    start = after(game)
    assert len(lay(layout, start).cells) == 6
    moves = ["(lift2 green red)"]
    state = game.next_state(start, moves)
    (arrow,) = by_class(svg(layout, state, last_moves=moves, before=start), "arrow")
    assert float(arrow.get("x1", 0)) > float(arrow.get("x2", 0)) > scene_of(layout).middles[CellPlace(0, 2, 0)][0]
    paths = clicks(
        layout, lay(layout, start), game.legal_moves(start, "crane"), lambda move: game.next_state(start, [move])
    )
    (path,) = [click.path for click in paths if click.move.text == moves[0]]
    assert path == (frozenset({CellPlace(1, 1, 2)}), frozenset({CellPlace(1, 0, 0)}))


def test_a_turned_stack_is_seen_from_behind() -> None:
    game, layout = found(PEGS)
    turned = fulfil(layout, parse_wishes("flip = true"))
    assert turned.boards[0].columns == layout.boards[0].columns[::-1] == ("right", "middle", "left")
    places = {piece.name: place for place, cell in lay(turned, after(game)).cells.items() for piece in cell.pieces}
    assert places == {name: CellPlace(0, 2, row) for name, row in (("p3", 2), ("p2", 1), ("p1", 0))}


def test_images_of_things_in_stacks_are_as_high_as_these() -> None:
    game, layout = found(PEGS)
    svg_image = b64encode(b'<svg xmlns="http://www.w3.org/2000/svg"/>').decode()
    wishes = parse_wishes(f'[pieces]\np3 = "data:image/svg+xml;base64,{svg_image}"\n')
    text = svg(fulfil(layout, wishes), game.initial_state())
    (use,) = [one for one in ElementTree.fromstring(text).iter() if one.tag.endswith("}use")]
    (box,) = [one for one in ElementTree.fromstring(text).iter() if use.get("href") in [o.get("href") for o in one]]
    height = float(by_class(text, "body")[0].get("height", 0))
    scale = float(box.get("transform", "").partition("scale(")[2].rstrip(")"))
    assert 0.8 * height < 48 * scale <= height
    # The block is still there, as its width tells its size.
    assert len(by_class(text, "body")) == 3


def test_what_stands_nowhere_is_listed() -> None:
    game, layout = found(PEGS)
    state = game.state([gdl.parse_term(fact) for fact in ("(lies p1 p2)", "(lies p2 p1)", "(lies p3 left)")])
    view = lay(layout, state)
    assert {fact.text for fact in view.rest} == {"(lies p1 p2)", "(lies p2 p1)"}
    assert len(view.cells) == 1


@pytest.mark.parametrize(
    "other",
    [
        PEGS.replace("(init (lies p2 p3))", "(init (lies p2 p3)) (init (lies p2 middle))"),  # on two things
        PEGS.replace("(init (lies p1 p2))", "(init (lies p1 p3))"),  # two things on one
        PEGS.replace("(init (lies p3 left))", "(init (lies p3 p1))"),  # in a circle
        PEGS.replace("(init (lies p1 p2))", ""),  # on nothing
        PEGS.replace("middle", "empty"),  # what is on places
        BLOCKS.replace("(init (clear c))", ""),  # nothing on anything, and nothing about what is free
        CRATES.replace("(init (floor blue))", ""),
        PEGS + "(role p1) (role p2) (role p3)",  # roles
    ],
)
def test_other_relations_are_no_stacks(other: str) -> None:
    assert not found(other)[1].boards


@pytest.mark.skipif(not PUBLIC, reason="needs ../shared/rulesheets")
def test_stacks_of_public_files() -> None:
    drawn = {"blocksWorld": 1, "blocksWorldParallel": 1, "blocksWorldSerial": 2, "hanoi_6_disks": 1, "qyshinsu": 0}
    for path in PUBLIC:
        if path.stem in drawn:
            layout = find_boards(gdl.Reasoner.load(path))
            assert len(layout.boards) == drawn[path.stem], path.stem
