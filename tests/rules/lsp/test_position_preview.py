"""The position that an editor shows beside a text."""

from __future__ import annotations

import asyncio

import pytest
from support.toy_walk import WALK

from gdl import Reasoner
from ggp.rules.lsp.preview import preview, shown
from ggp.rules.shipped_games import find_game

#: A list that grows with every derivation.
ENDLESS = WALK + "(<= (long (s ?x)) (long ?x))\n(long 0)\n(<= (legal walker (jump ?x)) (long ?x))\n"


def test_the_initial_position_and_those_after_moves() -> None:
    found = shown(WALK, "walk.kif", [])
    assert found["roles"] == [{"name": "walker", "legal": ["(go b)"], "more": 0, "goal": None}]
    assert (found["ply"], found["forgotten"], found["terminal"]) == (0, 0, False)
    found = shown(WALK, "walk.kif", [["(go b)"], ["(go c)"]])
    assert found["roles"] == [{"name": "walker", "legal": [], "more": 0, "goal": 100}]
    assert (found["ply"], found["terminal"]) == (2, True)


def test_it_agrees_with_the_reasoner_and_draws_the_board() -> None:
    path = find_game("tic_tac_toe")
    game = Reasoner.load(path)
    state = game.initial_state()
    found = shown(path.read_text(), str(path), [])
    assert found["svg"].startswith("<svg")
    for one, role in zip(found["roles"], game.roles, strict=True):
        assert one["name"] == role
        assert one["legal"] == [str(move) for move in game.legal_moves(state, role)]


def test_moves_that_the_rules_no_longer_allow_are_forgotten() -> None:
    found = shown(WALK, "walk.kif", [["(go b)"], ["(go z)"], ["(go c)"]])
    assert (found["ply"], found["forgotten"]) == (1, 2)
    # So are moves after the end.
    assert shown(WALK, "walk.kif", [["(go b)"], ["(go c)"], ["(go b)"]])["forgotten"] == 1


@pytest.mark.parametrize("moves", [[[]], [["("]], [["", ""]]])
def test_moves_that_are_none_are_forgotten(moves: list[list[str]]) -> None:
    assert shown(WALK, "walk.kif", moves)["forgotten"] == 1


def test_a_text_with_mistakes_has_no_position() -> None:
    assert shown(WALK + "(<= (lost", "walk.kif", []) == {"error": "The rules have mistakes."}


def test_rules_without_end_are_an_answer_too() -> None:
    found = asyncio.run(preview(ENDLESS, "endless.kif", []))
    assert list(found) == ["error"]
    assert asyncio.run(preview(WALK, "walk.kif", [["(go b)"]]))["ply"] == 1
