"""The strength of a policy: its average goal values against opponents, over many matches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggp.environments.game import EnvironmentGame, Rules
from ggp.environments.perspective import Side
from ggp.environments.rewards import HIGHEST, Scale, ScaleName
from ggp.environments.vector import Opponent, VectorGameEnv

#: Chooses legal actions (n,), given the observations (n, *shape) and masks (n, actions) of n matches.
Policy = Callable[[NDArray[Any], NDArray[np.int8]], NDArray[Any]]


def average_goals(
    game: Rules | EnvironmentGame,
    policy: Policy,
    *,
    opponents: str | Opponent = "random",
    matches: int = 1000,
    seed: int = 1,
    perspective: Side | None = None,
    rewards: ScaleName = Scale.UNIT,
    **options: Any,
) -> dict[str, float]:
    """Return the average goal value of a policy in each role of a game, from 0 to 100, over some matches for each role.

    `opponents` take the other roles. `perspective` and `options`, such as `dtype`, are those of `VectorGameEnv`. Goal
    values do not depend on `rewards`: it is here so that the options of training can be passed on. A match that is
    truncated counts 0. Raises what `VectorGameEnv` and its `step` do.
    """
    Scale(rewards)
    game = EnvironmentGame.of(game, perspective)
    found = {}
    for role in game.agent_roles:
        env = VectorGameEnv(game, matches, role=role, opponents=opponents, autoreset_mode="Disabled", **options)
        observation, info = env.reset(seed=seed)
        total = 0.0
        while (info["role"] >= 0).any():
            observation, reward, _, _, info = env.step(policy(observation, info["action_mask"]))
            total += float(reward.sum())
        env.close()
        found[role] = HIGHEST * total / matches
    return found
