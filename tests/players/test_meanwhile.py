"""Moves while a search is not ready: by `uct` if there is time, else by `greedy`."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from support.toy_rules import NIM

import gdl
from ggp.players.clock import NEVER, Deadline
from ggp.players.greedy import GreedyPlayer
from ggp.players.meanwhile import Meanwhile
from ggp.players.player import Start, Turn
from ggp.players.uct import UctPlayer
from ggp.rules.shipped_games import find_game


def turn_of(game: gdl.Reasoner, deadline: Deadline) -> Turn:
    state = game.initial_state()
    return Turn(1, state, tuple(sorted(game.legal_moves(state, game.roles[0]), key=str)), deadline=deadline)


def started(game: gdl.Reasoner, deadline: Deadline) -> Meanwhile:
    meanwhile = Meanwhile()
    meanwhile.start(Start("match", game, game.roles[0], seed=1, rules=game.rulesheet.source.text), deadline)
    if meanwhile._preparing is not None:
        meanwhile._preparing.result()
    return meanwhile


def test_with_time_it_plays_as_uct() -> None:
    game = gdl.Reasoner(NIM)
    meanwhile = started(game, Deadline.after(0.2))
    with patch.object(UctPlayer, "move", autospec=True, side_effect=UctPlayer.move) as move:
        assert meanwhile.move(turn_of(game, Deadline.after(0.3))) in turn_of(game, NEVER).legal
    assert move.call_count == 1


@pytest.mark.parametrize("done", [0, 2])
def test_with_too_few_simulations_it_plays_as_greedy(done: int) -> None:
    game = gdl.Reasoner.load(find_game("tic_tac_toe"))
    meanwhile = started(game, Deadline.after(0.2))
    turn = turn_of(game, Deadline.after(0.3))
    with (
        patch.object(GreedyPlayer, "move", return_value=turn.legal[3]),
        patch.object(UctPlayer, "move", return_value=turn.legal[0]),
        patch.object(UctPlayer, "done", done),
    ):
        assert meanwhile.move(turn) == turn.legal[3]


def test_without_a_clock_it_plays_as_greedy() -> None:
    game = gdl.Reasoner(NIM)
    greedy = GreedyPlayer()
    greedy.start(Start("match", game, game.roles[0], seed=1), NEVER)
    assert started(game, NEVER).move(turn_of(game, NEVER)) == greedy.move(turn_of(game, NEVER))
