"""The vector environment of Stable-Baselines3."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from ggp.environments.game import EnvironmentGame
from ggp.environments.stable_baselines3 import GameVecEnv
from ggp.environments.vector import VectorGameEnv


def test_it_goes_as_the_vector_environment_does() -> None:
    game = EnvironmentGame("tic_tac_toe")
    env = GameVecEnv(game, 40, **{"rewards": "centered", "max_plies": 7})
    parts = [
        VectorGameEnv(game, 40, role=role, rewards="centered", max_plies=7, autoreset_mode="SameStep")
        for role in game.roles
    ]
    env.seed(5)
    observation = env.reset()
    found = [part.reset(seed=5 + number) for number, part in enumerate(parts)]
    assert (observation == np.concatenate([one for one, _ in found])).all()
    masks = np.concatenate([info["action_mask"] for _, info in found])
    ends = 0
    for _ in range(12):
        assert is_masking_supported(env)
        assert (get_action_masks(env) == masks).all()
        actions = masks.argmax(axis=1)
        observation, rewards, dones, infos = env.step(actions)
        steps = [part.step(own) for part, own in zip(parts, actions.reshape(2, -1), strict=True)]
        masks = np.concatenate([step[4]["action_mask"] for step in steps])
        assert (observation == np.concatenate([step[0] for step in steps])).all()
        assert (rewards == np.concatenate([step[1] for step in steps])).all()
        for number, step in enumerate(steps):
            for lane in range(40):
                told = infos[40 * number + lane]
                over = step[2][lane] | step[3][lane]
                assert dones[40 * number + lane] == over
                assert (told["rewards"] == step[4]["rewards"][lane]).all()
                assert told["role"] == step[4]["role"][lane]
                assert ("terminal_observation" in told) == over
                if over:
                    assert (told["terminal_observation"] == step[4]["final_obs"][lane]).all()
                    assert told["TimeLimit.truncated"] == step[3][lane]
        ends += int(dones.sum())
    assert ends > 80
    assert env.picture(41) == parts[1].picture(1)
    with pytest.raises(AttributeError):
        env.env_method("moves")
    env.close()


def test_one_learner_for_all_roles() -> None:
    env = GameVecEnv("connect_four", 3, roles=[None])
    env.reset()
    assert [info["role"] for info in env.reset_infos] == [0, 0, 0]
    _, _, _, infos = env.step(env.action_masks().argmax(axis=1))
    assert [info["role"] for info in infos] == [1, 1, 1]
    assert infos[0]["rewards"].shape == (2,)
    with pytest.raises(ValueError, match="at least one role"):
        GameVecEnv("connect_four", 3, roles=[])


@pytest.mark.slow
def test_maskable_ppo_takes_it() -> None:
    options: dict[str, Any] = {"n_steps": 16, "batch_size": 64, "n_epochs": 1, "seed": 1, "device": "cpu"}
    model = MaskablePPO("MlpPolicy", GameVecEnv("tic_tac_toe", 8), **options)
    model.learn(600)
    assert model.num_timesteps >= 600
