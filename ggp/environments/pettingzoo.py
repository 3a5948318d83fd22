"""PettingZoo environments for all roles of any game: `aec_env` asks one agent after the other, `parallel_env` all.

from ggp.environments.pettingzoo import aec_env

env = aec_env("tic_tac_toe")
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from gdl.simulator.arrays import NO_GOAL
from ggp.environments.episode import Episode, Settings
from ggp.environments.game import MAX_PLIES, EnvironmentGame, Rules
from ggp.environments.libraries import MissingLibraryError
from ggp.environments.observations import FactsObserver, Observer, ObserverName, observer_of
from ggp.environments.perspective import Side
from ggp.environments.rendering import RENDER_MODES, Renderer, RenderMode
from ggp.environments.rewards import Illegal, IllegalName, Scale, ScaleName

try:
    import gymnasium
    import pettingzoo
except ModuleNotFoundError as error:
    raise MissingLibraryError("pettingzoo", "pettingzoo") from error

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: An observation with the mask of legal actions, or alone.
Observation: TypeAlias = "dict[str, NDArray[np.int8]] | NDArray[np.int8]"

#: Where the mask of legal actions is.
MaskPlace = Literal["observation", "info"]


def aec_env(
    rules: Rules | EnvironmentGame,
    *,
    observation: ObserverName | Observer = "facts",
    perspective: Side | None = None,
    rewards: ScaleName = Scale.UNIT,
    illegal: IllegalName = Illegal.RAISE,
    max_plies: int = MAX_PLIES,
    ask_always: bool = False,
    mask: MaskPlace = "observation",
    render_mode: RenderMode | None = None,
) -> GameAEC:
    """Return an environment that asks one agent after the other.

    Agents that move at the same time do not see each other's choices: the state changes when all have chosen.

    Args:
        rules: A path, the name of a shipped game, rules, an engine, or a game that other environments share.
        observation: The name of an observer, or an observer.
        perspective: `"mover"` if every agent shall see the game as the first one does, else `"fixed"`; see
            `Perspective`. By default, a game that is given keeps its own, and rules have `"fixed"`.
        rewards: `"unit"` for rewards from 0 to 1, `"centered"` for rewards from -1 to 1.
        illegal: The consequence of an illegal action: `"raise"`, `"replace"` or `"lose"`.
        max_plies: Longer episodes are truncated.
        ask_always: Ask all agents in every state, even those with only one legal action.
        mask: Where the mask of legal actions is: in the `"observation"`, which then is a dictionary, or in the `"info"`
            of the agent, as wrappers want that need an array, such as SuperSuit's.
        render_mode: `"ansi"`, `"svg"`, `"rgb_array"` or `"human"`.

    Raises:
        UnknownGameError, AmbiguousGameError, FileError, RulesheetError, CompileError: The rules cannot be used.
        ValueError: An option has an unknown value, or nobody can play the game.
    """
    return GameAEC(
        _Table(rules, perspective, observation, Settings(rewards, illegal, max_plies, ask_always), mask, render_mode)
    )


def parallel_env(
    rules: Rules | EnvironmentGame,
    *,
    observation: ObserverName | Observer = "facts",
    perspective: Side | None = None,
    rewards: ScaleName = Scale.UNIT,
    illegal: IllegalName = Illegal.RAISE,
    max_plies: int = MAX_PLIES,
    ask_always: bool = False,
    mask: MaskPlace = "observation",
    render_mode: RenderMode | None = None,
) -> GameParallel:
    """Return an environment that asks all agents at each step.

    The mask of an agent without a choice has its only legal action, which may also be left out. Arguments and errors
    are those of `aec_env`; with `ask_always`, a step is always one ply, even if no agent has a choice in it.
    """
    return GameParallel(
        _Table(rules, perspective, observation, Settings(rewards, illegal, max_plies, ask_always), mask, render_mode)
    )


class _Table:
    """The common part of both kinds of environments: the game, its agents by name, and the episode."""

    def __init__(
        self,
        rules: Rules | EnvironmentGame,
        perspective: Side | None,
        observation: ObserverName | Observer,
        settings: Settings,
        mask: MaskPlace,
        render_mode: RenderMode | None,
    ) -> None:
        self.game = game = EnvironmentGame.of(rules, perspective)
        self.settings = settings
        if mask not in get_args(MaskPlace):
            raise ValueError(f"mask must be one of {', '.join(get_args(MaskPlace))}, not {mask!r}")
        self.mask_in_info = mask == "info"
        self.observer = observer_of(game, observation) if isinstance(observation, str) else observation
        self.renderer = Renderer(game, render_mode)
        self.facts = FactsObserver(game)
        self.numbers = {game.roles[agent]: agent for agent in game.agents}
        self.metadata = {
            "name": game.name,
            "render_modes": list(RENDER_MODES),
            "render_fps": 1,
            "is_parallelizable": False,  # `parallel_env` is the parallel form
        }
        # A space for each agent, as each is seeded on its own.
        self.observation_spaces = {role: self._space() for role in self.numbers}
        self.action_spaces = {role: gymnasium.spaces.Discrete(len(game.actions)) for role in self.numbers}
        self._seeds = np.random.default_rng()
        self._episode: Episode | None = None

    def _space(self) -> gymnasium.Space[Any]:
        seen = gymnasium.spaces.Box(0, 1, self.observer.shape, np.int8)
        if self.mask_in_info:
            return seen
        allowed = gymnasium.spaces.Box(0, 1, (len(self.game.actions),), np.int8)
        return gymnasium.spaces.Dict({"observation": seen, "action_mask": allowed})

    @property
    def episode(self) -> Episode:
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("call reset() before anything else")
        return self._episode

    @property
    def running(self) -> Episode:
        if self.episode.over:
            raise gymnasium.error.ResetNeeded("the episode is over: call reset()")
        return self.episode

    def begin(self, seed: int | None) -> Episode:
        if seed is not None:
            if not isinstance(seed, int | np.integer):
                raise TypeError(f"seed must be a whole number, not {seed!r:.60}")
            self._seeds = np.random.default_rng(seed)
        self._episode = Episode.begin(self.game, self.settings, int(self._seeds.integers(2**63)))
        self.show()
        return self._episode

    def observe(self, role: str) -> Observation:
        position = self.episode.position
        agent = self.numbers[role]
        seen = self.observer.observe(position, agent)
        return seen if self.mask_in_info else {"observation": seen, "action_mask": self.episode.mask(agent)}

    def infos(self) -> dict[str, dict[str, Any]]:
        """Return the infos of all agents.

        The goal value is a number at every step, `NO_GOAL` before the end: TorchRL makes a tensor of each entry.
        """
        episode = self.episode
        found: dict[str, dict[str, Any]] = {}
        if not (episode.terminated or episode.offences):  # as at most plies
            ply = np.int64(episode.position.plies)
            found = {role: {"ply": ply, "goal": NO_GOAL} for role in self.numbers}
        else:
            for role, agent in self.numbers.items():
                told = found[role] = episode.info(agent)
                told["goal"] = told.pop("goals")[role] if episode.terminated else NO_GOAL
        if self.mask_in_info:
            for role, agent in self.numbers.items():
                found[role]["action_mask"] = episode.mask(agent)
        return found

    def rewards(self) -> dict[str, float]:
        rewards = self.episode.rewards()
        return {role: rewards[agent] for role, agent in self.numbers.items()}

    def state(self) -> NDArray[np.int8]:
        return self.facts.observe(self.episode.position, self.game.agents[0])

    def show(self) -> None:
        if self.renderer.mode == "human":
            self.renderer.render(self.episode.position)

    def render(self) -> Any:
        if self.renderer.mode is None:
            gymnasium.logger.warn("render() draws nothing without a render_mode")
        return self.renderer.render(self.episode.position)


class GameAEC(pettingzoo.AECEnv):
    """All roles of a game, asked one after the other: see `aec_env`."""

    def __init__(self, table: _Table) -> None:
        """Take the common part."""
        super().__init__()
        self._table = table
        self.game = table.game
        self.observer = table.observer
        self.metadata = table.metadata
        self.render_mode = table.renderer.mode
        self.possible_agents = list(table.numbers)
        self.agents: list[str] = []
        self.state_space = gymnasium.spaces.Box(0, 1, table.facts.shape, np.int8)
        self._chosen: dict[int, int] = {}

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the space of an agent's observations."""
        return self._table.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Discrete:
        """Return the space of an agent's actions."""
        return self._table.action_spaces[agent]

    @property
    def episode(self) -> Episode:
        """The present episode. Raises ResetNeeded before the first."""
        return self._table.episode

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin an episode. A seed repeats all that follows. There are no options."""
        self._table.begin(seed)
        self._chosen = {}
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._tell()
        self._select()

    def step(self, action: int | None) -> None:
        """Make the choice of the selected agent. Raises IllegalMoveError if illegal actions raise errors."""
        episode = self._table.episode
        if episode.over and self.agents:
            self._was_dead_step(action)
            return
        episode = self._table.running
        role = self.agent_selection
        agent = self._table.numbers[role]
        chosen = self._chosen
        chosen[agent] = episode.settle(agent, action)
        # There are no rewards before the end, so nothing is accumulated until then.
        if all(one in chosen for one in episode.asked()):  # nobody is asked if an illegal action has ended the match
            self._chosen = {}
            episode.play(chosen)
            if episode.over:
                self.rewards = self._table.rewards()
                self._accumulate_rewards()
                self._tell()
            else:
                self.infos = self._table.infos()
            self._table.show()
        self._select()

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees, without choices that are still open."""
        return self._table.observe(agent)

    def state(self) -> NDArray[np.int8]:
        """Return the facts of the present state, for training with all information."""
        return self._table.state()

    def render(self) -> Any:
        """Return the picture of the present state; the mode `human` prints it."""
        return self._table.render()

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _tell(self) -> None:
        """Tell all agents whether the match has ended, and how."""
        episode = self._table.episode
        self.infos = self._table.infos()
        self.terminations = dict.fromkeys(self.agents, episode.terminated)
        self.truncations = dict.fromkeys(self.agents, episode.truncated)

    def _select(self) -> None:
        """Select the next agent that has to choose; after the end, the first that has to leave.

        If the episode is truncated, that is the one that would choose next.
        """
        episode = self._table.episode
        asked = episode.position.deciding() if episode.truncated else episode.asked()
        open_choice = next((agent for agent in asked if agent not in self._chosen), None)
        self.agent_selection = self.agents[0] if open_choice is None else self.game.roles[open_choice]


