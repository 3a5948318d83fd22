"""Moves made by clicks."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from support.drawn import GAMES, loaded

import gdl
from ggp.board import Layout, lay
from ggp.board.clicks import Click, clicks
from ggp.board.words import move_words

# ------------------------------------------------------------------------------------------ clicks


def paths(name: str, role: str, played: list[list[str]] | None = None) -> dict[str, list[set[tuple[int, int]]]]:
    """The clicks that make each legal move of a role."""
    game, layout = loaded(name)
    state = game.initial_state()
    for moves in played or []:
        state = game.next_state(state, moves)
    others = {other: game.legal_moves(state, other)[0] for other in game.roles if other != role}
    found = clicks(
        layout,
        lay(layout, state),
        game.legal_moves(state, role),
        lambda move: game.next_state(state, {**others, role: move}),
    )
    return {click.move.text: [{(p.column, p.row) for p in cells} for cells in click.path] for click in found}


def test_a_move_is_clicked_on_the_cells_that_it_names() -> None:
    assert paths("wolf_sheep", "wolf")["(move c4 c8 c5 c7)"] == [{(3, 0)}, {(4, 1)}]
    assert paths("battle", "north")["(defend 4 7)"] == [{(3, 1)}]


def test_a_piece_that_a_move_names_is_clicked_on_any_of_its_cells() -> None:
    found = paths("sliding_pieces", "player")
    assert found["(move piece4 south)"] == [{(1, 3), (2, 3)}, {(1, 4), (2, 4)}]
    assert found["noop"] == []


def test_a_disc_is_dropped_by_a_click_where_it_falls() -> None:
    played = [["(drop 3)", "noop"]]
    assert paths("classics/connect_four", "yellow", played)["(drop 3)"] == [{(2, 4)}]


def parts(name: str, role: str, played: list[list[str]] | None = None) -> dict[str, list[tuple[int, str, str, int]]]:
    """The parts of each legal move of a role: how many cells, the word, its slot, and how many cells in the lane."""
    game, layout = loaded(name)
    state = game.initial_state()
    for moves in played or []:
        state = game.next_state(state, moves)
    found = choices(game, layout, state)[role]
    return {click.move.text: [(len(p.cells), p.word, p.slot, len(p.lane)) for p in click.parts] for click in found}


def choices(game: gdl.Reasoner, layout: Layout, state: gdl.State) -> dict[str, tuple[Click, ...]]:
    legal = {role: game.legal_moves(state, role) for role in game.roles}
    first = {role: moves[0] for role, moves in legal.items()}
    return {
        role: clicks(
            layout, lay(layout, state), own, lambda move, role=role: game.next_state(state, {**first, role: move}), role
        )
        for role, own in legal.items()
    }


def test_a_disc_may_be_dropped_by_a_click_anywhere_in_its_column() -> None:
    assert parts("classics/connect_four", "red")["(drop 3)"] == [(1, "", "", 5)]
    assert parts("classics/othello", "black")["(place 4 3)"] == [(1, "", "", 0)]  # a cell that is named is that cell


def test_pieces_are_put_on_cells_that_always_have_the_same_one() -> None:
    found = parts("knights_and_pawns", "white")["(place whitepawn whitepawn whiteknight)"]
    assert [(cells, word) for cells, word, _, _ in found] == [(4, "whitepawn"), (4, "whiteknight"), (8, "whitepawn")]


def test_words_say_what_cells_do_not() -> None:
    assert parts("battle", "north")["(defend 4 7)"] == [(1, "defend", "", 0)]
    assert parts("sliding_pieces", "player")["noop"] == [(0, "noop", "", 0)]
    guesses = parts("hidden/mastermind", "breaker", [["noop", "(hide red red red)"]])
    slots = [(0, "red", "guess 1", 0), (0, "red", "guess 2", 0), (0, "blue", "guess 3", 0)]
    assert guesses["(guess red red blue)"] == slots


@pytest.mark.parametrize("path", sorted(GAMES.rglob("*.kif")), ids=lambda path: path.stem)
def test_the_parts_of_a_move_tell_it_from_all_others(path: Path) -> None:
    game, layout = loaded(path.relative_to(GAMES).with_suffix("").as_posix())
    random = Random(1)
    state = game.initial_state()
    for _ in range(12):
        if game.is_terminal(state):
            break
        for role, found in choices(game, layout, state).items():
            own = [click.parts for click in found]
            assert len(own) == 1 or all(own), role
            assert len(set(own)) == len(own), role
            assert not {one[:end] for one in own for end in range(1, len(one))} & set(own), role
        state = game.next_state(state, [random.choice(game.legal_moves(state, role)) for role in game.roles])


@pytest.mark.parametrize(
    ("name", "move", "words"),
    [
        ("wolf_sheep", "(move c4 c8 c5 c7)", "d8–e7"),
        ("battle", "(defend 4 7)", "defend d7"),
        ("classics/connect_four", "(drop 3)", "drop 3"),
        ("fox_game", "noop", "pass"),
    ],
)
def test_moves_in_words(name: str, move: str, words: str) -> None:
    assert move_words(loaded(name)[1], move) == words
