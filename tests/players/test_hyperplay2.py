"""Nested playouts: information is worth what a role can do with it."""

from __future__ import annotations

import pytest
from support.hidden_games import BOMB

import gdl
from ggp.belief import Belief
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import make_player
from ggp.players.clock import NEVER
from ggp.players.hyperplay2 import Hyperplay2Player
from ggp.players.hyperplay2.nested import NestedPlayouts
from ggp.players.player import End, Start, Turn
from ggp.rules.shipped_games import find_game


def goals_of(player: str, matches: int) -> list[int]:
    """The agent's goals in matches in which it may ask how to defuse a bomb."""
    game = gdl.compile(BOMB)
    records = [play_match(game, {"agent": make_player(player)}, Settings(seed=seed)) for seed in range(matches)]
    assert not any(any(ply.errors) for record in records for ply in record.plies)
    return [record.goals[0] or 0 for record in records]


def test_who_values_information_asks() -> None:
    assert goals_of("hyperplay2(playouts=256)", 5) == [90] * 5
    assert goals_of("ismcts(simulations=1000)", 3) == [90] * 3


def test_pimc_believes_that_it_will_know() -> None:
    assert set(goals_of("pimc(simulations=500, states=8)", 8)) == {0, 100}


def test_values_of_moves() -> None:
    game = gdl.compile(BOMB)
    belief = Belief(game, "agent", seed=1)
    belief.update("wait", over=False)
    values = NestedPlayouts(game, "agent", 1).values(belief.sample(512), game.legal_moves(belief.states(1)[0], "agent"))
    assert values == pytest.approx([0.9, 0.5], abs=0.08)  # to ask, and to wait
    nested = NestedPlayouts(gdl.Simulator.load(find_game("monty_hall")), "candidate", 1)
    moves = tuple(gdl.parse_term(f"(choose {door})") for door in (1, 2, 3))
    assert nested.values(nested.initial(600), moves) == pytest.approx([2 / 3] * 3, abs=0.08)


def test_whole_matches_and_thoughts() -> None:
    game = gdl.Simulator.load(find_game("kuhn_poker"))
    players = {role: Hyperplay2Player(playouts=64) for role in ("alice", "bob")}
    record = play_match(game, players, Settings(seed=1))
    assert record.result == "finished"
    assert not any(any(ply.errors) for ply in record.plies)
    player = Hyperplay2Player(playouts=64)
    player.start(Start("match", game, "alice", seed=1, hidden=True), NEVER)
    noop, check, bet = (gdl.parse_term(text) for text in ("noop", "check", "bet"))
    assert player.move(Turn(1, None, (noop,))) == noop
    assert player.move(Turn(2, None, (bet, check), own_move=noop, percepts=(gdl.parse_term("king"),))) in (bet, check)
    thought = player.thought()
    assert thought is not None
    assert [option.visits for option in thought.options] == [64, 64]
    player.stop(End("finished"))


def test_it_cannot_move_before_it_started() -> None:
    with pytest.raises(RuntimeError, match="before start"):
        Hyperplay2Player().move(Turn(1, None, ()))
