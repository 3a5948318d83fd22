"""Expectations written from positions: read again, they hold there and fail elsewhere."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import gdl
from ggp.rules.conformance import Settings, checks
from ggp.rules.conformance.expectation_file import parse_expectations
from ggp.rules.conformance.writing import ASPECTS, position_text, unused_name

GAMES = Path(__file__).parents[3] / "games"


def after(game: gdl.Reasoner, plies: int) -> tuple[list[tuple[gdl.Term, ...]], gdl.State]:
    """The last legal moves from the start, and the state after them."""
    state, line = game.initial_state(), []
    while len(line) < plies and not game.is_terminal(state):
        line.append(tuple(game.legal_moves(state, role)[-1] for role in game.roles))
        state = game.next_state(state, line[-1])
    return line, state


def failures(game: gdl.Reasoner, text: str) -> list[str]:
    found = checks(game, parse_expectations(text, "made", game), Settings(playouts=0))
    return [failure for check in found for failure in check.run().failures]


@pytest.mark.parametrize("name", ["classics/tic_tac_toe", "battle"])
@pytest.mark.parametrize("plies", [0, 2, 100])
def test_what_was_written_holds(name: str, plies: int) -> None:
    game = gdl.Reasoner.load(GAMES / f"{name}.kif")
    line, state = after(game, plies)
    text = position_text(game, 'the "first" \\ line\x7f', line, state, ASPECTS)
    assert failures(game, text) == []
    assert max(map(len, text.split("\n"))) <= 120
    assert tomllib.loads(text)["position"][0]["name"] == 'the "first" \\ line\x7f'
    elsewhere = position_text(game, "elsewhere", [], state, ASPECTS)
    assert bool(failures(game, elsewhere)) == bool(line)


def test_only_the_aspects_that_were_chosen_are_written() -> None:
    game = gdl.Reasoner("(role a+b) (init x) (legal a+b go) (<= (next y) (does a+b go)) (<= terminal (true y))")
    text = position_text(game, "start", [], game.initial_state(), ["legal", "goals"])
    assert text == '[[position]]\nname = "start"\nlegal."a+b" = ["go"]\n'
    assert failures(game, text) == []
    line, state = after(game, 1)
    assert "legal" not in position_text(game, "end", line, state, ["legal"])


def test_names_are_not_used_twice() -> None:
    assert unused_name("start", {"end"}) == "start"
    assert unused_name("start", {"start", "start (2)"}) == "start (3)"
