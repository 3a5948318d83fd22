"""The PettingZoo environments: PettingZoo's own tests, and random episodes that a Reasoner agrees with."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.environments import FILES, SMALL, Seen, public, small
from support.toy_files import SPREAD

import gdl
from gdl.simulator.simulator import Simulator
from ggp.environments.game import EnvironmentGame

pytest.importorskip("pettingzoo", reason="needs the extra pettingzoo")

from gymnasium.error import ResetNeeded

with warnings.catch_warnings():
    # With pygame installed, PettingZoo's tests import an environment in a way that PettingZoo itself advises against.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import (
        api_test,
        max_cycles_test,
        parallel_api_test,
        parallel_seed_test,
        render_test,
        seed_test,
    )

from ggp.environments.pettingzoo import GameAEC, GameParallel, aec_env, parallel_env

#: PettingZoo's tests advise against dictionaries with masks, except in environments that they list by name, and against
#: the names of roles. Percepts are all zero before the first ply, and a small game may have a single fact or action.
ADVICE = [
    "ignore:Observation space for each agent probably should be gymnasium.spaces.box",
    "ignore:We recommend agents to be named in the format <descriptor>_<number>",
    "ignore:Observation is not a NumPy array",
    "ignore:Observation numpy array is all zeros",
    "ignore:Observation is a single number",
    "ignore:Action mask is a single number",
]


def with_advice(test: Callable[..., None]) -> Callable[..., None]:
    for advice in ADVICE:
        test = pytest.mark.filterwarnings(advice)(test)
    return test


def seeded(env: Any) -> Any:
    """Make the samples of PettingZoo's tests repeatable."""
    for role in env.possible_agents:
        env.action_space(role).seed(1)
    return env


def passes_tests(game: EnvironmentGame, cycles: int) -> None:
    api_test(seeded(aec_env(game)), num_cycles=cycles)
    api_test(seeded(aec_env(game, ask_always=True)), num_cycles=cycles)
    parallel_api_test(seeded(parallel_env(game)), num_cycles=cycles)
    seed_test(partial(aec_env, game), num_cycles=cycles)
    # This test samples without masks.
    parallel_seed_test(partial(parallel_env, game, illegal="replace"), num_cycles=cycles)


def agrees(game: EnvironmentGame, seed: int, **options: Any) -> None:
    """Play random episodes in both kinds of environments, and replay them with a Reasoner."""
    agrees_in_turn(game, seed, **options)
    agrees_in_parallel(game, seed, **options)


def agrees_in_turn(game: EnvironmentGame, seed: int, **options: Any) -> None:
    env = aec_env(game, **options)
    seen = Seen(game, Random(seed))
    env.reset(seed=seed)
    rewards = {}
    for role in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        assert observation in env.observation_space(role)
        if terminated or truncated:
            assert observation["action_mask"].any() == truncated
            rewards[role] = float(reward)
            env.step(None)
        else:
            assert reward == 0
            env.step(seen.choose(info["ply"], role, observation["action_mask"]))
    always = game.hides_states or env.episode.settings.ask_always
    assert set(rewards) == set(game.agent_roles)
    seen.check(env.episode, rewards, set(rewards), always)


def agrees_in_parallel(game: EnvironmentGame, seed: int, **options: Any) -> None:
    env = parallel_env(game, **options)
    seen = Seen(game, Random(seed))
    observations, infos = env.reset(seed=seed)
    while env.agents:
        masks = {role: observation["action_mask"] for role, observation in observations.items()}
        assert all(mask.any() for mask in masks.values())
        # The action of an agent without a choice may be left out.
        asked = {role: mask for role, mask in masks.items() if env.episode.settings.ask_always or mask.sum() > 1}
        actions = {role: seen.choose(infos[role]["ply"], role, mask) for role, mask in asked.items()}
        observations, rewards, terminations, truncations, infos = env.step(actions)
        assert not env.agents or not any(rewards.values())
    assert len(set(terminations.values())) == len(set(truncations.values())) == 1
    seen.check(env.episode, rewards, set(rewards), env.episode.settings.ask_always)


