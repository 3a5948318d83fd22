"""A Gymnasium environment for one role of any game. Importing this module registers it as `ggp/Game-v0`.

import gymnasium
import ggp.environments.gymnasium

env = gymnasium.make("ggp/Game-v0", rules="tic_tac_toe", role="xplayer", opponents="greedy")
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ggp.environments.episode import Episode, Settings
from ggp.environments.game import MAX_PLIES, EnvironmentGame, Rules
from ggp.environments.libraries import MissingLibraryError
from ggp.environments.observations import Observer, ObserverName, observer_of
from ggp.environments.opponents import DEFAULT, Opponent, Opponents
from ggp.environments.perspective import Side
from ggp.environments.rendering import RENDER_MODES, Renderer, RenderMode
from ggp.environments.rewards import Illegal, IllegalName, Scale, ScaleName

try:
    import gymnasium
except ModuleNotFoundError as error:
    raise MissingLibraryError("gymnasium", "gymnasium") from error

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The name under which the environment is registered.
NAME: Final = "ggp/Game-v0"


class GameEnv(gymnasium.Env["NDArray[np.int8]", np.int64]):
    """One role of a game. Opponents play the other roles, and chance the role `random`.

    Observations are arrays of 0 and 1, and actions are numbers of moves: see `observer.legend` and `game.actions`.
    `info["action_mask"]` has 1 for each legal action. The agent is only asked where it has a choice, unless
    `ask_always` is set or roles have hidden information.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012  # as in the base class

    def __init__(
        self,
        rules: Rules | EnvironmentGame,
        role: str | None = None,
        opponents: Opponent | Mapping[str, Opponent] = DEFAULT,
        *,
        observation: ObserverName | Observer = "facts",
        perspective: Side | None = None,
        rewards: ScaleName = Scale.UNIT,
        illegal: IllegalName = Illegal.RAISE,
        max_plies: int = MAX_PLIES,
        ask_always: bool = False,
        render_mode: RenderMode | None = None,
    ) -> None:
        """Compile the game.

        Args:
            rules: A path, the name of a shipped game, rules, an engine, or a game that other environments share.
            role: The role of the agent; by default the first that is not chance.
            opponents: The players of the other roles: one for all of them, or a mapping from roles to players. A
                player is a name as on the command line (`"mcts(simulations=100)"`), a `ggp.players.Player`, a
                function of an observation and a mask that returns an action, or a `Pool` from which a name or a
                function is drawn for each episode; `info["opponents"]` has the names of those drawn by role.
            observation: The name of an observer, or an observer.
            perspective: `"mover"` if every agent shall see the game as the first one does, else `"fixed"`; see
                `Perspective`. By default, a game that is given keeps its own, and rules have `"fixed"`.
            rewards: `"unit"` for rewards from 0 to 1, `"centered"` for rewards from -1 to 1.
            illegal: The consequence of an illegal action: `"raise"`, `"replace"` or `"lose"`.
            max_plies: Longer episodes are truncated.
            ask_always: Ask in every state, even if there is only one legal action.
            render_mode: `"ansi"`, `"svg"`, `"rgb_array"` or `"human"`.

        Raises:
            UnknownGameError, AmbiguousGameError, FileError, RulesheetError, CompileError: The rules cannot be used.
            UnknownRoleError, UnknownPlayerError, PlayerLoadError, LineupError: The players do not fit the game.
            ValueError: An option has an unknown value, or nobody can play the game.
        """
        self.game = game = EnvironmentGame.of(rules, perspective)
        self.agent = game.agents[0] if role is None else game.agent(role)
        self.observer = observer_of(game, observation) if isinstance(observation, str) else observation
        self.settings = Settings(rewards, illegal, max_plies, ask_always)
        self._opponents = Opponents(game, self.agent, opponents, self.observer, ask_always=ask_always)
        self._renderer = Renderer(game, render_mode)
        self._episode: Episode | None = None
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.Box(0, 1, self.observer.shape, np.int8)
        self.action_space = gymnasium.spaces.Discrete(len(game.actions))

    @property
    def episode(self) -> Episode:
        """The present episode. Raises ResetNeeded before the first."""
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("call reset() before anything else")
        return self._episode

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin an episode and return the first observation and info. A seed repeats all that follows.

        Raises ValueError for options, as there are none.
        """
        if options:
            raise ValueError(f"reset has no options, but was given {', '.join(map(str, options))}")
        super().reset(seed=seed, options=options)
        self.close()
        number = int(self.np_random.integers(2**63))
        self._episode = Episode.begin(self.game, self.settings, number, (self.agent,), self._opponents)
        return self._seen()

    def step(self, action: np.int64 | int) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Make a move, and return what the agent gets when it is asked next: observation, reward, ends, and info.

        Raises IllegalMoveError if illegal actions raise errors, and ResetNeeded after the end of the episode.
        """
        episode = self.episode
        if episode.over:
            raise gymnasium.error.ResetNeeded("the episode is over: call reset()")
        episode.play({self.agent: episode.settle(self.agent, action)})
        observation, info = self._seen()
        return observation, episode.rewards()[self.agent], episode.terminated, episode.truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return True for each legal action, as `MaskablePPO` of sb3-contrib expects it."""
        return self._mask().astype(np.bool_)

    def render(self) -> Any:
        """Return the picture of the present state; the mode `human` prints it."""
        if self._renderer.mode is None:
            gymnasium.logger.warn("render() draws nothing without a render_mode")
        return self._renderer.render(self.episode.position)

    def close(self) -> None:
        """End the episode."""
        if self._episode is not None:
            self._episode.stop()

    def _seen(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Return the observation and info of the agent."""
        if self._renderer.mode == "human":
            self.render()
        observation = self.observer.observe(self.episode.position, self.agent)
        info = {"action_mask": self._mask(), **self.episode.info(self.agent)}
        if self._opponents.drawn:
            info["opponents"] = dict(self._opponents.drawn)
        return observation, info

    def _mask(self) -> NDArray[np.int8]:
        return self.episode.mask(self.agent)


if NAME not in gymnasium.registry:
    gymnasium.register(
        NAME, "ggp.environments.gymnasium:GameEnv", vector_entry_point="ggp.environments.vector:one_role"
    )
