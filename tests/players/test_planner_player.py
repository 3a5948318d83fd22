"""The player `planner`: it plays what it has planned, is in time without a plan, and stops when the match ends."""

from __future__ import annotations

import threading
import time

import pytest
from support.puzzles import COLOURS, DEAD, LATE, TOKENS, WALK
from support.toy_games import Nim, OneRound

import gdl
from gdl.engine import Engine
from ggp.match.match import Match
from ggp.match.settings import Settings
from ggp.players.clock import NEVER, Deadline
from ggp.players.planner import PlannerPlayer
from ggp.players.player import End, Player, Start, Turn


def goal_of(game: Engine, player: Player, **clocks: float) -> tuple[int | None, list[str]]:
    with Match(game, {game.roles[0]: player}, Settings(seed=1, max_plies=50, **clocks)) as match:
        for _ in match.plies():
            pass
    assert not any(any(ply.errors) for ply in match.record.plies)
    return match.record.goals[0], [ply.moves[0] for ply in match.record.plies]


@pytest.mark.parametrize(("text", "goal"), [(TOKENS, 100), (WALK, 100), (LATE, 70), (DEAD, 50), (COLOURS, 100)])
def test_it_reaches_the_highest_goal(text: str, goal: int) -> None:
    assert goal_of(gdl.compile(text), PlannerPlayer())[0] == goal


def test_a_game_that_is_given_as_rules_is_compiled() -> None:
    assert goal_of(gdl.Reasoner(TOKENS), PlannerPlayer(), start_clock=20, play_clock=5)[0] == 100


def test_a_game_without_rules_is_planned_state_by_state() -> None:
    game = OneRound(("one",), {("a",): [30], ("b",): [100], ("c",): [0]})
    assert goal_of(game, PlannerPlayer()) == (100, ["b"])


def test_without_any_time_it_plays_legal_moves() -> None:
    player = PlannerPlayer()
    game = gdl.compile(WALK)
    player.start(Start("m", game, "r", 1), Deadline.after(-1))
    state = game.initial_state()
    begun = time.monotonic()
    legal = game.legal_moves(state, "r")
    assert player.move(Turn(1, state, legal, deadline=Deadline.after(0.001))) in legal
    assert time.monotonic() - begun < 5
    player.stop(End("aborted"))


def test_it_plans_anew_where_another_move_was_made() -> None:
    player = PlannerPlayer()
    game = gdl.compile(WALK)
    player.start(Start("m", game, "r", 1), NEVER)
    state = game.initial_state()
    assert player.move(Turn(1, state, game.legal_moves(state, "r"))) == gdl.parse_term("right")
    # From 2, the far end is four plies away, as many as are left.
    moves = (gdl.parse_term("left"),)
    state = game.next_state(state, moves)
    for ply in range(2, 6):
        assert not game.is_terminal(state)
        moves = (player.move(Turn(ply, state, game.legal_moves(state, "r"), moves)),)
        state = game.next_state(state, moves)
    assert game.goal(state, "r") == 100
    player.stop(End("finished"))


def test_in_games_of_several_roles_it_plays_legal_moves() -> None:
    with Match(Nim(5), {"left": PlannerPlayer(), "right": PlannerPlayer()}, Settings(seed=1)) as match:
        for _ in match.plies():
            pass
    assert not any(any(ply.errors) for ply in match.record.plies)


def test_a_move_needs_a_start() -> None:
    with pytest.raises(RuntimeError, match="before start"):
        PlannerPlayer().move(Turn(1, None, (gdl.parse_term("a"),)))


def test_stop_ends_the_search() -> None:
    """A game that cannot be searched through: the search goes on until it is told to stop."""
    names = " ".join(f"(switch s{number})" for number in range(40))
    text = f"""
    (role r) {names} (<= (legal r (flip ?s)) (switch ?s)) (init (last s0))
    (<= (next (on ?s)) (does r (flip ?s)) (not (true (on ?s))))
    (<= (next (on ?s)) (true (on ?s)) (does r (flip ?t)) (distinct ?s ?t)) (<= (next (last ?s)) (does r (flip ?s)))
    (<= terminal (true (on s1)) (not (true (on s1))))
    (goal r 0)
    """
    player = PlannerPlayer()
    player.start(Start("m", gdl.compile(text), "r", 1), Deadline.after(1))
    player.stop(End("aborted"))
    for thread in threading.enumerate():
        if thread.name == "planner":
            thread.join(20)
            assert not thread.is_alive()
