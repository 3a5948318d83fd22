"""Plain UCT: the player that others are compared with."""

from __future__ import annotations

import threading
import time

import pytest
from support.asked import moves_of
from support.toy_games import Nim, OneRound, ToyState, facts

import gdl
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import Start, Turn, make_player
from ggp.players.clock import Deadline
from ggp.players.uct import UctPlayer


def test_it_wins_where_it_can() -> None:
    for heap in (1, 2, 3):
        state = facts(("heap", heap), ("control", "left"))
        assert moves_of("uct", Nim(), "left", state) == {f"(take {heap})": 30}


def test_it_finds_the_only_move_that_wins() -> None:
    # Whoever leaves a multiple of four wins.
    for heap in (5, 6, 7, 9):
        state = facts(("heap", heap), ("control", "left"))
        played = moves_of("uct(simulations=1000)", Nim(), "left", state, seeds=10)
        assert played.most_common(1) == [(f"(take {heap % 4})", 10)]


def test_roles_that_move_at_once_choose_each_for_itself() -> None:
    # `high` is better for `a` whatever `b` does, and `b` would rather play `x` then.
    goals = {("high", "x"): (60, 40), ("high", "y"): (90, 10), ("low", "x"): (50, 50), ("low", "y"): (0, 100)}
    game = OneRound(("a", "b"), goals)
    assert moves_of("uct", game, "a") == {"high": 30}
    assert moves_of("uct(simulations=1000)", game, "b", seeds=10) == {"x": 10}


def test_a_role_without_a_goal_counts_as_even() -> None:
    goals = {("p", "x"): (None, None), ("q", "x"): (100, None), ("r", "x"): (0, None)}
    assert moves_of("uct", OneRound(("a", "b"), goals), "a") == {"q": 30}


def test_it_runs_on_the_reasoner_in_a_compiled_match_and_follows_its_seed() -> None:
    game = gdl.Simulator.load("games/classics/tic_tac_toe.kif")

    def played() -> tuple[tuple[str, ...], ...]:
        players = {"xplayer": UctPlayer(simulations=20), "oplayer": make_player("random")}
        record = play_match(game, players, Settings(seed=4))
        assert record.completed
        assert not any(any(ply.errors) for ply in record.plies)
        return tuple(ply.moves for ply in record.plies)

    assert played() == played()


def test_it_answers_in_time_however_slow_the_game_is() -> None:
    class Slow(Nim):
        made = 0

        def next_state(self, state: ToyState, moves: object) -> ToyState:
            self.made += 1
            time.sleep(0.05)
            return super().next_state(state, moves)  # type: ignore[arg-type]

    game = Slow(100)
    player = UctPlayer()
    player.start(Start("match", game, "left", 1), Deadline.after(1.0))
    state = game.initial_state()
    game.made = 0
    deadline = Deadline.after(0.5)
    move = player.move(Turn(1, state, game.legal_moves(state, "left"), deadline=deadline))
    assert str(move).startswith("(take")
    assert game.made <= 10  # and not a playout of some fifty plies


def test_a_game_that_is_all_in_the_tree_comes_to_an_end_too() -> None:
    player = UctPlayer()
    game = Nim(3)
    player.start(Start("match", game, "left", 1), Deadline.after(1.0))
    state = game.initial_state()
    turn = Turn(1, state, game.legal_moves(state, "left"), deadline=Deadline.after(0.3))
    played: list[str] = []
    thread = threading.Thread(target=lambda: played.append(str(player.move(turn))), daemon=True)
    thread.start()
    thread.join(30)
    assert played == ["(take 3)"]


def test_without_time_it_plays_at_random() -> None:
    played = moves_of("uct", Nim(), "left", deadline=Deadline.after(-1.0))
    assert set(played) == {"(take 1)", "(take 2)", "(take 3)"}


def test_it_cannot_move_before_it_started() -> None:
    with pytest.raises(RuntimeError, match="before start"):
        UctPlayer().move(Turn(1, facts(), ()))
