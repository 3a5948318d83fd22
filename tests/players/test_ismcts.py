"""Search over information sets: what it plays with what it knows."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from support.hidden_games import BOMB, PENNIES
from support.toy_games import Nim

import gdl
from ggp.belief import Belief
from ggp.match.match import Match, play_match
from ggp.match.settings import Settings
from ggp.players import make_player
from ggp.players.clock import NEVER, Deadline
from ggp.players.ismcts import IsmctsPlayer
from ggp.players.ismcts.search import Search
from ggp.players.player import End, Start, Turn
from ggp.rules.shipped_games import find_game


@cache
def compiled(name: str) -> gdl.Simulator:
    return gdl.Simulator.load(find_game(name))


def searched(game: gdl.Simulator, role: str, simulations: int, **options: Any) -> Search:
    search = Search(game, role, 1, **({"exploration": 0.7, "explored": 0.2, "matching": False} | options))
    search.run(search.worlds.initial, simulations=simulations)
    return search


def policy(search: Search, belief: Belief | None = None) -> dict[str, float]:
    """The probabilities of the moves after a search, at the start or with what is known."""
    samples = search.worlds.initial(1) if belief is None else belief.sample(1)
    return {choice.move.text: choice.probability for choice in search.choices(samples)}


def test_moves_at_once_are_mixed() -> None:
    found = policy(searched(compiled("rock_paper_scissors"), "left", 10_000))
    assert found == {move: pytest.approx(1 / 3, abs=0.06) for move in ("rock", "paper", "scissors")}


def test_a_mixture_that_is_not_uniform() -> None:
    found = policy(searched(gdl.compile(PENNIES), "odd", 15_000))
    assert found["heads"] == pytest.approx(1 / 3, abs=0.08)


def test_kuhn_poker() -> None:
    game = compiled("kuhn_poker")
    for matching in (False, True):
        search = searched(game, "alice", 5_000, matching=matching)
        for card, move in (("jack", "fold"), ("king", "call")):
            belief = Belief(game, "alice", seed=1)
            belief.update("noop", [card], over=False)
            belief.update("check", over=False)
            belief.update("noop", ["(did bob bet)"], over=False)
            search.run(belief.sample, simulations=2_000)
            assert policy(search, belief)[move] > 0.9, (card, matching)


def test_finding_out_is_worth_its_price() -> None:
    game = gdl.compile(BOMB)
    search = searched(game, "agent", 3_000)
    belief = Belief(game, "agent", seed=1)
    belief.update("wait", over=False)
    assert policy(search, belief)["ask"] == 1
    belief.update("ask", ["(told blue)"], over=False)
    assert policy(search, belief)["(cut blue)"] == 1
    assert belief.shares()[gdl.parse_term("(armed blue)")] == 1


@pytest.mark.parametrize("player", ["ismcts", "pimc"])
def test_the_candidate_switches(player: str) -> None:
    for seed in range(3):
        record = play_match(
            compiled("monty_hall"), {"candidate": make_player(f"{player}(simulations=1500)")}, Settings(seed=seed)
        )
        assert [ply.moves[0] for ply in record.plies][-1] == "switch"
        assert not any(any(ply.errors) for ply in record.plies)


@pytest.mark.parametrize("game", ["kuhn_poker", "leduc_poker", "goofspiel_4", "rock_paper_scissors"])
def test_whole_matches(game: str) -> None:
    one, other = (role for role in compiled(game).roles if role != "random")
    lineup = {one: make_player("ismcts(simulations=200)"), other: make_player("pimc(simulations=200, states=4)")}
    record = play_match(compiled(game), lineup, Settings(seed=4))
    assert record.result == "finished"
    assert not any(any(ply.errors) for ply in record.plies)


def test_the_seed_decides() -> None:
    def moves(seed: int) -> list[tuple[str, ...]]:
        lineup = {role: make_player("ismcts(simulations=100)") for role in ("alice", "bob")}
        return [ply.moves for ply in play_match(compiled("leduc_poker"), lineup, Settings(seed=seed)).plies]

    assert moves(3) == moves(3)


def test_thoughts_and_missed_turns() -> None:
    game = compiled("kuhn_poker")
    for player in (IsmctsPlayer(simulations=200), make_player("pimc(simulations=200)")):
        player.start(Start("match", game, "alice", seed=1, hidden=True), NEVER)
        noop, check, bet = (gdl.parse_term(text) for text in ("noop", "check", "bet"))
        assert player.move(Turn(1, None, (noop,))) == noop
        turn = Turn(2, None, (bet, check), own_move=noop, percepts=(gdl.parse_term("king"),))
        assert player.move(turn) in (bet, check)
        thought = player.thought()  # type: ignore[attr-defined]
        assert {option.move for option in thought.options} == {"bet", "check"}
        assert (thought.unit, thought.note) == ("simulations", "")
        late = Turn(5, None, (bet, check), own_move=noop)
        assert player.move(late) in (bet, check)
        assert "as a turn was missed" in player.thought().note  # type: ignore[attr-defined]
        player.stop(End("finished"))


def test_resumed_matches_go_on() -> None:
    game = compiled("kuhn_poker")
    lineup = {role: make_player("random") for role in ("alice", "bob")}
    record = play_match(game, lineup, Settings(seed=2)).before(2)
    players = {role: make_player(f"{name}(simulations=100)") for role, name in (("alice", "ismcts"), ("bob", "pimc"))}
    with Match.resume(game, players, Settings(seed=2), record) as match:
        plies = list(match.plies())
    assert plies
    assert not any(any(ply.errors) for ply in plies)


def test_games_that_do_not_compile() -> None:
    game: Any = Nim()
    role = game.roles[0]
    player = IsmctsPlayer(simulations=10)
    player.start(Start("match", game, role, seed=1), Deadline.after(5))
    legal = game.legal_moves(game.initial_state(), role)
    assert player.move(Turn(1, game.initial_state(), legal)) in legal
    assert "not made from a rule text" in player.reason


def test_nobody_moves_before_the_start() -> None:
    for name in ("ismcts", "pimc"):
        with pytest.raises(RuntimeError, match="before start"):
            make_player(name).move(Turn(1, None, ()))
