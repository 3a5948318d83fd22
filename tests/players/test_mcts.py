"""Monte Carlo tree search: what it plays, and what it does when time is short or an engine fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.mcts import (
    CHANCE,
    CONNECT_FOUR,
    TIC_TAC_TOE,
    TOGETHER,
    TWICE,
    best,
    check_claims,
    check_tree,
    compiled,
    nodes_of,
    search,
    truth,
)
from support.toy_games import Endless, Nim
from support.toy_rules import COIN

import gdl
from gdl.terms import Term
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import make_player
from ggp.players.mcts import MctsPlayer
from ggp.players.mcts.search import Search
from ggp.players.mcts.tree import (
    JOINTS,
)
from ggp.players.mcts.world import EngineWorld, OutOfTimeError

# The same again


def table(found: Search) -> list[Any]:
    return [found.statistics(role) for role in range(len(found.world.roles))]


@pytest.mark.parametrize("rules", [CONNECT_FOUR, TOGETHER, CHANCE], ids=["connect four", "together", "chance"])
def test_the_seed_decides(rules: str | Path) -> None:
    both = [search(compiled(rules), seed=7) for _ in range(2)]
    for found in both:
        found.run(simulations=5_000)
    assert table(both[0]) == table(both[1])
    assert both[0].simulations == both[1].simulations >= 5_000
    other = search(compiled(rules), seed=8)
    other.run(simulations=5_000)
    assert table(other) != table(both[0])


# What goes wrong


def no_request_waits(found: Search) -> bool:
    tree = found.tree
    roles = range(tree.limits.shape[1])
    children = [edge.child for node in nodes_of(tree) for role in roles for edge in node.edges(role)]
    return min(children) >= -1 and bool((tree.joints["child"][: tree.counts[JOINTS]] >= -1).all())


@pytest.mark.parametrize("rules", [TIC_TAC_TOE, TOGETHER], ids=["turns", "together"])
@pytest.mark.parametrize("leaves", [1, 64])
def test_a_search_that_runs_out_of_time_goes_on_later(
    rules: str | Path, leaves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = compiled(rules)
    found = search(game, lanes=False, leaves=leaves, leaves_share=0.5)
    world, calls = found.world, 0
    step = EngineWorld._next

    def late(self: EngineWorld, state: Any, moves: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls % 17 == 0:
            raise OutOfTimeError
        return step(self, state, moves)

    monkeypatch.setattr(EngineWorld, "_next", late)
    for _ in range(60):
        found.run(simulations=50)
        assert no_request_waits(found)
    monkeypatch.undo()
    assert world is found.world
    found.run(simulations=300)
    check_tree(found.tree)
    if rules == TIC_TAC_TOE:
        check_claims(found, truth(TIC_TAC_TOE), 5)


def test_an_engine_that_fails_leaves_the_tree_usable() -> None:
    game = Endless(("counter",), "endless derivation", 6)
    found = search(game, lookahead=False)
    for _ in range(5):
        with pytest.raises(gdl.DerivationLimitError):
            found.run(simulations=500)
        assert no_request_waits(found)


# The player


def test_before_any_simulation_a_lost_move_is_not_preferred() -> None:
    """A move that is not known may be better than one that loses for sure."""
    rules = """
    (role a) (role b) (init (at 0)) (legal a lose) (legal a wait) (legal b noop)
    (<= (next lost) (does a lose)) (<= (next (at 1)) (does a wait) (true (at 0))) (<= (next (at 2)) (true (at 1)))
    (<= terminal (true lost)) (<= terminal (true (at 2)))
    (<= (goal a 0) (true lost)) (<= (goal a 100) (not (true lost))) (<= (goal b 50) (role b))"""
    found = search(compiled(rules), expand=False)
    assert [move.visits for move in found.statistics(0)] == [0, 0]
    assert best(found) == "wait"


@pytest.mark.parametrize("engine", ["reasoner", "simulator"])
def test_matches(engine: str) -> None:
    game = gdl.Reasoner.load(TIC_TAC_TOE) if engine == "reasoner" else compiled(TIC_TAC_TOE)
    players = {"xplayer": MctsPlayer(simulations=2_000), "oplayer": MctsPlayer(simulations=2_000)}
    record = play_match(game, players, Settings(seed=1))
    assert record.goals == (50, 50)
    assert not any(error for ply in record.plies for error in ply.errors)


def test_without_a_clock_the_seed_decides() -> None:
    game = compiled(CONNECT_FOUR)

    def moves(seed: int) -> list[Any]:
        players = {"red": MctsPlayer(simulations=300), "yellow": MctsPlayer(simulations=300)}
        return [ply.moves for ply in play_match(game, players, Settings(seed=seed, max_plies=12)).plies]

    first = moves(1)
    assert moves(1) == first
    assert any(moves(seed) != first for seed in (2, 3))


@pytest.mark.slow
def test_with_a_clock() -> None:
    players = {"xplayer": MctsPlayer(), "oplayer": make_player("random")}
    settings = Settings(seed=1, start_clock=5.0, play_clock=1.0)
    record = play_match(compiled(TIC_TAC_TOE), players, settings)
    assert not any(error for ply in record.plies for error in ply.errors)
    assert record.goals is not None
    assert record.goals[0] in (50, 100)


def test_hidden_states() -> None:
    players = {"guesser": MctsPlayer(), "other": MctsPlayer()}
    record = play_match(gdl.Reasoner(COIN), players, Settings(seed=1))
    assert not any(error for ply in record.plies for error in ply.errors)
    assert len(record.plies) == 2


def test_a_game_that_cannot_be_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise gdl.CompileError("the game", "grounding", "seconds")

    monkeypatch.setattr(gdl, "compile", refused)
    seen: list[str] = []

    class Watched(MctsPlayer):
        def move(self, turn: Any) -> Term:
            move = super().move(turn)
            seen.append(self.reason)
            assert self.search is not None
            return move

    def moves() -> list[Any]:
        # Rules of its own, as what was compiled is remembered by its text.
        game = gdl.Reasoner(TWICE + "; not compiled")
        players = {"left": Watched(simulations=150), "right": Watched(simulations=150)}
        record = play_match(game, players, Settings(seed=3))
        assert not any(error for ply in record.plies for error in ply.errors)
        return [ply.moves for ply in record.plies]

    first = moves()
    assert moves() == first
    assert all("not-compiled" in reason for reason in seen)


def test_a_game_without_rules() -> None:
    players = {"left": MctsPlayer(simulations=300), "right": MctsPlayer(simulations=300)}
    record = play_match(Nim(10), players, Settings(seed=1))
    # The role that moves first wins from a heap of ten.
    assert record.goals == (100, 0)
    assert not any(error for ply in record.plies for error in ply.errors)


def test_a_player_is_asked_before_its_start() -> None:
    with pytest.raises(RuntimeError, match="before start"):
        MctsPlayer().move(None)  # type: ignore[arg-type]
    assert MctsPlayer().search is None