@with_advice
@pytest.mark.parametrize("name", SMALL)
def test_small_games_pass_pettingzoos_tests(name: str) -> None:
    passes_tests(small(name), 20)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("options", [{}, {"ask_always": True}, {"max_plies": 2}], ids=str)
def test_episodes_agree_with_a_reasoner(name: str, options: dict[str, Any]) -> None:
    for seed in range(5):
        agrees(small(name), seed, **options)


@with_advice
@pytest.mark.slow
@pytest.mark.parametrize("name", [path.stem for path in SPREAD])
def test_shipped_games_pass_tests_and_agree(name: str) -> None:
    game = EnvironmentGame(name)
    passes_tests(game, 100)
    agrees(game, 1)


@with_advice
@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_public_files_pass_tests_and_agree(name: str) -> None:
    game = public(name)
    passes_tests(game, 100)
    agrees(game, 1)


def test_a_limit_of_plies_is_one_of_cycles() -> None:
    """PettingZoo's test samples without masks, and expects that every agent is asked in every cycle."""
    options = {"illegal": "replace", "ask_always": True}
    game = EnvironmentGame("connect_four")
    max_cycles_test(
        SimpleNamespace(
            parallel_env=lambda max_cycles: parallel_env(game, max_plies=max_cycles, **options),
            env=lambda max_cycles: aec_env(game, max_plies=max_cycles, **options),
        )
    )


def test_all_render_modes_pass_pettingzoos_test() -> None:
    pytest.importorskip("resvg_py", reason="needs the extra pettingzoo")
    game = small("pennies")
    render_test(partial(aec_env, game), {"svg": lambda shown: shown.startswith("<svg")})
    env = parallel_env(game, render_mode="ansi")
    env.reset()
    assert env.render().startswith("(score 0)")


def answer(env: GameAEC, move: str) -> None:
    env.step(env.game.action(gdl.parse_term(move)))


def test_only_roles_with_a_choice_are_asked() -> None:
    env = aec_env("tic_tac_toe")
    env.reset()
    asked = []
    for move in ("(mark 1 1)", "(mark 2 1)", "(mark 1 2)"):
        asked.append(env.agent_selection)
        answer(env, move)
    assert asked == ["xplayer", "oplayer", "xplayer"]
    env = aec_env("tic_tac_toe", ask_always=True)
    env.reset()
    asked = []
    for move in ("(mark 1 1)", "noop", "noop", "(mark 2 1)"):
        asked.append(env.agent_selection)
        answer(env, move)
    assert asked == ["xplayer", "oplayer"] * 2


def test_nobody_sees_a_choice_that_is_open() -> None:
    env = aec_env(small("pennies"))
    env.reset(seed=1)
    before = {role: env.observe(role) for role in env.agents}
    shared = env.state()
    answer(env, "tails")
    assert env.agent_selection == "odd"
    assert env.episode.joint_moves == []
    for role, observation in before.items():
        for part, array in observation.items():
            assert np.array_equal(array, env.observe(role)[part])
    assert np.array_equal(shared, env.state())
    assert env.infos == {"even": {"ply": 0, "goal": -1}, "odd": {"ply": 0, "goal": -1}}
    answer(env, "tails")
    assert len(env.episode.joint_moves) == 1
    assert not np.array_equal(shared, env.state())


