"""Programs get clocks of their own in matches without clocks."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import Ggp

from ggp.cli.human import HumanPlayer
from ggp.cli.lineup import with_limit
from ggp.cli.playing import paced
from ggp.cli.terminal import Terminal
from ggp.match.settings import Settings
from ggp.players import make_player
from ggp.players.player import Player
from ggp.players.prompt import Prompt


def is_paced(player: Player, settings: Settings) -> bool:
    made = paced({"left": player}, settings, 1.0)["left"]
    assert made is player or (isinstance(made, Prompt) and made.player is player)
    return made is not player


@pytest.mark.parametrize("name", ["auto", "mcts", "alphabeta", "uct", "planner", "greedy"])
def test_programs_have_a_pace_where_no_clock_runs(name: str) -> None:
    assert is_paced(make_player(name), Settings(1))
    assert not is_paced(make_player(name), Settings(1, play_clock=5.0))


@pytest.mark.parametrize(
    "name", ["auto(simulations=9)", "mcts(simulations=9)", "alphabeta(nodes=9)", "uct(simulations=9)"]
)
def test_programs_that_limit_their_work_have_none(name: str) -> None:
    assert not is_paced(make_player(name), Settings(1))


def test_the_pace_depends_on_whether_a_person_plays() -> None:
    def pace(*players: Player) -> float:
        made = paced(dict(zip(("left", "right"), players, strict=True)), Settings(1))["right"]
        assert isinstance(made, Prompt)
        return made.thinking

    assert pace(make_player("greedy"), make_player("mcts")) == 0.5
    assert pace(HumanPlayer(Terminal()), make_player("mcts")) == 1.0


@pytest.mark.parametrize(("name", "ready"), [("planner", 20.0), ("auto", 20.0), ("mcts", 1.0), ("greedy", 1.0)])
def test_only_those_that_plan_a_puzzle_take_long_to_get_ready(name: str, ready: float) -> None:
    made = [paced(dict.fromkeys(roles, make_player(name)), Settings(1))["one"] for roles in (["one"], ["one", "two"])]
    assert [isinstance(player, Prompt) and player.ready for player in made] == [ready, 1.0]


def test_people_have_none() -> None:
    assert not is_paced(HumanPlayer(Terminal()), Settings(1))


def test_a_limit_is_given_to_players_without_options() -> None:
    names = ["auto", "mcts", "mcts(keep=0)", "alphabeta", "greedy", "FILE.py:Mine"]
    made: list[str] = []

    def make(name: str) -> Player:
        made.append(name)
        return make_player("random")

    for name in names:
        with_limit(make, 7)(name)
    assert made == ["auto(simulations=7)", "mcts(simulations=7)", "mcts(keep=0)", "alphabeta(nodes=7)", *names[4:]]


def test_a_match_with_simulations_is_repeated_by_its_seed(ggp: Ggp, nim: Path) -> None:
    arguments = ("play", nim, "--player", "uct", "--simulations", "5", "--seed", "8")
    first = ggp(*arguments)
    assert first.status == 0
    assert ggp(*arguments) == first