class GameParallel(pettingzoo.ParallelEnv):
    """All roles of a game, asked at the same time: see `parallel_env`."""

    def __init__(self, table: _Table) -> None:
        """Take the common part."""
        self._table = table
        self.game = table.game
        self.observer = table.observer
        self.metadata = table.metadata
        self.render_mode = table.renderer.mode
        self.possible_agents = list(table.numbers)
        self.agents: list[str] = []
        self.state_space = gymnasium.spaces.Box(0, 1, table.facts.shape, np.int8)

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the space of an agent's observations."""
        return self._table.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Discrete:
        """Return the space of an agent's actions."""
        return self._table.action_spaces[agent]

    @property
    def episode(self) -> Episode:
        """The present episode. Raises ResetNeeded before the first."""
        return self._table.episode

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin an episode and return observations and infos. A seed repeats all that follows. There are no options."""
        self._table.begin(seed)
        self.agents = self.possible_agents[:]
        return self._observations(), self._table.infos()

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Make a joint move and return observations, rewards, terminations, truncations and infos.

        Raises IllegalMoveError if illegal actions raise errors, UnknownRoleError, and ValueError if an agent that has
        a choice has no action.
        """
        episode = self._table.running
        chosen = {agent: episode.settle(agent, action) for agent, action in self._numbered(actions).items()}
        episode.play(chosen)
        self._table.show()
        roles = self.agents
        if episode.over:
            self.agents = []
        return (
            self._observations(),
            self._table.rewards(),
            dict.fromkeys(roles, episode.terminated),
            dict.fromkeys(roles, episode.truncated),
            self._table.infos(),
        )

    def state(self) -> NDArray[np.int8]:
        """Return the facts of the present state, for training with all information."""
        return self._table.state()

    def render(self) -> Any:
        """Return the picture of the present state; the mode `human` prints it."""
        return self._table.render()

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _observations(self) -> dict[str, Observation]:
        return {role: self._table.observe(role) for role in self.possible_agents}

    def _numbered(self, actions: Mapping[str, int]) -> dict[int, int]:
        return {self.game.agent(role): action for role, action in actions.items()}