def test_roles_see_only_their_own_cards() -> None:
    env = parallel_env(small("cards"))
    env.reset(seed=2)
    observations, *_ = env.step({})
    (deal,) = (env.game.actions[action] for action in env.episode.joint_moves[0][:1])
    for role, card in zip(("left", "right"), deal.args, strict=True):
        legend = [env.observer.legend[i] for i in np.flatnonzero(observations[role]["observation"])]
        assert legend == [f"sees (your {card})", "did wait"]
    fold, stay = (env.game.action(gdl.parse_term(move)) for move in ("fold", "stay"))
    *_, infos = env.step({"left": fold, "right": stay})
    goals = dict(zip(env.game.agent_roles, env.episode.goals().values(), strict=True))
    assert {role: infos[role] for role in goals} == {role: {"ply": 2, "goal": goal} for role, goal in goals.items()}


def test_chance_is_no_agent_and_its_moves_are_seeded() -> None:
    env = parallel_env(small("dice"))
    assert env.possible_agents == ["player"]

    def thrown(seed: int | None) -> list[tuple[int, ...]]:
        env.reset(seed=seed)
        while env.agents:
            env.step({"player": env.game.action(gdl.parse_term("(bet 1)"))})
        return env.episode.joint_moves

    first = [thrown(1), thrown(None)]
    assert first == [thrown(1), thrown(None)]
    assert len({str(thrown(seed)) for seed in range(5)}) > 1


@pytest.mark.parametrize("scale", ["unit", "centered"])
def test_an_illegal_action_ends_the_match_if_told_so(scale: str) -> None:
    env = aec_env("tic_tac_toe", illegal="lose", rewards=scale)
    env.reset()
    answer(env, "(mark 1 1)")
    answer(env, "(mark 1 1)")
    lost = {"unit": 0, "centered": -1}[scale]
    assert env.rewards == {"xplayer": 1, "oplayer": lost}
    assert env.terminations == {"xplayer": True, "oplayer": True}
    assert env.infos["oplayer"]["illegal_action"] == 0
    assert "illegal_action" not in env.infos["xplayer"]
    for _ in range(2):
        env.step(None)
    assert env.agents == []
    with pytest.raises(ResetNeeded):
        env.step(0)


def test_two_offenders_at_once_lose_both() -> None:
    game = small("three")
    env = parallel_env(EnvironmentGame(gdl.compile(THREE_WITH_NOOP)), illegal="lose")
    assert game.agents == env.game.agents
    env.reset()
    never, yes = (env.game.action(gdl.parse_term(move)) for move in ("never", "yes"))
    _, rewards, terminations, *_ = env.step({"a": never, "b": yes, "c": never})
    assert rewards == {"a": 0, "b": 1, "c": 0}
    assert all(terminations.values())


THREE_WITH_NOOP = f"{SMALL['three']} (<= (legal ?r never) (role ?r) (true over))"


def test_an_illegal_action_is_replaced_and_told_to_the_offender() -> None:
    env = parallel_env("tic_tac_toe", illegal="replace")
    env.reset(seed=1)
    noop = env.game.action(gdl.parse_term("noop"))
    *_, infos = env.step({"xplayer": noop, "oplayer": 0})
    assert infos["xplayer"]["illegal_action"] == noop
    assert infos["xplayer"]["replaced_by"] == env.episode.joint_moves[0][0] != noop
    assert infos["oplayer"] == {"ply": 1, "goal": -1, "illegal_action": 0, "replaced_by": noop}
    *_, infos = env.step({"oplayer": int(env.episode.position.legal(1)[0])})
    assert infos["oplayer"] == {"ply": 2, "goal": -1}
    assert infos["xplayer"]["illegal_action"] == noop  # it has not been asked again
    *_, infos = env.step({"xplayer": int(env.episode.position.legal(0)[0])})
    assert infos["xplayer"] == {"ply": 3, "goal": -1}


def test_an_agent_learns_that_its_action_was_replaced_when_it_is_asked_again() -> None:
    env = aec_env("tic_tac_toe", illegal="replace")
    env.reset(seed=1)
    answer(env, "noop")
    assert env.last()[-1] == {"ply": 1, "goal": -1}
    env.step(int(env.observe("oplayer")["action_mask"].argmax()))
    assert env.last()[-1] == {
        "ply": 2,
        "goal": -1,
        "illegal_action": env.game.action(gdl.parse_term("noop")),
        "replaced_by": env.episode.joint_moves[0][0],
    }


