"""The learned values that come with games: they fit, are small, and are what `auto` plays with."""

from __future__ import annotations

from pathlib import Path

import pytest

import gdl
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import make_player
from ggp.players.learned_values.value import SUFFIX, read_value
from ggp.players.player import Player
from ggp.rules.shipped_games import shipped_games

FILES = [game.path.with_suffix(SUFFIX) for game in shipped_games() if game.path.with_suffix(SUFFIX).exists()]


def test_there_are_some() -> None:
    assert len(FILES) >= 3


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_they_fit_and_are_small(path: Path) -> None:
    assert path.stat().st_size < 300_000
    game = gdl.compile(path.with_suffix(".kif"))
    value = read_value(path)
    assert value.network(game, path.name).facts == len(game.all_facts)
    assert value.made["rounds"] > 10


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            path, id=path.stem, marks=pytest.mark.slow if path.stem == "breakthrough" else pytest.mark.exhaustive
        )
        for path in FILES
    ],
)
def test_they_beat_values_that_were_learned_in_twelve_lessons(path: Path) -> None:
    """Four matches in each role, at equal numbers of nodes. So few nodes are enough to tell."""
    game = gdl.compile(path.with_suffix(".kif"))
    points = 0.0
    for number in range(8):
        players: list[Player] = [make_player("auto(simulations=500)"), make_player("alphabeta(nodes=500)")]
        own = number % 2
        players = players[::-1] if own else players
        record = play_match(game, dict(zip(game.roles, players, strict=True)), Settings(seed=number, max_plies=300))
        assert players[own].note == f"plays with {path.name}"  # type: ignore[attr-defined]
        goals = record.goals or (50, 50)
        points += (goals[own] or 0) / 100
    assert points >= 5
