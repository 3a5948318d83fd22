"""The mover's side: every agent sees the game as the first one does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")

from support.environments import CARDS
from support.toy_files import ROOT

import gdl
from ggp.environments.game import EnvironmentGame
from ggp.environments.gymnasium import GameEnv
from ggp.environments.observations import observer_of
from ggp.environments.perspective import NotSymmetricError
from ggp.environments.pettingzoo import aec_env
from ggp.environments.position import Position
from ggp.environments.vector import VectorGameEnv

SYMMETRIC = ("tic_tac_toe", "connect_four", "breakthrough")


def game_of(name: str, perspective: str = "mover") -> EnvironmentGame:
    return EnvironmentGame(name, perspective=perspective)


@pytest.mark.parametrize("name", SYMMETRIC)
def test_the_second_agent_sees_what_the_first_would_see(name: str) -> None:
    """The mirrored match, in which the second agent's moves are made by the first, looks the same."""
    game, plain = game_of(name), game_of(name, "fixed")
    facts, rng = observer_of(game), np.random.default_rng(1)
    position = Position(game)
    for _ in range(30):
        if not position.deciding():  # the end, or the only square that is left
            break
        (mover,) = position.deciding()
        seen = {legend for legend, one in zip(facts.legend, facts.observe(position, mover), strict=True) if one}
        mirrored = Position(plain, plain.simulator.state(list(seen)))
        assert mirrored.deciding() == (0,), "the mover sees itself as the first agent"
        assert mirrored.legal(0) == position.legal(mover)
        action = int(rng.choice(position.legal(mover)))
        position.advance({mover: action}, rng)
        mirrored.advance({0: action}, rng)
        assert mirrored.is_terminal == position.is_terminal
        after = {legend for legend, one in zip(facts.legend, facts.observe(position, mover), strict=True) if one}
        assert mirrored.state == plain.simulator.state(list(after))


@pytest.mark.parametrize("name", SYMMETRIC)
@pytest.mark.parametrize("observation", ["facts", "planes"])
def test_the_adapters_agree(name: str, observation: str) -> None:
    game = game_of(name)
    many = VectorGameEnv(game, 1, observation=observation)
    one = aec_env(game, observation=observation)
    seen, info = many.reset(seed=1)
    one.reset(seed=1)
    rng = np.random.default_rng(2)
    for _ in range(40):
        last, *_ = one.last()
        assert game.roles[info["role"][0]] == one.agent_selection
        assert np.array_equal(last["observation"], seen[0])
        assert np.array_equal(last["action_mask"], info["action_mask"][0])
        action = int(rng.choice(np.flatnonzero(last["action_mask"])))
        one.step(action)
        seen, _, terminated, _, info = many.step(np.array([action]))
        if terminated[0]:
            assert list(info["rewards"][0]) == [one.rewards[role] for role in game.agent_roles]
            break
    else:
        assert name == "breakthrough"


def test_opponents_see_the_game_from_their_side() -> None:
    views: dict[str, list[Any]] = {"opponent": [], "vector": []}

    def opponent(observation: Any, mask: Any) -> int:
        views["opponent"].append((observation.tolist(), mask.tolist()))
        return int(mask.argmax())

    def opponents(observations: Any, masks: Any) -> Any:
        views["vector"].append((observations[0].tolist(), masks[0].tolist()))
        return masks.argmax(axis=1)

    env = GameEnv("connect_four", "red", opponent, perspective="mover")
    many = VectorGameEnv("connect_four", 1, role="red", opponents=opponents, perspective="mover")
    observation, info = env.reset(seed=1)
    seen, infos = many.reset(seed=1)
    for _ in range(3):
        assert np.array_equal(observation, seen[0])
        assert np.array_equal(info["action_mask"], infos["action_mask"][0])
        observation, _, _, _, info = env.step(4)
        seen, _, _, _, infos = many.step(np.array([4]))
    assert views["opponent"] == views["vector"]
    assert len(views["vector"]) == 3
    control = env.observer.legend.index("(control red)")
    assert all(seen[control] for seen, _ in views["vector"]), "the opponent, too, sees itself as red"


def test_players_by_name_play_as_ever() -> None:
    lengths = []
    for perspective in ("fixed", "mover"):
        env = VectorGameEnv("breakthrough", 2, role="black", opponents="greedy", perspective=perspective)
        env.reset(seed=1)
        for ply in range(200):
            *_, terminated, _, _ = env.step(env.sample_actions())
            if terminated.any():
                lengths.append(ply)
                break
    assert len(lengths) == 2


def test_texts_of_illegal_moves_are_those_of_the_role() -> None:
    env = VectorGameEnv("breakthrough", 1, perspective="mover")
    _, info = env.reset(seed=1)
    _, _, _, _, info = env.step(info["action_mask"].argmax(axis=1))
    wrong = int((info["action_mask"][0] == 0).argmax())
    with pytest.raises(gdl.IllegalMoveError) as raised:
        env.step(np.array([wrong]))
    assert raised.value.role == "black"
    assert raised.value.move.startswith(env.game.move(wrong, 1).text)


@pytest.mark.parametrize("name", ["wolf_sheep", pytest.param("fox_game", marks=pytest.mark.slow)])
def test_games_of_unequal_sides_are_refused(name: str) -> None:
    with pytest.raises(NotSymmetricError, match=r"no symmetry between .* was found"):
        EnvironmentGame(ROOT / "games" / f"{name}.kif", perspective="mover")


def test_other_perspectives_are_unknown() -> None:
    with pytest.raises(ValueError, match="above"):
        EnvironmentGame("tic_tac_toe", perspective="above")


def test_games_with_hidden_states_are_refused() -> None:
    with pytest.raises(NotSymmetricError):
        EnvironmentGame(gdl.Rulesheet(CARDS), perspective="mover")


def test_one_role_sees_the_game_as_it_is() -> None:
    fixed, mover = (game_of("sliding_pieces", perspective) for perspective in ("fixed", "mover"))
    assert fixed.actions == mover.actions
    assert np.array_equal(fixed.moves_of, mover.moves_of)