@pytest.mark.parametrize("make", [aec_env, parallel_env])
def test_an_illegal_action_raises_and_changes_nothing(make: Callable[..., Any]) -> None:
    env = make("tic_tac_toe")
    env.reset()
    noop = env.game.action(gdl.parse_term("noop"))
    with pytest.raises(gdl.IllegalMoveError, match="noop is not legal for xplayer"):
        env.step(noop if make is aec_env else {"xplayer": noop})
    env.step(0 if make is aec_env else {"xplayer": 0})
    assert len(env.episode.joint_moves) == 1


def test_missing_and_unknown_agents_are_refused() -> None:
    env = parallel_env("tic_tac_toe")
    env.reset()
    with pytest.raises(ValueError, match="xplayer has a choice"):
        env.step({"oplayer": 9})
    with pytest.raises(gdl.UnknownRoleError):
        env.step({"zplayer": 0})


@pytest.mark.parametrize("plies", [3, 4])
def test_the_one_that_would_choose_next_leaves_a_truncated_episode_first(plies: int) -> None:
    env = aec_env("tic_tac_toe", max_plies=plies)
    env.reset(seed=1)
    while not any(env.truncations.values()):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert env.agent_selection == env.possible_agents[plies % 2]
    assert env.observe(env.agent_selection)["action_mask"].sum() == 9 - plies
    left = [role for role in env.agent_iter() if env.step(None) is None]
    assert sorted(left) == sorted(env.possible_agents)


@pytest.mark.parametrize("make", [aec_env, parallel_env])
@pytest.mark.parametrize("seed", [[1, 2], 1.5], ids=str)
def test_a_seed_is_one_whole_number(make: Callable[..., Any], seed: Any) -> None:
    with pytest.raises(TypeError, match="seed must be a whole number"):
        make("tic_tac_toe").reset(seed=seed)


def test_legal_actions_are_computed_once_in_a_state(monkeypatch: pytest.MonkeyPatch) -> None:
    env = aec_env("connect_four")
    original, computed = Simulator.legal_places, []
    monkeypatch.setattr(
        Simulator, "legal_places", lambda self, state, role: computed.append(role) or original(self, state, role)
    )
    env.reset(seed=1)
    for turn in range(1, 6):
        observation, *_ = env.last()
        env.step(int(observation["action_mask"].argmax()))
        assert computed == [0, 1] * (turn + 1)


@pytest.mark.parametrize("make", [aec_env, parallel_env])
def test_a_step_before_a_reset_is_refused(make: Callable[..., GameAEC | GameParallel]) -> None:
    with pytest.raises(ResetNeeded):
        make("tic_tac_toe").step({} if make is parallel_env else 0)


def test_masks_may_be_in_the_infos() -> None:
    usual, env = aec_env("tic_tac_toe"), aec_env("tic_tac_toe", mask="info")
    for one in (usual, env):
        one.reset(seed=1)
    while env.agents:
        expected, (observation, _, over, _, info) = usual.observe(env.agent_selection), env.last()
        assert (observation == expected["observation"]).all()
        assert (info["action_mask"] == expected["action_mask"]).all()
        assert env.observation_space("xplayer").contains(observation)
        action = None if over else int(info["action_mask"].argmax())
        env.step(action)
        usual.step(action)
    parallel = parallel_env("tic_tac_toe", mask="info")
    observations, infos = parallel.reset(seed=1)
    assert observations["xplayer"].shape == (29,)
    assert infos["xplayer"]["action_mask"].sum() == 9
    with pytest.raises(ValueError, match="mask must be one of observation, info"):
        parallel_env("tic_tac_toe", mask="nowhere")  # type: ignore[arg-type]
