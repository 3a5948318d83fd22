"""All players: they play any game, and are made by their names."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support.asked import moves_of
from support.toy_games import Nim
from support.toy_rules import COIN

import gdl
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import PLAYERS, PlayerLoadError, UnknownPlayerError, make_player


def test_legal_plays_the_first_move() -> None:
    assert moves_of("legal", Nim(), "left") == {"(take 1)": 30}


def test_random_plays_each_move_and_follows_its_seed() -> None:
    played = moves_of("random", Nim(), "left", seeds=300)
    assert set(played) == {"(take 1)", "(take 2)", "(take 3)"}
    assert min(played.values()) > 60  # a hundred each is expected; so few have a probability below 1e-6
    assert played == moves_of("random", Nim(), "left", seeds=300)


#: Players of every game: OpenSpiel's plays those that it has, `learned` and `onnx` those that they have a file for.
GENERAL = [name for name in PLAYERS if name not in {"openspiel", "learned", "onnx"}]


@pytest.mark.parametrize("name", GENERAL)
def test_every_player_plays_a_match_without_errors(name: str) -> None:
    record = play_match(Nim(30), {role: make_player(name) for role in ("left", "right")}, Settings(seed=3))
    assert record.completed
    assert all(ply.errors == ("", "") for ply in record.plies)
    assert record.players == (name, name)


@pytest.mark.parametrize("name", GENERAL)
def test_every_player_plays_without_seeing_the_state(name: str) -> None:
    game = gdl.Reasoner(COIN)
    record = play_match(game, {role: make_player(name) for role in ("guesser", "other")}, Settings(seed=3))
    assert record.completed
    assert not any(any(ply.errors) for ply in record.plies)


class TestByName:
    def test_unknown_names_have_near_misses(self) -> None:
        with pytest.raises(UnknownPlayerError) as caught:
            make_player("Gredy")
        assert caught.value.code == "unknown-player"
        assert str(caught.value).startswith(
            "unknown-player: no player Gredy; the players are auto, mcts, alphabeta, planner"
        )
        assert str(caught.value).endswith("did you mean greedy?")

    def test_options_in_brackets(self) -> None:
        assert make_player("mcts(simulations=100, exploration=0.7)").name == "mcts"
        assert make_player("random()").name == "random"

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("mcts(depth=3)", "mcts: no option depth; the options are simulations, ponder, threads, exploration, "),
            ("mcts(sims=4)", "; did you mean simulations?"),
            ("openspiel(uct=2)", "openspiel: no option uct; the options are uct_c, simulations; did you mean uct_c?"),
            ("random(luck=1)", "random: no option luck; there are none"),
            ("planner(x=1)", "planner: no option x; the options are FILE"),
            ("learned(nodes=1)", "name a file"),
            ("mcts(leaves)", "'leaves' is not OPTION=VALUE"),
            ("mcts(leaves=many)", "leaves is many, but must be a whole number from 1 to 65,536"),
            ("mcts(simulations=1e12)", "simulations is 1e12, but must be a whole number from 1 to 1,000,000,000"),
            ("mcts(memory=1e12)", "memory is 1e12, but must be a whole number from 1 to 68,719,476,736"),
            ("mcts(exploration=nan)", "exploration is nan, but must be a number from 0 to 100"),
            ("mcts(keep=2)", "keep is 2, but must be 0 or 1"),
            ("alphabeta(nodes=-1)", "nodes is -1, but must be a whole number from 1 to "),
            ("auto(level=2.5)", "level is 2.5, but must be a whole number from 1 to 8"),
            ("ismcts(explored=0)", "explored is 0, but must be a number from 0.0001 to 1"),
        ],
    )
    def test_options_that_a_player_does_not_take(self, name: str, reason: str) -> None:
        with pytest.raises(PlayerLoadError) as caught:
            make_player(name)
        assert reason in str(caught.value)

    @pytest.mark.parametrize("name", ["", ":", "x:", ":X", "nobody"])
    def test_other_unknown_names(self, name: str) -> None:
        with pytest.raises(UnknownPlayerError):
            make_player(name)

    def test_a_class_in_a_file(self, tmp_path: Path) -> None:
        file = tmp_path / "mine.py"
        file.write_text(
            "from dataclasses import dataclass\n"
            "@dataclass\n"
            "class Last:\n"
            "    name: str = 'last'\n"
            "    def start(self, start, deadline): pass\n"
            "    def move(self, turn): return turn.legal[-1]\n"
            "    def stop(self, end): pass\n"
        )
        player = make_player(f"{file}:Last")
        assert player.name == "last"
        record = play_match(Nim(), {"left": player, "right": make_player("legal")}, Settings(seed=1))
        assert record.plies[0].moves == ("(take 3)", "noop")

    def test_a_class_in_a_module(self) -> None:
        assert make_player("ggp.players.simple:LegalPlayer").name == "legal"

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
            ("def", "SyntaxError: "),
            ("raise SystemExit(3)", "SystemExit: 3"),
            ("", "AttributeError: module 'ggp_player_mine' has no attribute 'Mine'"),
            ("class Mine:\n    def __init__(self, x): pass", "TypeError: "),
            ("class Mine:\n    name = property(lambda self: 1 / 0)", "ZeroDivisionError: division by zero"),
            ("class Mine:\n    name = 'x'\n    def move(self, turn): pass", "not a player: it has no start, stop"),
        ],
    )
    def test_code_that_cannot_be_loaded(self, tmp_path: Path, text: str, reason: str) -> None:
        file = tmp_path / "mine.py"
        file.write_text(text)
        with pytest.raises(PlayerLoadError) as caught:
            make_player(f"{file}:Mine")
        assert str(caught.value).startswith(f"player-load: {file}:Mine: {reason}")

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(PlayerLoadError, match="FileNotFoundError"):
            make_player(f"{tmp_path}/none.py:Mine")


def test_random_players_do_not_touch_the_global_generator() -> None:
    random.seed(1)
    before = random.getstate()
    play_match(Nim(30), {role: make_player("greedy") for role in ("left", "right")}, Settings(seed=3))
    assert random.getstate() == before
