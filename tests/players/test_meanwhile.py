"""Moves while a search is not ready: by playouts once the game is compiled, before by `uct` or by `greedy`."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from support.toy_rules import NIM

import gdl
from ggp.players.background import Background
from ggp.players.clock import NEVER, Deadline
from ggp.players.greedy import GreedyPlayer
from ggp.players.meanwhile import Meanwhile
from ggp.players.player import Start, Turn
from ggp.players.uct import UctPlayer
from ggp.rules.shipped_games import find_game


def _no_compiler() -> gdl.Simulator:
    raise gdl.GdlError("no compiler")


def turn_of(game: gdl.Reasoner, deadline: Deadline) -> Turn:
    state = game.initial_state()
    return Turn(1, state, tuple(sorted(game.legal_moves(state, game.roles[0]), key=str)), deadline=deadline)


def started(game: gdl.Reasoner, deadline: Deadline, *, compiles: bool = False) -> Meanwhile:
    meanwhile, role, text = Meanwhile(), game.roles[0], game.rulesheet.source.text
    making = Background(lambda: gdl.compile(text) if compiles else _no_compiler(), "compilation")
    with patch("ggp.players.meanwhile.compilation", return_value=making):
        meanwhile.start(Start("match", game, role, seed=1, rules=text), deadline)
    if meanwhile._slow is not None and meanwhile._fast is not None:
        meanwhile._slow.result()
        assert (meanwhile._fast.result() is not None) == compiles
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


RACE = """
; One step at a time to 6 wins, whatever the other role does; steps back and waiting are possible.
(role runner) (role watcher) (init (at 3))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(legal runner forward) (legal runner wait) (<= (legal runner back) (true (at ?n)) (succ ?m ?n))
(legal watcher look) (legal watcher blink)
(<= (next (at ?m)) (does runner forward) (true (at ?n)) (succ ?n ?m))
(<= (next (at ?m)) (does runner back) (true (at ?n)) (succ ?m ?n))
(<= (next (at ?n)) (does runner wait) (true (at ?n)))
(<= terminal (true (at 6))) (goal runner 100) (goal watcher 0)
"""


def test_a_sure_win_is_brought_home_once_the_game_is_compiled() -> None:
    game = gdl.Reasoner(RACE)
    meanwhile = started(game, Deadline.after(5.0), compiles=True)
    state = game.initial_state()
    for ply in range(1, 4):
        legal = tuple(game.legal_moves(state, "runner"))
        move = meanwhile.move(Turn(ply, state, legal, deadline=Deadline.after(0.5)))
        assert str(move) == "forward"
        state = game.next_state(state, {"runner": move, "watcher": "look"})
    assert game.is_terminal(state)


def test_too_few_playouts_leave_the_move_to_greedy() -> None:
    game = gdl.Reasoner(RACE)
    meanwhile = started(game, Deadline.after(5.0), compiles=True)
    turn = turn_of(game, Deadline.after(0.01))
    with patch.object(GreedyPlayer, "move", return_value=turn.legal[1]):
        assert meanwhile.move(turn) == turn.legal[1]
