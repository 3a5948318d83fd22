"""Boards as pictures: well-formed, complete, and of any text only text; moves that are clicked; wishes of a drawing."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from support.drawn import GAMES, by_class, loaded

import gdl
from ggp.board import find_boards, render_state
from ggp.board.drawing.icons import SHAPES
from ggp.board.drawing.palette import PAINTS, Colours
from ggp.board.drawing.svg import Frame, animated_svg, svg
from ggp.board.view import lay
from ggp.board.vocabulary import COLOURS, WORDS, shapes_for

ALL = sorted(path.relative_to(GAMES).with_suffix("").as_posix() for path in GAMES.rglob("*.kif"))
#: Games with hidden information that have cells; those of liar's dice are the bids.
UNSEEN = {
    *("hidden/blind_breakthrough_6x6", "hidden/kriegspiel_tic_tac_toe", "hidden/liars_dice_1"),
    "hidden/phantom_connect_four",
}
#: Games of cards and dice, which have no cells.
HANDS = {"hidden/kuhn_poker", "hidden/leduc_poker", "hidden/goofspiel_4", "hidden/matching_pennies"}
HANDS |= {"hidden/rock_paper_scissors"}
BOARDLESS = {"gallery/pig", *(name for name in ALL if name.startswith("hidden/"))} - UNSEEN - HANDS


SVG = "{http://www.w3.org/2000/svg}"


def test_what_has_changed_is_marked_where_a_move_names_no_cell() -> None:
    game, layout = loaded("classics/connect_four")
    moves = ["(drop 4)", "noop"]
    before = game.initial_state()
    state = game.next_state(before, moves)
    assert not by_class(svg(layout, state, last_moves=moves), "named")  # it is not known what has changed
    (cell,) = by_class(svg(layout, state, last_moves=moves, before=before), "named")
    view = lay(layout, state, moves, lay(layout, before))
    ((place, content),) = ((place, content) for place, content in view.cells.items() if content.named)
    assert (place.column, place.row) == (3, 5)
    assert content.pieces
    assert cell.get("x") is not None
    # Later discs are marked, earlier ones no longer.
    following = game.next_state(state, ["noop", "(drop 4)"])
    text = svg(layout, following, last_moves=["noop", "(drop 4)"], before=state)
    assert len(by_class(text, "named")) == 1
    shown = render_state(layout, following, last_moves=["noop", "(drop 4)"], before=state)
    assert [place.row for place, content in shown.view.cells.items() if content.named] == [4]


def test_a_board_that_changes_as_a_whole_is_not_marked() -> None:
    rules = """
        (role a) (init (cell 1 1 x)) (init (cell 1 2 x)) (init (cell 2 1 o)) (init (cell 2 2 o)) (legal a flip)
        (n 1) (n 2) (<= (next (cell ?x ?y x)) (true (cell ?x ?y o))) (<= (next (cell ?x ?y o)) (true (cell ?x ?y x)))
        (<= terminal (true (cell 3 3 x))) (goal a 0)
        (<= (base (cell ?x ?y ?c)) (n ?x) (n ?y) (c ?c)) (c x) (c o)
    """
    game = gdl.Reasoner(rules)
    layout = find_boards(game)
    before = game.initial_state()
    view = lay(layout, game.next_state(before, ["flip"]), ["flip"], lay(layout, before))
    assert layout.boards
    assert not any(cell.named for cell in view.cells.values())


@pytest.mark.parametrize("name", ALL)
def test_every_shipped_game_is_drawn(name: str) -> None:
    game, layout = loaded(name)
    text = svg(layout, game.initial_state())
    cells = sum(len(board.cells) for board in layout.boards)
    assert len(by_class(text, "cell")) == cells
    assert (cells > 0) == (name not in BOARDLESS)


def test_a_move_is_an_arrow_between_its_cells() -> None:
    game, layout = loaded("wolf_sheep")
    move = ["(move c4 c8 c4 c7)", "noop"]
    state = game.next_state(game.initial_state(), move)
    text = svg(layout, state, last_moves=move)
    assert len(by_class(text, "named")) == 2
    (arrow,) = by_class(text, "arrow")
    assert arrow.get("x1") == arrow.get("x2")
    assert float(arrow.get("y1", 0)) < float(arrow.get("y2", 0))


def test_pieces_of_several_cells_are_one_piece_each_and_slide_as_one() -> None:
    game, layout = loaded("sliding_pieces")
    start = game.initial_state()
    after = game.next_state(start, ["(move piece4 south)"])
    text = svg(layout, after, last_moves=["(move piece4 south)"], before=start)
    assert len(by_class(text, "joined")) == 10
    assert len(by_class(text, "arrow")) == 1


def test_numbers_that_are_no_pieces_are_not_joined() -> None:
    rules = " ".join(f"(init (cell {x} {y} {0 if x < 3 else 1}))" for x in (1, 2, 3, 4) for y in (1, 2))
    game = gdl.Reasoner(f"(role r) {rules} (legal r noop) (<= terminal (true (over))) (goal r 0)")
    assert not by_class(svg(find_boards(game), game.initial_state()), "joined")


def test_marks_are_drawn() -> None:
    game, layout = loaded("battle")
    state = game.next_state(game.initial_state(), ["(defend 4 7)", "noop"])
    assert len(by_class(svg(layout, state), "mark")) == 1


def test_text_of_rules_is_only_text() -> None:
    rules = """
        (role <b>&) (init (cell 1 1 "<script>)) (init (cell 1 2 b)) (init (cell 2 1 b)) (init (cell 2 2 b))
        (init (note </svg><script>alert)) (legal <b>& noop) (<= terminal (true (over))) (goal <b>& 0)
    """
    game = gdl.Reasoner(rules)
    text = svg(find_boards(game), game.initial_state(), title="<script>")
    assert "<script" not in text
    names = {one.tag.removeprefix(SVG) for one in ElementTree.fromstring(text).iter()}
    assert names <= {"svg", "style", "title", "rect", "g", "text", "path", "circle", "line", "polygon"}


def test_a_game_without_boards_is_its_facts() -> None:
    game = gdl.Reasoner("(role r) (init (light on)) (legal r noop) (<= terminal (true (over))) (goal r 0)")
    text = svg(find_boards(game), game.initial_state())
    assert [one.text for one in by_class(text, "note")] == ["light on"]


def test_a_match_plays_itself_without_a_script() -> None:
    game, layout = loaded("classics/tic_tac_toe")
    frames = [Frame(game.initial_state())]
    for moves in (["(mark 1 1)", "noop"], ["noop", "(mark 2 2)"]):
        frames.append(Frame(game.next_state(frames[-1].state, moves), moves))
    text = animated_svg(layout, frames, seconds=0.5)
    assert [len(by_class(text, f"f{number}")) for number in range(4)] == [1, 1, 1, 0]
    assert "prefers-reduced-motion" in text
    with pytest.raises(ValueError, match="no states"):
        animated_svg(layout, [])


def luminance(colour: str) -> float:
    """The relative luminance of a colour (WCAG 2.1)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("name", PAINTS)
def test_ink_stands_out_from_its_piece(name: str) -> None:
    light, dark = sorted((luminance(PAINTS[name].body), luminance(PAINTS[name].ink)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_roles_have_the_colours_that_they_are_called_by_and_others_different_ones() -> None:
    colours = Colours(["red", "left", "blue", "right"])
    assert (colours.role("red"), colours.role("Blue")) == ("red", "blue")
    assert len({colours.role(role) for role in ("red", "left", "blue", "right")}) == 4
    assert Colours(["fox"], {"fox": "teal"}).role("fox") == "teal"


def test_letters_are_chess_pieces_only_among_themselves() -> None:
    assert shapes_for(["k", "p"]) == {"k": "king", "p": "pawn"}
    assert shapes_for(["k", "z"]) == {}
    assert shapes_for(["x", "o", "b"]) == {"x": "cross", "o": "ring"}


def test_whatever_words_suggest_can_be_drawn() -> None:
    assert {shapes_for([word])[word] for word in WORDS} <= SHAPES.keys()
    assert PAINTS.keys() == set(COLOURS)


@pytest.mark.parametrize(("kings", "shapes"), [("", {"disc", "crown"}), ("(init (cell a 1 wk))", {"pawn", "king"})])
def test_men_that_are_crowned_are_discs(kings: str, shapes: set[str]) -> None:
    rules = """
        (role white) (role black) (init (cell b 1 wp)) (init (cell c 3 bp)) (init (cell a 2 blank))
        (init (cell d 4 blank)) (<= terminal (true (cell ?x ?y wk)))
        (<= (legal ?r (move ?x ?y)) (role ?r) (true (cell ?x ?y ?p)))
        (<= (next (cell ?x ?y wk)) (does white (move ?x ?y)) (true (cell ?x ?y wp)))
        (<= (next (cell ?x ?y bk)) (does black (move ?x ?y)) (true (cell ?x ?y bp)))
        (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p))) (<= (goal ?r 50) (role ?r))
    """
    layout = find_boards(gdl.Reasoner(rules + kings))
    found = {piece.shape for layer in layout.layers.values() for piece in layer.pieces.values() if not piece.blank}
    assert found == shapes
