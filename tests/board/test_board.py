"""Boards found from rules: the shipped games as people draw them, each heuristic alone, and nothing that crashes."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from support.toy_files import ROOT

import gdl
from gdl.terms import Constant, Function, Term
from ggp.board import CellPlace, Layout, find_boards, lay, render_state, render_text
from ggp.board.finding.domains import domains_of, fact_shapes
from ggp.board.finding.order import Axis, OrderKind, ordered, split_composite
from ggp.board.leaves import flatten

GAMES = ROOT / "games"

#: What a rule file needs beside the facts of its states.
FRAME = "(<= terminal (true (over))) (<= (goal ?r 0) (role ?r)) (<= (legal ?r noop) (role ?r))"


def game(rules: str, roles: Sequence[str] = ("white", "black")) -> gdl.Reasoner:
    """A game with the given rules, and no moves that matter."""
    return gdl.Reasoner("\n".join([*(f"(role {role})" for role in roles), rules, FRAME]))


def grid(name: str, columns: Iterable[object], rows: Iterable[object], content: str) -> str:
    """Initial facts (name column row content) for a whole rectangle."""
    held = list(rows)
    return " ".join(f"(init ({name} {column} {row} {content}))" for column in columns for row in held)


def drawn(rules: str, roles: Sequence[str] = ("white", "black"), width: int = 80) -> str:
    """The initial state of a game with these rules."""
    played = game(rules, roles)
    return render_text(played, played.initial_state(), width=width)


def text(block: str) -> str:
    """A drawing written with the indent of the test, between lines of its own."""
    return dedent(block).strip("\n")


# ------------------------------------------------------------------------------------------ the shipped games


def shipped(name: str) -> gdl.Reasoner:
    return gdl.Reasoner.load(GAMES / f"{name}.kif")


def start(name: str) -> str:
    played = shipped(name)
    return render_text(played, played.initial_state())


def test_the_wolf_is_at_the_top() -> None:
    expected = """
        c8   .  .  .  w  .  .  .  .
        c7   .  .  .  .  .  .  .  .
        c6   .  .  .  .  .  .  .  .
        c5   .  .  .  .  .  .  .  .
        c4   .  .  .  .  .  .  .  .
        c3   .  .  .  .  .  .  .  .
        c2   .  .  .  .  .  .  .  .
        c1   s  .  s  .  s  .  s  .
            c1 c2 c3 c4 c5 c6 c7 c8

        control wolf
    """
    assert start("wolf_sheep") == text(expected)
    assert start("variants/wolf_sheep_diagonal") == text(expected)


def test_the_pen_is_at_the_top() -> None:
    expected = """
           1 2 3 4 5 6 7
        1      f f f
        2      f f f
        3  . . f f f . .
        4  s s s s s s s
        5  s s s s s s s
        6      s s s
        7      s s s
    """
    assert start("fox_game").startswith(text(expected) + "\n\nf fox   s sheep\n")
    two_foxes = start("variants/fox_game_two_foxes").split("\n")
    assert two_foxes[:5] == ["   1 2 3 4 5 6 7", "1      f . f", "2      . . .", "3  . . . . . . .", "4  s s s s s s s"]


def test_north_is_at_the_top() -> None:
    expected = """
        8   . np nk nk nk nk np  .
        7  sp  . np np np np  . np
        6  sk sp  .  .  .  . np nk
        5  sk sp  .  .  .  . np nk
        4  sk sp  .  .  .  . np nk
        3  sk sp  .  .  .  . np nk
        2  sp  . sp sp sp sp  . np
        1   . sp sk sk sk sk sp  .
            1  2  3  4  5  6  7  8

        captures north 0, south 0   control north   step 0
    """
    assert start("battle") == text(expected)


def test_sliding_pieces_are_numbers_with_y1_at_the_top() -> None:
    expected = """
            x1 x2 x3 x4
        y1   1  6  7  3
        y2   1  2  2  3
        y3   5  2  2  8
        y4   5  4  4  8
        y5   9  .  . 10

        1 piece1 to 10 piece10
        step s0
    """
    assert start("sliding_pieces") == text(expected)


def test_an_empty_board_has_its_full_size_and_keeps_it() -> None:
    played = shipped("knights_and_pawns")
    layout = find_boards(played)
    state = played.initial_state()
    before = render_text(layout, state).split("\n")
    assert before[:9] == [*(f"{row}  . . . . . . . ." for row in "87654321"), "   1 2 3 4 5 6 7 8"]
    state = played.next_state(
        state, ["(place whiteknight whitepawn whitepawn)", "(place blackpawn blackknight blackpawn)"]
    )
    expected = """
        8  k k k k p p p p
        7  p p p p p p p p
        6  . . . . . . . .
        5  . . . . . . . .
        4  . . . . . . . .
        3  . . . . . . . .
        2  P P P P P P P P
        1  K K K K K K K K
           1 2 3 4 5 6 7 8

        k blackknight   p blackpawn   K whiteknight   P whitepawn
        control white   step 2
    """
    assert render_text(layout, state) == text(expected)


def test_white_is_below_and_discs_fall_down() -> None:
    assert start("classics/breakthrough").split("\n")[:2] == ["8  b b b b b b b b", "7  b b b b b b b b"]
    played = shipped("classics/connect_four")
    state = played.next_state(played.initial_state(), ["(drop 3)", "noop"])
    assert render_text(played, state).split("\n")[4:7] == ["2  . . . . . . .", "1  . . r . . . .", "   1 2 3 4 5 6 7"]


# ------------------------------------------------------------------------------------------ which way up


def test_directions_tell_row_column_and_up() -> None:
    # Nothing but the relation says that the first coordinate is the row, and that rows grow downwards.
    cells = grid("cell", (1, 2, 3), (1, 2), "b") + "(init (cell 1 2 w))"
    steps = "(after 1 2) (after 2 3) (<= (go up ?a ?q ?b ?q) (after ?b ?a) (init (cell ?a ?q b)))"
    assert drawn(cells + steps).split("\n")[:3] == ["   1 2", "1  . w", "2  . ."]
    down = "(after 1 2) (after 2 3) (<= (go down ?a ?q ?b ?q) (after ?b ?a) (init (cell ?a ?q b)))"
    assert drawn(cells + down).split("\n")[2:4] == ["1  . w", "   1 2"]


def test_a_role_called_south_does_not_name_a_direction() -> None:
    rules = grid("cell", "123", "12", "b") + "(forward south 1 2) (forward north 2 1)"
    rules += "(init (cell 4 2 nk)) (init (cell 4 1 sk)) (owns north nk) (owns south sk)"
    assert drawn(rules, ("south", "north")).split("\n")[:2] == ["2   .  .  . nk", "1   .  .  . sk"]


@pytest.mark.parametrize(
    ("columns", "rows", "first", "last"),
    [
        ("abc", "123", "3  . . .", "   a b c"),  # as on a chess board
        ("123", "abc", "   1 2 3", "c  . . ."),  # lettered rows run down
        (("x1", "x2", "x3"), ("y1", "y2", "y3"), "y3   .  .  .", "    x1 x2 x3"),
        (("y1", "y2", "y3"), ("x1", "x2", "x3"), "    x1 x2 x3", "y3   .  .  ."),  # a matrix: the row first
        (("c1", "c2", "c3"), ("r1", "r2", "r3"), "    c1 c2 c3", "r3   .  .  ."),
    ],
)
def test_names_of_coordinates_tell(columns: Sequence[str], rows: Sequence[str], first: str, last: str) -> None:
    lines = drawn(grid("cell", columns, rows, "b")).split("\n")
    assert (lines[0], lines[-1]) == (first, last)


def test_variables_and_relations_tell_which_is_the_row() -> None:
    cells = grid("cell", "123", "12", "b")
    assert drawn(cells).split("\n")[-1] == "   1 2 3"
    assert drawn(cells + "(<= (next (cell ?y ?x ?c)) (true (cell ?y ?x ?c)))").split("\n")[0] == "   1 2"
    named = "(row 1) (row 2) (row 3) (<= (next (cell ?a ?b ?c)) (true (cell ?a ?b ?c)) (row ?a))"
    assert drawn(cells + named).split("\n")[0] == "   1 2"


def test_the_few_are_above_the_many() -> None:
    below, above = grid("cell", "12345", "123", "blank"), grid("cell", "12345", "45", "hound")
    assert drawn(below + above + "(init (cell 6 1 hare))", ("hare", "hound")).split("\n")[1] == "1  . . . . . h"
    equal = grid("cell", "123", "1", "hound") + grid("cell", "123", "2", "blank") + grid("cell", "123", "3", "hare")
    assert drawn(equal, ("hare", "hound")).split("\n")[0] == "3  h h h"


# ------------------------------------------------------------------------------------------ finding boards


def test_occupied_cells_only_and_no_declarations() -> None:
    rules = """
        (init (location wk 2 1)) (index 1) (index 2) (index 3)
        (<= (next (location ?p ?x ?y)) (does ?r (put ?p ?x ?y)))
        (<= (legal ?r (put wk ?x ?y)) (role ?r) (index ?x) (index ?y))
        (<= (legal ?r (put bk ?x ?y)) (role ?r) (index ?x) (index ?y))
    """
    assert drawn(rules) == text("""
        3   .  .  .
        2   .  .  .
        1   . wk  .
            1  2  3
    """)


def test_declared_cells_shape_the_board() -> None:
    rules = "(base (at 2 1 x)) (base (at 1 2 x)) (base (at 2 2 x)) (base (at 3 2 x)) (init (at 2 1 x))"
    assert drawn(rules) == text("""
        2  . . .
        1    x
           1 2 3
    """)


def test_functions_as_coordinates_and_chained_symbols() -> None:
    chain = "(follows one two) (follows two three)"
    cells = " ".join(f"(init (holds (square {x} {y}) blank))" for x in ("one", "two", "three") for y in ("one", "two"))
    rules = cells.replace("(square three two) blank", "(square three two) king") + chain
    assert drawn(rules).split("\n") == [
        "two      .     .     k",
        "one      .     .     .",
        "       one   two three",
        "",
        "k king",
    ]


def test_owners_and_kinds_make_one_glyph() -> None:
    rules = grid("cell", "abc", "1", "white rook") + grid("cell", "abc", "2", "black king")
    rules += "(init (cell a 3 black knight)) (init (cell b 3 white king))"
    assert drawn(rules).split("\n")[:3] == ["3  n K .", "2  k k k", "1  R R R"]


def test_more_than_two_armies_have_letters() -> None:
    pieces = (
        "(init (cell 1 1 redpawn)) (init (cell 2 1 bluepawn)) (init (cell 1 2 greenking)) (init (cell 2 2 redking))"
    )
    assert drawn(pieces, ("red", "blue", "green")).split("\n")[:2] == ["2  gK rK", "1  rP bP"]


def test_two_relations_over_the_same_cells_are_two_boards() -> None:
    rules = grid("left", "12", "12", "b") + grid("right", "12", "12", "b") + "(init (left 3 1 x)) (init (right 3 1 o))"
    assert drawn(rules) == text("""
        left         right
        2  . .       2  . .
        1  . . x     1  . . o
           1 2 3        1 2 3
    """)


def test_boards_of_a_first_coordinate_stand_side_by_side() -> None:
    rules = " ".join(f"(init (cell {n} {x} {y} b))" for n in "123" for x in "12" for y in "12")
    three = """
        1          2          3
        2  . .     2  . .     2  . .
        1  . .     1  . .     1  . .
           1 2        1 2        1 2
    """
    assert drawn(rules) == text(three)
    assert len(drawn(rules, width=15).split("\n")) == 4 * 3 + 2


def test_four_coordinates_are_boards_in_a_grid() -> None:
    rules = " ".join(f"(init (cell {a} {b} {c} {d} blank))" for a in "12" for b in "12" for c in "123" for d in "123")
    layout = find_boards(game(rules))
    assert [board.title for board in layout.boards] == ["1 2", "2 2", "1 1", "2 1"]
    assert layout.bands == ((0, 1), (2, 3))


def test_rows_of_a_star_are_centred() -> None:
    spots = ["a1", "b1", "b2", "b3", "c1", "c2"]
    rules = " ".join(f"(init (cell {spot} blank))" for spot in spots) + "(init (cell a2 red))"
    assert drawn(rules, ("red",)).split("\n")[:3] == ["a   . r", "b  . . .", "c   . ."]


def test_facts_that_are_only_coordinates() -> None:
    dots = "(<= (next (dot ?x ?y)) (true (dot ?x ?y)))" + grid("dot", "123", "123", "")
    assert drawn(dots).split("\n")[0] == "3  # # #"
    heaps = "(<= (next (heap ?x ?y)) (true (heap ?x ?y))) (init (heap 1 5)) (init (heap 2 3)) (init (heap 3 5))"
    assert find_boards(game(heaps)).boards == ()
    offers = "(<= (next (offer ?x ?y)) (does ?r (bid ?x ?y))) (n 0) (n 1) (n 2) "
    offers += "(<= (legal ?r (bid ?x ?y)) (role ?r) (n ?x) (n ?y))"
    assert find_boards(game(offers)).boards == ()


def test_scores_and_counters_are_no_boards() -> None:
    assert find_boards(game("(init (score player1 3)) (init (score player2 4))", ("player1", "player2"))).boards == ()
    assert find_boards(game("(init (coins white 3)) (init (coins black 2)) (init (step 1))")).boards == ()


def test_a_memory_of_cells_is_listed() -> None:
    rules = grid("cell", "123", "12", "b") + "(init (cell 3 3 w)) (init (was 0 1 2 b)) (init (was 5 1 2 w))"
    rules += "(init (was 5 2 1 b)) (init (was 9 3 3 w))"
    assert [line for line in drawn(rules).split("\n") if "was" in line] == ["was 0 1 2 b, 5 1 2 w, 5 2 1 b, 9 3 3 w"]


def test_a_game_without_rules_to_read() -> None:
    class Handmade:
        """An engine that is only an engine."""

        roles = ("white", "black")

        def initial_state(self) -> frozenset[Term]:
            return frozenset(map(gdl.parse_term, ("(cell 1 1 w)", "(cell 2 1 b)", "(cell 1 2 b)", "(cell 2 2 b)")))

    handmade = Handmade()
    assert render_text(handmade, handmade.initial_state()).split("\n")[:3] == ["2  . .", "1  w .", "   1 2"]  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------ states and moves


def test_last_moves_and_marks() -> None:
    played = shipped("battle")
    layout = find_boards(played)
    state = played.next_state(played.initial_state(), ["(defend 2 8)", "noop"])
    assert render_text(layout, state).split("\n")[0] == "8   . np*nk nk nk nk np  ."
    assert "* defended" in render_text(layout, state)
    state = played.next_state(state, ["noop", "(move 7 1 8 1)"])
    moves = {"north": "noop", "south": gdl.parse_term("(move 7 1 8 1)")}
    assert render_text(layout, state, last_moves=moves).split("\n")[7] == "1   . sp sk sk sk sk[ .|sp]"
    assert render_text(layout, state, last_moves=list(moves.values())) == render_text(layout, state, last_moves=moves)


def test_moves_that_name_no_cell_are_no_trouble() -> None:
    played = shipped("battle")
    state = played.initial_state()
    plain = render_text(played, state)
    for move in ("noop", "(move 9 9)", "(move 1", "", "(move (2 1) x)", "(f (g h) 3)"):
        assert render_text(played, state, last_moves=[move]) == plain


def test_the_view_is_data() -> None:
    played = shipped("wolf_sheep")
    layout = find_boards(played)
    view = lay(layout, played.initial_state())
    wolf = view.cells[CellPlace(0, 3, 0)]
    assert [(piece.name, piece.glyph, piece.owner) for piece in wolf.pieces] == [("w", "w", "wolf")]
    assert len(view.cells) == 5
    assert list(map(str, view.rest)) == ["(control wolf)"]
    assert layout.boards[0].rows[0] == layout.boards[0].columns[7] == "c8"


def test_two_pieces_on_one_cell_are_told() -> None:
    rules = grid("cell", "123", "123", "blank") + "(init (cell 2 3 wall)) (init (cell 1 1 wall)) (init (cell 2 3 gem))"
    assert drawn(rules, ("miner",)) == text("""
        3  . g .
        2  . . .
        1  w . .
           1 2 3

        g gem   w wall
        2 3: gem, wall
    """)


def test_facts_without_boards_are_listed_in_columns() -> None:
    facts = [f"(on {letter} table)" for letter in "cab"]
    assert drawn(" ".join(f"(init {fact})" for fact in [*facts, "night"]), width=40) == text("""
        (on a table)   (on c table)
        (on b table)   night
    """)
    played = game("")
    assert render_text(played, played.state([])) == "no facts"


def test_a_board_wider_than_the_screen_is_drawn_in_parts() -> None:
    lines = drawn(grid("cell", range(1, 21), range(1, 3), "b"), width=40).split("\n")
    assert max(map(len, lines)) <= 40
    assert lines[0] == "1 to 12"
    assert sum(line.count(".") for line in lines) == 40


def test_long_lists_are_cut_below_boards() -> None:
    rules = grid("cell", "12", "12", "b") + "(init (cell 3 1 w))"
    lines = drawn(rules + " ".join(f"(init (seen thing{n}))" for n in range(200))).split("\n")
    assert lines[-1].endswith(" more")
    assert len(lines) < 20


# ------------------------------------------------------------------------------------------ the terminal


def printed(layout: Layout, state: Iterable[Term], **options: object) -> str:
    out = io.StringIO()
    Console(file=out, width=60, **options).print(render_state(layout, state))  # type: ignore[arg-type]
    return out.getvalue()


def test_colours_only_where_there_are_any() -> None:
    played = shipped("wolf_sheep")
    layout, state = find_boards(played), played.initial_state()
    assert "\x1b" not in printed(layout, state)
    assert "\x1b[38" not in printed(layout, state, force_terminal=True, no_color=True)
    coloured = printed(layout, state, force_terminal=True, color_system="256")
    wolf, sheep = (coloured.split(f" {letter}\x1b")[0].rsplit("\x1b", 1)[1] for letter in "ws")
    assert wolf != sheep


def test_brackets_are_no_markup_and_control_characters_stay_out() -> None:
    rules = grid("cell", "12", "12", "b") + "(init (cell 3 1 [red])) (init (note [/bold] :smile:))"
    shown = drawn(rules)
    assert "[red]" in shown
    assert "note [/bold] :smile:" in shown
    escape = Function("note", (Constant("a\x1b[31mb"),))
    played = game(rules)
    assert "\x1b" not in render_text(played, [escape])
    assert "\x1b" not in render_text(find_boards(game("")), [escape])


# ------------------------------------------------------------------------------------------ parts


def test_leaves_are_without_case_and_shape_keeps_the_functions() -> None:
    assert flatten(gdl.parse_term("(Cell (Square 1 B) White)")) == ("(cell (square _ _) _)", ("1", "b", "white"))
    assert flatten(gdl.parse_term("Night")) == ("night", ())


def test_facts_may_be_nested_deeply() -> None:
    fact: Term = Constant("zero")
    for _ in range(3000):
        fact = Function("s", (fact,))
    played = game("(init (zero zero))")
    assert render_text(find_boards(played), [fact]).startswith("(s (s (s")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (("10", "9", "-1"), Axis(("-1", "9", "10"), OrderKind.NUMBER)),
        (("c10", "c9", "c1"), Axis(("c1", "c9", "c10"), OrderKind.PREFIX, "c")),
        (("c", "b", "a"), Axis(("a", "b", "c"), OrderKind.LETTER)),
        (("x", "o"), None),
        (("a", "c", "d"), None),
        (("one", "two", "three"), Axis(("one", "two", "three"), OrderKind.CHAIN)),
        (("one", "two", "four"), None),
        (("1", "b"), None),
        (("1",), None),
        (("1", "9" * 5000), None),
        (("1", "²"), None),
    ],
)
def test_order(values: tuple[str, ...], expected: Axis | None) -> None:
    chains = [("loop", frozenset({("one", "two"), ("two", "one")}))]
    chains.append(("before", frozenset({("two", "one"), ("three", "two"), ("four", "three")})))
    assert ordered(values, chains) == expected


def test_composite_symbols() -> None:
    assert split_composite(["a1", "b12", "c1"]) == {"a1": ("a", "1"), "b12": ("b", "12"), "c1": ("c", "1")}
    assert split_composite(["a1", "b1", "c1"]) is None
    assert split_composite(["a1", "b2", "d1"]) is None
    assert split_composite(["a1", "b2", "home"]) is None


def test_domains_follow_variables_through_functions() -> None:
    rules = game("""
        (init (at (cell 1 1) king)) (near 1 2) (near 2 3) (free 2) (free 9)
        (<= (next (at ?where king)) (does ?r (go ?where)))
        (<= (legal ?r (go (cell ?x ?y))) (role ?r) (true (at (cell ?z ?y) king)) (near ?z ?x) (free ?x))
    """).rulesheet.rules
    assert dict(fact_shapes(domains_of(rules)))["(at (cell _ _) _)"] == (
        frozenset({"1", "2"}),
        frozenset({"1"}),
        frozenset({"king"}),
    )


def test_domains_end_where_terms_grow() -> None:
    rules = game("(init (list nil)) (<= (next (list (cons a ?l))) (true (list ?l)))").rulesheet.rules
    assert ("(list _)", (frozenset({"nil"}),)) in list(fact_shapes(domains_of(rules)))


SYMBOLS = st.sampled_from(["1", "2", "8", "9", "np", "north", "cell", "[b]", "é", "漢字", "²", "\x1b", "-", "x" * 90])
TERMS = st.recursive(
    SYMBOLS.map(Constant),
    lambda inner: st.builds(
        lambda name, args: Function(name, tuple(args)),
        st.sampled_from(["cell", "defended", "step", "f"]),
        st.lists(inner, min_size=1, max_size=4),
    ),
    max_leaves=8,
)
LAYOUTS = [find_boards(shipped(name)) for name in ("battle", "sliding_pieces")] + [Layout(("solo",))]


@given(layout=st.sampled_from(LAYOUTS), facts=st.sets(TERMS, max_size=12), moves=st.lists(TERMS, max_size=3))
def test_any_facts_can_be_shown(layout: Layout, facts: set[Term], moves: list[Term]) -> None:
    shown = render_text(layout, sorted(facts), last_moves=moves)
    assert set(filter(lambda c: not c.isprintable(), shown)) <= {"\n"}
    view = lay(layout, facts)
    placed = sum(len(cell.pieces) + len(cell.marks) for cell in view.cells.values())
    assert len(view.rest) + placed == len(facts)


def test_letters_and_numbers_of_one_relation_are_columns_and_rows() -> None:
    """Steps go along one relation for columns and rows, so that the rules would allow a cell `1 a`."""
    game = gdl.Reasoner(
        "(role white) (role black) (next_to a b) (next_to b c) (next_to c d) (next_to 1 2) (next_to 2 3) (next_to 3 4)"
        "(<= (near ?x ?y) (next_to ?x ?y)) (<= (near ?x ?y) (next_to ?y ?x)) (<= (near ?x ?x) (next_to ?x ?y))"
        "(init (cell a 1 wk)) (init (cell d 4 bk)) (init (control white))"
        "(<= (legal ?r (move ?x ?y ?u ?v)) (true (control ?r)) (true (cell ?x ?y ?p)) (near ?x ?u) (near ?y ?v))"
        "(<= (legal ?r noop) (role ?r) (not (true (control ?r))))"
        "(<= (next (cell ?u ?v ?p)) (does ?r (move ?x ?y ?u ?v)) (true (cell ?x ?y ?p)))"
        "(<= (next (control black)) (true (control white))) (<= (next (control white)) (true (control black)))"
        "(<= terminal (true (cell d 4 wk))) (<= (goal ?r 50) (role ?r))"
    )
    (board,) = find_boards(game).boards
    assert (board.columns, board.rows, board.upwards) == (tuple("abcd"), tuple("4321"), True)
    assert len(board.cells) == 16


def test_numbers_of_cells_that_become_letters_stay_on_the_board() -> None:
    cells = " ".join(f"(init (cell {x} {y} {3 * y + x}))" for x in (1, 2, 3) for y in (0, 1, 2))
    game = gdl.Reasoner(
        f"(role x) (role o) (init (control x)) {cells} (<= (legal ?r (mark ?x ?y)) (true (cell ?x ?y ?n)) (role ?r))"
        "(<= (next (cell ?x ?y ?r)) (does ?r (mark ?x ?y)))"
        "(<= (next (cell ?x ?y ?n)) (true (cell ?x ?y ?n)) (does x (mark ?u ?y)) (distinct ?x ?u))"
        "(<= (next (cell ?x ?y ?n)) (true (cell ?x ?y ?n)) (does x (mark ?x ?v)) (distinct ?y ?v))"
        "(<= terminal (true (cell 1 1 x))) (<= (goal ?r 50) (role ?r))"
    )
    layout = find_boards(game)
    marked = game.next_state(game.initial_state(), {"x": "(mark 2 2)", "o": "(mark 2 2)"})
    assert "(cell 2 2 x)" not in {fact.text for fact in lay(layout, marked).rest}
