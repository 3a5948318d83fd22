"""Facts that are on no board: counters of roles in their colours, dice, and everything else as text."""

from __future__ import annotations

import pytest
from support.drawn import by_class, loaded

from ggp.board.drawing.notes import Part, note_lines
from ggp.board.drawing.svg import svg
from ggp.board.words import Note, is_dice, thrown

ROLES = ["north", "South"]


def lines(name: str, *rows: str, room: float = 400) -> list[list[Part]]:
    return list(note_lines([Note(name, rows)], ROLES, room))


def test_roles_have_their_colours_and_counters() -> None:
    assert lines("score", "north 12", "3 south") == [
        [Part("score"), Part("north", "north", "12"), Part("south", "South", "3")]
    ]
    assert lines("control", "north") == [[Part("control"), Part("north", "north")]]
    assert lines("chosen", "north red") == [[Part("chosen"), Part("north", "north"), Part("red")]]


def test_long_lines_are_divided_between_parts() -> None:
    found = lines("score", *(f"north {n}" for n in range(20)), room=200)
    assert len(found) > 3
    assert all(sum(part.width for part in line) <= 200 for line in found)


@pytest.mark.parametrize("row", ["3 4", "northern 3", "3"])
def test_other_facts_are_text(row: str) -> None:
    assert lines("pot", row, row) == [[Part(f"pot {row}, {row}")]]


@pytest.mark.parametrize(
    ("name", "rows", "dice"),
    [
        ("die", ("6",), True),
        ("two_dice", ("1 2", "3"), True),
        ("die", ("7",), False),
        ("die", (), False),
        ("study", ("3",), False),
        ("dice", ("north 3",), False),
    ],
)
def test_dice_have_the_numbers_of_dice(name: str, rows: tuple[str, ...], dice: bool) -> None:
    assert is_dice(Note(name, rows)) is dice


def test_what_was_thrown_is_drawn_with_its_pips() -> None:
    game, layout = loaded("gallery/pig")
    moves = ["roll", "noop", "(throw 5)"]
    state = game.next_state(game.initial_state(), moves)
    drawn = svg(layout, state, last_moves=moves)
    assert len(by_class(drawn, "pip")) == 5
    assert len(by_class(drawn, "counter")) == 4  # the turn, two scores, and the die
    assert list(thrown({"random": "(throw 5)", "left": "roll", "right": ")"})) == [Note("throw", ("5",))]
    assert not by_class(svg(layout, state), "pip")
