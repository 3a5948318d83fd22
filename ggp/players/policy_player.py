"""A policy as a player: a function, or a network from a file, that looks at what environments observe.

    player = from_policy(lambda observation, mask: int(mask.argmax()))
    player = from_policy("policy.onnx", temperature=0.5)

A policy is asked as the opponents of `ggp.environments.gymnasium.GameEnv` are: with the observation and the mask of the
role that moves. So what was trained in an environment plays matches, tournaments and on game servers as it is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, isfinite, isnan, nan
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, final

from gdl.engine import Engine
from gdl.errors import GdlError, IllegalMoveError
from gdl.terms import Term
from ggp.players.background import Background
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation, compiled_game
from ggp.players.player import End, Start, Turn
from ggp.players.thought import Thought

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.simulator.simulator import Simulator
    from ggp.environments.game import EnvironmentGame
    from ggp.environments.observations import Observer, ObserverName
    from ggp.environments.perspective import Side
    from ggp.environments.rewards import Rewards, ScaleName
    from ggp.players.onnx import OnnxPolicy

#: What a policy may return: an action; logits (actions,), whose softmax over legal actions has the probabilities; or a
#: pair of logits and the value of the position, the reward that its role expects.
Answer = Any

#: Looks at an observation and a mask of legal actions.
Policy = Callable[["NDArray[np.int8]", "NDArray[np.int8]"], Answer]


@final
@dataclass(frozen=True, slots=True)
class Eyes:
    """The view that a policy has of a game, and the scale of its values; see `ggp.environments`."""

    observation: ObserverName = "facts"
    perspective: Side = "fixed"
    rewards: ScaleName = "unit"


def from_policy(
    policy: Policy | str | Path,
    *,
    observation: ObserverName | None = None,
    perspective: Side | None = None,
    rewards: ScaleName | None = None,
    temperature: float = 0.0,
    name: str = "",
) -> PolicyPlayer:
    """Return a player that asks a policy: a function, or the path of an ONNX file (see `ggp.players.onnx`).

    Args:
        policy: Returns an action, logits (actions,), or a pair of logits and a value, for an observation and a mask.
        observation: `"facts"` or `"planes"`. By default, what the shape of a file's input says, else `"facts"`.
        perspective: `"mover"` if the policy has learned to see the game as the first agent does, else `"fixed"`.
        rewards: The scale of values: `"unit"`, from 0 to 1, or `"centered"`, from -1 to 1.
        temperature: 0 for the most probable action. Otherwise, actions are drawn, with logits divided by this.
        name: The player's name, by default that of the file or function.

    By default, perspective and rewards are what a file says, else `"fixed"` and `"unit"`.

    Raises OnnxFileError for a file that cannot be used, MissingLibraryError, and ValueError for unknown options.
    """
    eyes = Eyes()
    if isinstance(policy, str | Path):
        from ggp.players.onnx import OnnxPolicy

        policy = OnnxPolicy(policy)
        eyes = Eyes(policy.observation, policy.perspective, policy.rewards)
    eyes = Eyes(observation or eyes.observation, perspective or eyes.perspective, rewards or eyes.rewards)
    named = policy.name if hasattr(policy, "name") else getattr(policy, "__name__", type(policy).__name__)
    return PolicyPlayer(policy, eyes, temperature, name or str(named))


def onnx_player(
    file: str = "", temperature: float = 0.0, mover: bool | None = None, centered: bool | None = None
) -> PolicyPlayer:
    """Return a player for a file, with the options of the player `onnx`; see `from_policy`."""
    if not file:
        raise ValueError("name a file: onnx(FILE.onnx)")
    return from_policy(
        file,
        perspective=None if mover is None else "mover" if mover else "fixed",
        rewards=None if centered is None else "centered" if centered else "unit",
        temperature=temperature,
    )


@final
class PolicyPlayer:
    """Plays what a policy returns. Where it has no choice, the policy is not asked, unless states are hidden.

    An illegal action of the policy is an error of the player. Where a clock ends before the game is compiled, it plays
    as `random` does.
    """

    compiles = True
    limited = True

    def __init__(self, policy: Policy | OnnxPolicy, eyes: Eyes, temperature: float, name: str) -> None:
        """Take a policy, how it sees a game, and its temperature. Raises ValueError for an unknown option."""
        from ggp.environments.observations import OBSERVERS
        from ggp.environments.perspective import Perspective
        from ggp.environments.rewards import Scale

        if eyes.observation not in OBSERVERS:
            raise ValueError(f"unknown observation {eyes.observation!r}: there are {' and '.join(OBSERVERS)}")
        Perspective(eyes.perspective)
        Scale(eyes.rewards)
        if not 0 <= temperature < float("inf"):
            raise ValueError(f"temperature must be a number from 0 on, not {temperature}")
        self.name = name
        self._policy = policy
        self._eyes = eyes
        self._temperature = temperature
        self._random = Random(0)
        self._compiling: Background[Simulator] | None = None
        self._seat: _Seat | None = None
        self._role = ""
        self._thought: Thought | None = None

    def refusal(self, game: Engine) -> str:
        """Return why the policy cannot play a game, in one line; empty if it can, or the game is not compiled yet."""
        from gdl.simulator.partial_game import PartialGame
        from gdl.simulator.simulator import Simulator

        if isinstance(game, PartialGame):
            return "a policy needs a game that can be compiled whole"
        if isinstance(game, Simulator):
            try:
                self._seated(game)
            except (ValueError, GdlError) as error:
                return str(error)
        return ""

    def start(self, start: Start, deadline: Deadline) -> None:
        """Compile the game.

        Raises NotCompiledError if that fails, and ValueError or OnnxFileError if the policy does not fit the game.
        """
        self._random, self._role, self._thought = Random(start.seed), start.role, None
        self._compiling = compilation(start)
        if self._compiling.result(deadline) is not None or self._compiling.over:
            self._seated(compiled_game(self._compiling))

    def move(self, turn: Turn) -> Term:
        """Ask the policy and return its move. Raises ValueError and IllegalMoveError for what is no legal action."""
        if self._compiling is None:
            raise RuntimeError("move() called before start()")
        if self._compiling.result(turn.deadline) is None and not self._compiling.over:
            self._thought = Thought(note="a random move, as the game is not compiled yet")
            return self._random.choice(turn.legal)
        seat = self._seated(compiled_game(self._compiling))
        self._thought = None
        if len(turn.legal) == 1 and turn.state is not None:
            return turn.legal[0]
        role = seat.game.agent(self._role)
        observation, mask = seat.sight(turn, role)
        return self._chosen(seat, role, turn, self._policy(observation, mask.copy()), mask)

    def thought(self) -> Thought | None:
        """Return the probabilities of moves and the expected goal at the last move, as far as the policy has them."""
        return self._thought

    def stop(self, end: End) -> None:  # noqa: ARG002
        """Forget the match."""
        self._compiling = None

    def _seated(self, simulator: Simulator) -> _Seat:
        """Return the game as the policy sees it. Raises ValueError if the policy does not fit it."""
        if self._seat is None or self._seat.game.simulator is not simulator:
            from ggp.environments.game import EnvironmentGame
            from ggp.environments.observations import observer_of

            game = EnvironmentGame(simulator, perspective=self._eyes.perspective)
            seat = _Seat(game, observer_of(game, self._eyes.observation), game.rewards(self._eyes.rewards))
            check = getattr(self._policy, "check", None)
            if check is not None:
                check(game.name, seat.observer.shape, len(game.actions))
            self._seat = seat
        return self._seat

    def _chosen(self, seat: _Seat, role: int, turn: Turn, answer: Answer, mask: NDArray[np.int8]) -> Term:
        """Return the move of an answer, and keep the thought."""
        import numpy as np

        game = seat.game
        moves = {game.action(move, role): move for move in turn.legal}
        logits, value = answer if isinstance(answer, tuple) else (answer, None)
        if np.ndim(logits) == 0:
            action = operator.index(logits)
            if action not in moves:
                known = 0 <= action < len(game.actions)
                shown = game.move(action, role).text if known else f"action {action}"
                raise IllegalMoveError(self._role, shown, [move.text for move in turn.legal])
            return moves[action]
        scores = np.asarray(logits, np.float64)
        if scores.shape != mask.shape:
            raise ValueError(f"the policy returned logits of the shape {scores.shape}, not {mask.shape}")
        legal = {action: float(scores[action]) for action in moves}
        if not isfinite(max((logit for logit in legal.values() if not isnan(logit)), default=nan)):
            raise ValueError("the policy returned no finite logit of a legal action")
        probabilities = _softmax(legal, 1.0)
        expected = None
        if value is not None:
            expected = min(100.0, max(0.0, seat.scale.middle + seat.scale.reach * float(np.asarray(value).item())))
        ranked = sorted(probabilities, key=lambda action: (-probabilities[action], action))
        listed = tuple((moves[action].text, probabilities[action]) for action in ranked)
        self._thought = Thought(expected, probabilities=listed)
        if not self._temperature:
            return moves[ranked[0]]
        drawn = _softmax(legal, self._temperature)
        return moves[self._random.choices(list(drawn), list(drawn.values()))[0]]


@final
@dataclass(frozen=True, slots=True)
class _Seat:
    """A game, what a policy sees of it, and the scale of its values."""

    game: EnvironmentGame
    observer: Observer
    scale: Rewards

    def sight(self, turn: Turn, role: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Return the observation and the mask of a role at its turn."""
        import numpy as np

        from ggp.environments.position import Position

        game = self.game
        position = Position(game, None if turn.state is None else game.simulator.state(turn.state))
        if game.hides_states:
            position.percepts = tuple(turn.percepts if one == role else () for one in range(len(game.roles)))
            if turn.own_move is not None:
                position.last_actions = (game.action(turn.own_move, role),) * len(game.roles)
        mask = np.zeros(len(game.actions), np.int8)
        mask[[game.action(move, role) for move in turn.legal]] = 1
        return self.observer.observe(position, role), mask


def _softmax(logits: dict[int, float], temperature: float) -> dict[int, float]:
    """Return the probabilities of actions; those whose logits are no numbers have none."""
    most = max(logit for logit in logits.values() if not isnan(logit))
    weights = {a: 0.0 if isnan(logit) else exp((logit - most) / temperature) for a, logit in logits.items()}
    total = sum(weights.values())
    return {action: weight / total for action, weight in weights.items()}
