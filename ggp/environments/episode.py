"""One episode of an environment: a match with forced moves, illegal moves, a limit of plies, and rewards at the end.

The adapters for Gymnasium and PettingZoo share this class. It depends on neither.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol, final

import numpy as np

from gdl.errors import IllegalMoveError
from gdl.simulator.seeds import checked_count
from ggp.environments.game import MAX_PLIES, EnvironmentGame
from ggp.environments.position import Position
from ggp.environments.rewards import Illegal, IllegalName, Scale, ScaleName, goals_of_offences
from ggp.match.record import Result

if TYPE_CHECKING:
    from numpy.typing import NDArray


@final
@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of episodes. Raises ValueError, and TypeError for a number of plies that is not whole.

    `ask_always` asks agents in every state, even if they have only one legal move. Where roles have hidden
    information, they are always asked, as each ply may bring percepts.
    """

    rewards: ScaleName = Scale.UNIT
    illegal: IllegalName = Illegal.RAISE
    max_plies: int = MAX_PLIES
    ask_always: bool = False

    def __post_init__(self) -> None:
        """Check the values."""
        object.__setattr__(self, "rewards", Scale(self.rewards))
        object.__setattr__(self, "illegal", Illegal(self.illegal))
        object.__setattr__(self, "max_plies", checked_count("max_plies", self.max_plies))


class Others(Protocol):
    """Choose the moves of agents that are not asked."""

    def start(self, seed: int) -> None:
        """Begin a match."""
        ...

    def actions(self, position: Position) -> Mapping[int, int]:
        """Return the action of each of these agents."""
        ...

    def stop(self, position: Position, result: Result, goals: Mapping[int, float] | None) -> None:
        """End the match, with the goal values if there are any."""
        ...


