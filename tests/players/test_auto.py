"""The player that picks another: by the kind of the game."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from unittest.mock import patch

import pytest

import gdl
import ggp.players.policies
from gdl.compile_errors import CompileError
from gdl.engine import Engine
from gdl.terms import Term
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import Start, make_player
from ggp.players.alphabeta import AlphaBetaPlayer
from ggp.players.auto import AutoPlayer
from ggp.players.clock import NEVER
from ggp.players.ismcts import IsmctsPlayer
from ggp.players.mcts import MctsPlayer
from ggp.players.planner import PlannerPlayer
from ggp.rules.shipped_games import find_game

ALONE = """
(role robot) (init (at 0)) (succ 0 1) (succ 1 2)
(<= (legal robot step) (true (at ?n)) (succ ?n ?m)) (legal robot wait)
(<= (next (at ?m)) (does robot step) (true (at ?n)) (succ ?n ?m))
(<= (next (at ?n)) (does robot wait) (true (at ?n)))
(<= terminal (true (at 2))) (<= (goal robot 100) (true (at 2))) (<= (goal robot 0) (not (true (at 2))))
"""

TOGETHER = """
(role left) (role right) (init start)
(<= (legal ?r up) (role ?r)) (<= (legal ?r down) (role ?r))
(<= (next over) (true start))
(<= (next same) (does left ?m) (does right ?m))
(<= terminal (true over))
(<= (goal left 100) (true same)) (<= (goal left 0) (not (true same)))
(<= (goal right 0) (true same)) (<= (goal right 100) (not (true same)))
"""

THREE = TOGETHER + "(role third) (goal third 0)"

CHANCE = TOGETHER + "(role random) (goal random 0)"

HIDDEN = TOGETHER + "(<= (sees ?r ?m) (role ?r) (does left ?m))"


def chosen(rules: str) -> str:
    """The name of the player that is picked for the first role, and told of the start."""
    game = gdl.Reasoner(rules)
    player = AutoPlayer()
    start = Start("match", game, game.roles[0], seed=1, rules=rules, hidden="sees" in rules)
    with ExitStack() as stack:
        # The choice is what matters here: no player needs to get ready.
        kinds = (MctsPlayer, PlannerPlayer, AlphaBetaPlayer, IsmctsPlayer)
        starts = [stack.enter_context(patch.object(kind, "start")) for kind in kinds]
        # The machine may be busy.
        stack.enter_context(patch.object(ggp.players.policies, "_LONGEST", 60.0))
        player.start(start, NEVER)
    assert [call.args for told in starts for call in told.call_args_list] == [(start, NEVER)]
    assert player.chosen is not None
    return player.chosen.name


@pytest.mark.parametrize(
    ("rules", "name"),
    [(ALONE, "planner"), (TOGETHER, "ismcts"), (THREE, "mcts"), (CHANCE, "mcts"), (HIDDEN, "ismcts")],
    ids=["alone", "together", "three", "chance", "hidden"],
)
def test_what_is_picked(rules: str, name: str) -> None:
    assert chosen(rules) == name


@pytest.mark.parametrize(
    ("name", "player"),
    [
        ("rock_paper_scissors", "ismcts"),
        ("harvest", "mcts"),
        pytest.param("matching_pennies", "ismcts", marks=pytest.mark.slow),
        pytest.param("goofspiel_4", "ismcts", marks=pytest.mark.slow),
    ],
)
def test_small_games_of_moves_at_once_are_for_ismcts(name: str, player: str) -> None:
    assert chosen(find_game(name).read_text(encoding="utf-8")) == player


def test_games_of_moves_at_once_without_constant_sum_are_for_mcts() -> None:
    assert chosen(TOGETHER.replace("(goal right 100)", "(goal right 80)")) == "mcts"


@pytest.mark.slow
def test_moves_at_once_are_drawn() -> None:
    game = gdl.compile(find_game("rock_paper_scissors"))
    drawn: Counter[Term | str] = Counter()
    for seed in range(40):
        record = play_match(game, {role: AutoPlayer(simulations=300) for role in game.roles}, Settings(seed=seed))
        drawn.update(record.plies[0].moves)
    # With the uniform strategy, chi-squared with two degrees of freedom is above 18.4 once in 10,000 times.
    assert len(drawn) == 3
    assert sum((count - 80 / 3) ** 2 / (80 / 3) for count in drawn.values()) < 18.4


@pytest.mark.slow
def test_long_games_of_two_that_take_turns_are_for_alphabeta() -> None:
    assert chosen(find_game("wolf_sheep_diagonal").read_text(encoding="utf-8")) == "alphabeta"


def test_short_ones_are_for_mcts() -> None:
    assert chosen(find_game("tic_tac_toe").read_text(encoding="utf-8")) == "mcts"


def test_games_without_code_for_alphabeta_are_for_mcts(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(simulator: gdl.Simulator) -> None:
        raise CompileError(simulator.rulesheet.source.name, "generating code", "seconds")

    # Code is made in another process, which knows nothing of limits that are set here.
    monkeypatch.setattr(gdl.Simulator, "kernels", property(too_large))
    monkeypatch.setenv("GDL_CACHE", "")
    # Another text, as compiled games are remembered.
    assert chosen(find_game("wolf_sheep_diagonal").read_text(encoding="utf-8") + "; large") == "mcts"


@pytest.mark.parametrize("rules", [ALONE, TOGETHER, CHANCE], ids=["alone", "together", "chance"])
def test_it_plays(rules: str) -> None:
    game: Engine = gdl.Reasoner(rules)
    roles = [role for role in game.roles if role != "random"]
    record = play_match(game, {role: make_player("auto") for role in roles}, Settings(seed=1))
    assert not any(any(ply.errors) for ply in record.plies)
    assert record.goals is not None
    if rules == ALONE:
        assert (record.goals, len(record.plies)) == ((100,), 2)


def test_it_cannot_move_before_it_started() -> None:
    with pytest.raises(RuntimeError, match="before start"):
        AutoPlayer().move(None)  # type: ignore[arg-type]
