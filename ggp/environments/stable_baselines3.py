"""Many matches of a game as a vector environment of Stable-Baselines3, with the masks that its MaskablePPO asks for.

from ggp.environments.stable_baselines3 import GameVecEnv

model = MaskablePPO("MlpPolicy", GameVecEnv("tic_tac_toe", 256))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np

from ggp.environments.game import EnvironmentGame, Rules
from ggp.environments.libraries import MissingLibraryError
from ggp.environments.perspective import Side
from ggp.environments.vector import VectorGameEnv

try:
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as error:
    raise MissingLibraryError("stable-baselines3", "sb3") from error

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Indices = None | int | Iterable[int]


@final
class GameVecEnv(VecEnv):
    """Matches in which a learner takes each of some roles, against opponents: `num_envs` for each role.

    A new match begins in the step that ends one. The info of a match has `role`, the number of the role that is asked,
    `rewards`, those of all agents in the last step, and after an end `terminal_observation` and `TimeLimit.truncated`.
    """

    def __init__(
        self,
        rules: Rules | EnvironmentGame,
        num_envs: int = 1,
        *,
        roles: Sequence[str | None] | None = None,
        perspective: Side | None = None,
        **options: Any,
    ) -> None:
        """Begin the matches; call `reset` before the first step.

        Args:
            rules: A path, the name of a shipped game, rules, an engine, or an `EnvironmentGame`.
            num_envs: The number of matches for each role.
            roles: The roles that the learner takes, by default each one of the game. In matches for the role None, the
                learner is asked for all roles, and gets the reward of the one that moved.
            perspective: As in `VectorGameEnv`.
            options: The other options of `VectorGameEnv`, such as `opponents` and `rewards`.

        Raises what `VectorGameEnv` does.
        """
        self.game = game = EnvironmentGame.of(rules, perspective)
        taken = game.agent_roles if roles is None else roles
        self.parts = [VectorGameEnv(game, num_envs, role=role, autoreset_mode="SameStep", **options) for role in taken]
        if not self.parts:
            raise ValueError("roles must name at least one role")
        self.size = num_envs
        first = self.parts[0]
        super().__init__(num_envs * len(self.parts), first.single_observation_space, first.single_action_space)
        self._masks: NDArray[np.int8] = np.zeros((self.num_envs, len(game.actions)), np.int8)
        self._actions: NDArray[Any] = np.zeros(self.num_envs, np.int32)

    def reset(self) -> NDArray[Any]:
        """Begin new matches, with the seed that `seed` was told, and return observations (num_envs, *shape)."""
        seed, *_ = self._seeds
        found = [part.reset(seed=None if seed is None else seed + number) for number, part in enumerate(self.parts)]
        self._reset_seeds()
        self._reset_options()
        self._masks = np.concatenate([info["action_mask"] for _, info in found])
        self.reset_infos = [{"role": int(role)} for _, info in found for role in info["role"]]
        return np.concatenate([observation for observation, _ in found])

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the actions (num_envs,) of a step."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Do the step. Returns observations, rewards, ends, and infos. Raises as `VectorGameEnv.step` does."""
        actions = np.asarray(self._actions).reshape(len(self.parts), -1)
        found = [part.step(own) for part, own in zip(self.parts, actions, strict=True)]
        infos: list[dict[str, Any]] = []
        for number, (_, _, _, truncated, info) in enumerate(found):
            told_of_all = zip(info["role"].tolist(), info["rewards"], strict=True)
            infos += [{"role": role, "rewards": rewards} for role, rewards in told_of_all]
            if "final_obs" in info:
                for lane in np.flatnonzero(info["_final_obs"]).tolist():
                    told = infos[number * self.size + lane]
                    told["terminal_observation"] = info["final_obs"][lane]
                    told["TimeLimit.truncated"] = bool(truncated[lane])
        self._masks = np.concatenate([one[4]["action_mask"] for one in found])
        observations, rewards = (np.concatenate([one[place] for one in found]) for place in (0, 1))
        ends = np.concatenate([terminated | truncated for _, _, terminated, truncated, _ in found])
        return observations, rewards, ends, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions of all matches: (num_envs, actions), bool."""
        return self._masks.astype(np.bool_)

    def picture(self, lane: int, mode: Any = "ansi") -> Any:
        """Return the picture of a match: see `VectorGameEnv.picture`."""
        return self.parts[lane // self.size].picture(lane % self.size, mode)

    def close(self) -> None:
        """End the matches of players, and threads."""
        for part in self.parts:
            part.close()

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute, once for each match."""
        if attr_name == "render_mode":  # which the base class asks for before it is set
            return [None for _ in self._get_indices(indices)]
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:  # noqa: ARG002
        """Refuse: matches side by side have no attributes of their own."""
        raise AttributeError(f"the matches have no attribute {attr_name!r} of their own")

    def env_method(self, method_name: str, *args: Any, indices: Indices = None, **options: Any) -> list[Any]:
        """Return what the matches answer: `action_masks` is the only question."""
        if method_name != "action_masks":
            raise AttributeError(f"single matches have no method {method_name!r}")
        masks = self.action_masks(*args, **options)
        return list(masks if indices is None else masks[list(self._get_indices(indices))])

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:  # noqa: ARG002
        """Return False for each match."""
        return [False for _ in self._get_indices(indices)]
