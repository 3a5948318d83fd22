"""Hands: what each role holds, and decks, are rows of cards below the other boards."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from support.drawn import by_class, loaded

import gdl
from ggp.board import CellPlace, Layout, find_boards, render_text
from ggp.board.clicks import clicks
from ggp.board.drawing.icons import SHAPES, SUITS
from ggp.board.drawing.svg import svg
from ggp.board.view import lay
from ggp.board.wishes import WishError, fulfil, parse_wishes, text_of
from ggp.board.words import cell_words
from ggp.environments.planes import NoBoardError

PUBLIC = Path(__file__).parents[3] / "shared" / "rulesheets" / "shogi_ctk.kif"

#: White and black put pieces from their hands on a board; `(held R P N)` says how many they have.
DROPS = """
(role white) (role black) (init (control white)) (kind pawn) (kind tower) (n 1) (n 2) (n 3)
(succ 0 1) (succ 1 2) (succ 2 3)
(init (held white pawn 3)) (init (held white tower 1)) (init (held black pawn 0)) (init (held black tower 2))
(<= (init (cell ?x ?y empty)) (n ?x) (n ?y))
(<= (base (cell ?x ?y ?p)) (n ?x) (n ?y) (kind ?p)) (<= (base (cell ?x ?y empty)) (n ?x) (n ?y))
(<= (legal ?r (drop ?p ?x ?y)) (true (control ?r)) (true (cell ?x ?y empty)) (true (held ?r ?p ?n)) (distinct ?n 0))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (cell ?x ?y ?p)) (does ?r (drop ?p ?x ?y)))
(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (not (taken ?x ?y))) (<= (taken ?x ?y) (does ?r (drop ?p ?x ?y)))
(<= (next (held ?r ?p ?m)) (does ?r (drop ?p ?x ?y)) (true (held ?r ?p ?n)) (succ ?m ?n))
(<= (next (held ?r ?p ?n)) (true (held ?r ?p ?n)) (not (gives ?r ?p))) (<= (gives ?r ?p) (does ?r (drop ?p ?x ?y)))
(<= (next (control white)) (true (control black))) (<= (next (control black)) (true (control white)))
(<= terminal (true (cell 1 1 tower))) (<= (goal ?r 50) (role ?r))
"""

#: Roles play one of their cards; nothing else happens.
CARDS = """
(role left) (role right) (card red1) (card red2) (card red10) (card blue1)
(<= (init (keeps ?r ?c)) (role ?r) (card ?c)) (<= (init (pile ?c)) (card ?c))
(<= (legal ?r (show ?c)) (true (keeps ?r ?c)))
(<= (next (keeps ?r ?c)) (true (keeps ?r ?c)) (not (does ?r (show ?c)))) (<= (next (pile ?c)) (does ?r (show ?c)))
(<= terminal (not (true (keeps left blue1)))) (<= (goal ?r 50) (role ?r))
"""

#: Roles show a number, and nobody has one at the start.
NUMBERS = """
(role left) (role right) (card 1) (card 2) (card 3) (after 1 2) (after 2 3) (after 3 1)
(<= (legal ?r (show ?c)) (role ?r) (card ?c)) (<= (next (shown ?r ?c)) (does ?r (show ?c)))
(<= terminal (true (shown ?r ?c))) (<= (goal ?r 50) (role ?r))
"""


def found(rules: str) -> tuple[gdl.Reasoner, Layout]:
    game = gdl.Reasoner(rules)
    return game, find_boards(game)


def rows(layout: Layout, state: gdl.State) -> list[list[str]]:
    """The names of the things in each row of the last board."""
    number = len(layout.boards) - 1
    cells = {
        (place.row, place.column): cell for place, cell in lay(layout, state).cells.items() if place.board == number
    }
    return [
        [piece.name for _, cell in sorted(cells.items()) if _[0] == row for piece in cell.pieces]
        for row in range(len(layout.boards[number].rows))
    ]


def test_cards_are_in_a_row_for_each_role_and_the_deck() -> None:
    game, layout = found(CARDS)
    (board,) = layout.boards
    assert (board.title, board.rows, len(board.columns)) == ("keeps", ("left", "right", "pile"), 4)
    cards = ["blue1", "red1", "red2", "red10"]  # in their natural order
    assert rows(layout, game.initial_state()) == [cards, cards, cards]
    state = game.next_state(game.initial_state(), ["(show red2)", "(show red10)"])
    assert rows(layout, state) == [["blue1", "red1", "red10"], ["blue1", "red1", "red2"], ["red2", "red10"]]
    assert render_text(layout, state).split("\n") == [
        "keeps",
        " left  blue1  red1 red10",
        "right  blue1  red1  red2",
        " pile   red2 red10",
    ]


def test_numbers_that_moves_name_are_shown() -> None:
    game, layout = found(NUMBERS)
    assert rows(layout, game.next_state(game.initial_state(), ["(show 3)", "(show 1)"])) == [["3"], ["1"]]


def test_cards_have_the_colour_of_their_role_and_their_words() -> None:
    game, layout = loaded("gallery/tricks")
    state = game.initial_state()
    while any(fact.text.startswith("(deck") for fact in state):
        state = game.next_state(state, [game.legal_moves(state, role)[0] for role in game.roles])
    text = svg(layout, state)
    assert len(by_class(text, "piece")) == 10
    cards = [set(one.get("class", "").split()) for one in by_class(text, "piece")]
    assert cards.count({"piece", "c-blue"}) == cards.count({"piece", "c-orange"}) == 5
    ranks = [one for card in by_class(text, "piece") for one in card.iter() if one.get("class") == "ink"]
    assert sorted(one.text for one in ranks if one.text) == sorted("12345" * 2)
    assert Counter(one.get("d") for one in ranks if not one.text) == {SUITS["sun"]: 5, SUITS["moon"]: 5}
    assert len(by_class(text, "slot")) == 40


def test_dice_in_hands_have_pips() -> None:
    _, layout = loaded("hidden/liars_dice_1")
    shapes = {
        piece.name: piece.shape for layer in layout.layers.values() for piece in layer.pieces.values() if piece.held
    }
    assert shapes == {str(number): f"die{number}" for number in range(1, 7)}


def test_how_many_of_a_thing_there_are() -> None:
    game, layout = found(DROPS)
    board = layout.boards[1]
    assert (board.title, board.rows) == ("held", ("white", "black"))
    assert rows(layout, game.initial_state()) == [["3 pawn", "tower"], ["2 tower"]]
    state = game.next_state(game.initial_state(), ["(drop tower 2 2)", "noop"])
    assert rows(layout, state) == [["3 pawn"], ["2 tower"]]
    text = svg(layout, state)
    assert [one.text for one in by_class(text, "ink") if one.text] == ["3", "2"]
    assert render_text(layout, state).split("\n\n")[1].split("\n") == ["held", "white  3p", "black  2t"]


def test_wishes_are_for_things_whatever_their_number() -> None:
    game, layout = found(DROPS)
    wishes = parse_wishes('[colours]\npawn = "red"\n[pieces]\npawn = "crown"\n')
    text = svg(fulfil(layout, wishes), game.initial_state(), colours=wishes.colours)
    (pawns,) = by_class(text, "c-red")
    assert SHAPES["crown"][0] in [one.get("d") for one in pawns]


def test_things_in_a_hand_look_as_on_the_board() -> None:
    layout = found(DROPS)[1]
    held = {piece.shape for layer in layout.layers.values() if layout.holds(layer) for piece in layer.pieces.values()}
    assert held == {"pawn", "rook"}


def test_a_thing_is_clicked_in_the_hand_and_then_a_cell() -> None:
    game, layout = found(DROPS)
    start = game.initial_state()
    view = lay(layout, start)
    legal = game.legal_moves(start, "white")

    def after(move: gdl.Term) -> gdl.State:
        return game.next_state(start, [move, "noop"])

    paths = {click.move.text: click.path for click in clicks(layout, view, legal, after, "white")}
    assert paths["(drop tower 2 3)"] == (frozenset({CellPlace(1, 1, 0)}), frozenset({CellPlace(0, 1, 0)}))
    # Without a role there is no hand.
    assert {len(click.path) for click in clicks(layout, view, legal, after)} == {1}


def test_a_card_is_one_click() -> None:
    game, layout = loaded("hidden/goofspiel_4")
    state = game.next_state(game.initial_state(), ["(bid 2)", "(bid 4)"])
    found_paths = clicks(layout, lay(layout, state), game.legal_moves(state, "right"), lambda _: (), "right")
    assert [(click.move.text, click.path) for click in found_paths] == [
        (f"(bid {card})", (frozenset({CellPlace(0, card - 1, 1)}),)) for card in (1, 2, 3)
    ]


def test_moves_of_cards_mark_no_cells() -> None:
    game, layout = found(CARDS)
    start = game.initial_state()
    moves = ["(show red2)", "(show red10)"]
    view = lay(layout, game.next_state(start, moves), moves, lay(layout, start))
    assert not any(cell.named for cell in view.cells.values())


def test_long_hands_have_two_rows_and_the_last_cell_has_the_rest() -> None:
    many = "".join(f"(card card{number})" for number in range(1, 31))
    game, layout = found(CARDS + many)
    (board,) = layout.boards
    assert (len(board.columns), board.rows) == (13, ("left", "", "right", "", "pile", ""))
    view = lay(layout, game.initial_state())
    assert [piece.name for piece in view.cells[CellPlace(0, 0, 1)].pieces] == ["card13"]
    assert len(view.cells[CellPlace(0, 12, 1)].pieces) == 34 - 25
    assert cell_words(layout, CellPlace(0, 1, 3)) == "keeps of right, 15"
    assert cell_words(layout, CellPlace(0, 2, 4)) == "pile, 3"


@pytest.mark.parametrize(
    "other",
    [
        CARDS.replace("(role ?r) (card ?c))", "(role ?r) (first ?c))", 1) + "(first red1)",  # one each from the start
        CARDS.replace("(<= (next (pile ?c)) (does ?r (show ?c)))", "").replace("(show ?c)", "show"),  # no card is named
        CARDS.replace("(true (keeps ?r ?c))", "(true (keeps ?r ?c ?r)) (card ?c)").replace(
            "(keeps ?r ?c))", "(keeps ?r ?c ?r))"
        ),  # two roles
        CARDS + "(<= (init (at ?c none)) (card ?c)) (<= (next (at ?c ?r)) (does ?r (show ?c)))",  # places, not cards
        CARDS + "".join(f"(card c{number})" for number in range(60)),  # too many
        NUMBERS + "(<= (init (at ?c none)) (card ?c)) (<= (next (at ?c ?r)) (does ?r (show ?c)))",
        NUMBERS.replace("(does ?r (show ?c))", "(does ?r (show ?b)) (after ?b ?c)"),
        CARDS.replace("(card blue1)", "(card blue1) (<= (init (keeps ?r (two ?c ?c))) (role ?r) (card ?c))"),  # shapes
    ],
)
def test_other_facts_are_no_hands(other: str) -> None:
    assert not any(board.holds for board in found(other)[1].boards)


def test_what_names_cells_is_no_hand() -> None:
    # Which columns a role knows to be full.
    assert not any(board.holds for board in loaded("hidden/phantom_connect_four")[1].boards)
    # Counters.
    for name in ("battle", "gallery/harvest", "gallery/pig", "hidden/leduc_poker"):
        layout = loaded(name)[1]
        assert [board.title for board in layout.boards if board.holds] == (["hand"] if "leduc" in name else [])


def test_a_board_file_names_what_is_held() -> None:
    # A role holds one card from the start, on which there is a row and a column.
    rules = """
    (role left) (role right) (suit a) (suit b) (suit c) (rank 1) (rank 2) (rank 3)
    (init (holds left a 1)) (init (holds right b 2)) (<= (init (spare ?s ?r)) (suit ?s) (rank ?r))
    (<= (legal ?p (show ?s ?r)) (true (holds ?p ?s ?r)))
    (<= (next (holds ?p ?s ?r)) (true (holds ?p ?s ?r))) (<= (next (spare ?s ?r)) (true (spare ?s ?r)))
    (<= (base (holds ?p ?s ?r)) (role ?p) (suit ?s) (rank ?r))
    (<= terminal (does left noop)) (<= (goal ?p 50) (role ?p))
    """
    game = gdl.Reasoner(rules.replace("(does left noop)", "(not (true (holds left a 1)))"))
    assert [board.holds for board in find_boards(game).boards] == [False]
    wishes = parse_wishes('hands = ["Holds", "spare"]')
    layout = find_boards(game, wishes.hands)
    assert [(board.title, board.rows) for board in layout.boards] == [("holds", ("left", "right", "spare"))]
    spare = ["a 1", "a 2", "a 3", "b 1", "b 2", "b 3", "c 1", "c 2", "c 3"]
    assert rows(layout, game.initial_state()) == [["a 1"], ["b 2"], spare]
    assert not find_boards(loaded("hidden/kuhn_poker")[0], parse_wishes("hands = []").hands).boards
    assert parse_wishes(text_of(wishes)) == wishes
    with pytest.raises(WishError, match=r"b:2: .* hands must be a list of names"):
        parse_wishes("flip = true\nhands = [1]", "b")


def test_hands_are_no_planes() -> None:
    from ggp.environments.game import EnvironmentGame
    from ggp.environments.planes import PlanesObserver

    with pytest.raises(NoBoardError):
        PlanesObserver(EnvironmentGame("hidden/goofspiel_4"))


@pytest.mark.skipif(not PUBLIC.exists(), reason="needs ../shared/rulesheets")
def test_captured_pieces_of_a_public_file() -> None:
    layout = find_boards(gdl.Reasoner.load(PUBLIC))
    assert [(board.title, board.holds) for board in layout.boards][1:] == [("inHand", True)]
    assert layout.layers["(inhand _ _ _)"].pieces["black", "pawn", "2"].shape == "pawn"
