"""Levels of strength."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from support.toy_rules import COIN

import gdl
from ggp import Settings, make_player
from ggp.match.match import play_match
from ggp.match.record import MatchRecord
from ggp.players import PlayerLoadError
from ggp.players.auto import AutoPlayer
from ggp.players.levels import HIGHEST, LEVELS, LevelPlayer, _choice
from ggp.rules.shipped_games import find_game


def played(game: gdl.Simulator, players: list[str], seed: int) -> MatchRecord:
    roles = [role for role in game.roles if role != "random"]
    made = {role: make_player(name) for role, name in zip(roles, players, strict=True)}
    return play_match(game, made, Settings(seed=seed))


def score(name: str, one: str, other: str, matches: int) -> float:
    """The points of one player against another, with both seats."""
    game, points = gdl.Simulator.load(find_game(name)), 0.0
    for seed in range(matches):
        swapped = seed % 2 == 1
        goals = played(game, [other, one] if swapped else [one, other], seed).goals
        own, others = goals[::-1] if swapped else goals
        assert own is not None
        assert others is not None
        points += 1.0 if own > others else 0.5 if own == others else 0.0
    return points / matches


def level(number: int) -> str:
    return f"auto(level={number})"


@pytest.mark.slow
def test_levels_become_stronger() -> None:
    assert all(one.simulations < two.simulations for one, two in itertools.pairwise(LEVELS))
    assert all(one.temperature > two.temperature for one, two in itertools.pairwise(LEVELS))
    assert score("connect_four", level(4), level(1), 12) >= 0.75


@pytest.mark.slow
def test_a_beginner_is_no_die() -> None:
    assert score("connect_four", level(1), "random", 40) >= 0.7


@pytest.mark.parametrize(
    "name",
    [pytest.param("connect_four", marks=pytest.mark.slow), pytest.param("breakthrough", marks=pytest.mark.exhaustive)],
)
def test_every_second_level_is_stronger(name: str) -> None:
    assert score(name, level(7), level(5), 20) >= 0.6


@pytest.mark.slow
def test_the_same_seed_gives_the_same_match() -> None:
    game = gdl.Simulator.load(find_game("connect_four"))
    one, two = (played(game, [level(2), level(3)], 5) for _ in range(2))
    assert one.moves == two.moves
    assert one.moves != played(game, [level(2), level(3)], 6).moves


@pytest.mark.slow
def test_games_with_chance_and_of_one_role() -> None:
    assert played(gdl.compile(COIN), [level(2), level(1)], 1).result == "finished"
    assert played(gdl.Simulator.load(find_game("sliding_pieces")), [level(1)], 1).moves


def test_a_level_excludes_simulations() -> None:
    with pytest.raises(PlayerLoadError, match="its own number of simulations"):
        make_player("auto(level=3,simulations=10)")


def test_the_highest_levels_play_as_auto_does() -> None:
    assert not AutoPlayer(level=HIGHEST).limited
    assert AutoPlayer(level=HIGHEST - 1).limited
    game = gdl.Simulator.load(find_game("tic_tac_toe"))
    player = AutoPlayer(level=1)
    play_match(game, {"xplayer": player, "oplayer": make_player("legal")}, Settings(seed=1, max_plies=1))
    assert AutoPlayer(level=1).limited


def test_a_level_thinks_aloud_only_about_its_own_search() -> None:
    assert LevelPlayer(1).thought() is None


def test_small_mistakes_are_more_frequent_than_large_ones() -> None:
    random = Random(1)
    goals = {gdl.parse_term(move): goal for move, goal in {"m60": 60.0, "m50": 50.0, "m10": 10.0, "m0": None}.items()}
    chosen = [_choice(goals, 10.0, random).text for _ in range(2000)]
    counts = [chosen.count(name) for name in ("m60", "m50", "m10")]
    assert counts[0] > counts[1] > 10 * counts[2]
    assert counts[0] == pytest.approx(counts[1] * 2.718, rel=0.2)
    # A move that was not tried counts as the worst.
    assert chosen.count("m0") == pytest.approx(counts[2], abs=15)


@pytest.mark.slow
def test_levels_play_with_what_they_know_where_states_are_hidden() -> None:
    assert score("kriegspiel_tic_tac_toe", level(3), "random", 20) >= 0.65
    assert score("phantom_connect_four", level(1), "random", 12) >= 0.7
    assert score("phantom_connect_four", level(5), level(1), 12) >= 0.6
