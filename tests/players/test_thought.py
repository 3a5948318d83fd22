"""Reports of programs on their thinking, for whoever watches."""

from __future__ import annotations

from support.toy_files import ROOT

import gdl
from ggp.match.match import Match
from ggp.match.settings import Settings
from ggp.players import make_player
from ggp.players.thought import Thought
from ggp.players.traits import thought_of

GAMES = ROOT / "games"


def thought(player: str) -> Thought | None:
    """The thoughts of a player before its first move as the second player of tic-tac-toe."""
    game = gdl.compile(GAMES / "classics" / "tic_tac_toe.kif")
    players = {"xplayer": make_player("legal"), "oplayer": make_player(player)}
    with Match(game, players, Settings(seed=1, max_plies=2)) as match:
        for _ in match.plies():
            found = thought_of(players["oplayer"])
        move = match.record.plies[-1].moves[1]
    if found is not None:
        assert found.line[0] == move
    return found


def test_mcts_tells_its_expectation_its_line_and_its_moves() -> None:
    found = thought("mcts(simulations=2000)")
    assert found is not None
    assert found.expected is not None
    assert 0 <= found.expected <= 100
    assert found.unit == "simulations"
    assert len(found.line) > 1
    assert len(found.options) > 1


def test_alphabeta_tells_its_value() -> None:
    found = thought("alphabeta(nodes=2000)")
    assert found is not None
    assert found.expected is not None
    assert found.work > 0
    assert found.depth > 0


def test_auto_tells_what_the_player_tells_that_it_chose() -> None:
    assert thought("auto") is not None


def test_others_tell_nothing() -> None:
    assert thought("legal") is None