@final
class Episode:
    """An episode. Roles and agents are numbers, as in `EnvironmentGame.roles`."""

    def __init__(
        self,
        game: EnvironmentGame,
        settings: Settings,
        seed: int,
        agents: tuple[int, ...] | None = None,
        others: Others | None = None,
    ) -> None:
        """Begin a match. These agents are asked for actions, by default all; `others` chooses for the rest of them.

        Raises ValueError if the game is over before it has begun.
        """
        self.game = game
        self.settings = settings
        self.position = Position(game)
        #: The joint moves so far: an action for each role.
        self.joint_moves: list[tuple[int, ...]] = []
        #: The illegal action and the action made instead, if there is one, of each agent whose last action was illegal.
        self.offences: dict[int, tuple[int, int | None]] = {}
        self._agents: Final = game.agents if agents is None else agents
        self._others = others
        self._always = settings.ask_always or game.hides_states
        self._rewards = game.rewards(settings.rewards)
        self._rng = np.random.default_rng(seed)
        #: The agents that are asked in this state, once somebody wants to know.
        self._asked: tuple[int, ...] | None = None
        self._judge()
        if self.terminated:
            raise ValueError(f"{game.name} is over before it has begun")
        if others is not None:
            others.start(seed)

    @classmethod
    def begin(
        cls,
        game: EnvironmentGame,
        settings: Settings,
        seed: int,
        agents: tuple[int, ...] | None = None,
        others: Others | None = None,
    ) -> Episode:
        """Return an episode that waits for an action. Raises as the constructor does.

        A match that would end before an agent has a choice begins again with the same seed, and asks in every state.
        """
        episode = cls(game, settings, seed, agents, others)
        episode._pass()
        if episode.over:
            episode.stop()
            episode = cls(game, replace(settings, ask_always=True), seed, agents, others)
        return episode

    def asked(self) -> tuple[int, ...]:
        """Return the agents whose actions the next ply needs: those with a choice, or all; none after the end."""
        if self.over:
            return ()
        if self._asked is None:
            agents = self._agents
            self._asked = agents if self._always else tuple([i for i in agents if len(self.position.legal(i)) > 1])
        return self._asked

    def mask(self, agent: int) -> NDArray[np.int8]:
        """Return 1 for each legal action of an agent, 0 for all others; zeros if the episode is terminated."""
        return np.zeros(len(self.game.actions), np.int8) if self.terminated else self.position.mask(agent)

    def settle(self, agent: int, action: object) -> int:
        """Return the action to make for the action that an agent has chosen, and note an offence.

        Raises IllegalMoveError if illegal actions raise errors, ValueError for a number that is no action, and
        TypeError for something else.
        """
        try:
            number = operator.index(action)  # type: ignore[arg-type]
        except TypeError:
            raise TypeError(f"an action is a whole number, not {action!r:.60}") from None
        if not 0 <= number < len(self.game.actions):
            raise ValueError(f"an action is a number from 0 to {len(self.game.actions) - 1}, not {number}")
        legal = self.position.legal(agent)
        if number in legal:
            self.offences.pop(agent, None)
            return number
        if self.settings.illegal is Illegal.RAISE:
            texts = [self.game.move(action, agent).text for action in (number, *legal)]
            raise IllegalMoveError(self.game.roles[agent], texts[0], texts[1:])
        if self.settings.illegal is Illegal.LOSE:
            self.offences[agent] = number, None
            self._judge()
            return number
        instead = legal[int(self._rng.integers(len(legal)))]
        self.offences[agent] = number, instead
        return instead

    def play(self, actions: Mapping[int, int]) -> None:
        """Do a joint move with settled actions, then all forced ones, up to the next state in which an agent is asked.

        Actions may be left out for agents that have only one. If an illegal action has ended the match, no move is
        made. Raises ValueError if an action is missing, and NoLegalMoveError.
        """
        if not self.lost:
            self._advance(actions)
            self._pass()
        if self.over:
            self.stop()

    def stop(self) -> None:
        """Tell the others that the match is over. Further calls do nothing."""
        others, self._others = self._others, None
        if others is not None:
            others.stop(self.position, self._result(), self.goals() if self.terminated else None)

    def goals(self) -> Mapping[int, float]:
        """Return the goal value of each agent at the end. Raises GoalError."""
        return goals_of_offences(self.offences, self.game.agents) if self.lost else self.position.goals()

    def rewards(self) -> dict[int, float]:
        """Return the reward of each agent for the last ply: 0 until the episode is terminated. Raises GoalError."""
        if not self.terminated:
            return dict.fromkeys(self.game.agents, 0.0)
        return {agent: self._rewards.of(goal) for agent, goal in self.goals().items()}

    def info(self, agent: int) -> dict[str, Any]:
        """Return what an agent is told beside its observation.

        `ply` is the number of plies so far. `illegal_action` and `replaced_by` say that its last action was illegal.
        `goals` has the goal values by role at the end: only the agent's own if roles have hidden information. Numbers
        are NumPy's, as TorchRL asks for their types.
        """
        info: dict[str, Any] = {"ply": np.int64(self.position.plies)}
        if agent in self.offences:
            action, instead = self.offences[agent]
            info["illegal_action"] = np.int64(action)
            if instead is not None:
                info["replaced_by"] = np.int64(instead)
        if self.terminated:
            shown = (agent,) if self.game.hides_states else self.game.agents
            goals = self.goals()
            info["goals"] = {self.game.roles[other]: goals[other] for other in shown}
        return info

    def _result(self) -> Result:
        if self.lost:
            return Result.DISQUALIFIED
        if self.position.is_terminal:
            return Result.FINISHED
        return Result.UNFINISHED if self.over else Result.ABORTED

    def _judge(self) -> None:
        """Note if the match is over; this is asked for more often than it changes."""
        self._asked = None
        #: True if an illegal action has ended the match.
        self.lost: bool = self.settings.illegal is Illegal.LOSE and bool(self.offences)
        #: True if the game is over, or an illegal action has ended the match.
        self.terminated: bool = self.lost or self.position.is_terminal
        #: True if the match has reached its limit of plies, and is not over otherwise.
        self.truncated: bool = self.position.plies >= self.settings.max_plies and not self.terminated
        #: True if the episode has ended.
        self.over: bool = self.terminated or self.truncated

    def _pass(self) -> None:
        """Make moves until an agent is asked."""
        while not self.over and not self.asked():
            self._advance({})

    def _advance(self, actions: Mapping[int, int]) -> None:
        others = {} if self._others is None else self._others.actions(self.position)
        self.position.advance({**others, **actions}, self._rng)
        self._judge()
        self.joint_moves.append(self.position.last_actions)
