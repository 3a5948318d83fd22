"""Steps per second of environments: many matches with random legal actions, on one core.

A step takes an action in each match, and returns the observation, the reward and the mask of legal actions of the next
state. Peers are measured with the same loop, as far as they can do it: pgx as many matches at a time, PettingZoo's own
environments and OpenSpiel's C++ states one match at a time, driven from Python as their users do.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, final

from gdl.errors import GdlError
from gdl.simulator.simulator import Simulator
from ggp.study.bench.playouts import Runner, Speed, Stopwatch

#: Steps between looks at the clock: of many matches, and of one.
_ROUNDS: Final = 10
_SINGLE: Final = 500


class EnvironmentPeer(StrEnum):
    """Libraries whose environments can be measured in the same run."""

    PGX = "pgx"
    PETTINGZOO = "pettingzoo"
    OPENSPIEL = "openspiel"


#: The names of games in the peers that are written for each game.
_PGX: Final = {"tic_tac_toe": "tic_tac_toe", "connect_four": "connect_four", "othello": "othello"}
_PETTINGZOO: Final = {"tic_tac_toe": "tictactoe_v3", "connect_four": "connect_four_v3"}


class NoPeerError(GdlError):
    """A library has no environment for a game."""

    code = "no-peer"
    template = "{code}: {1} has no environment that is known to be {0}"

    def __init__(self, game: str, peer: str) -> None:
        """Name the game and the library."""
        self.game = game
        self.peer = peer
        super().__init__(game, peer)


class MissingPeerError(GdlError):
    """A library to compare with, or something that it needs, is not installed."""

    code = "missing-library"
    template = "{code}: {0} is not installed; `pip install '{1}'` installs it"

    def __init__(self, library: str, package: str) -> None:
        """Name the missing library and the package that installs it."""
        self.library = library
        self.package = package
        super().__init__(library, package)


@final
class VectorSteps:
    """Steps of the vector environment, with facts as observations."""

    engine: Final = "ggp"

    def __init__(self, simulator: Simulator, states: int) -> None:
        """Begin the matches, and make a few steps."""
        import numpy as np

        from ggp.environments.vector import VectorGameEnv

        stopwatch = Stopwatch()
        self._env = VectorGameEnv(simulator, states, copy=False)
        self._actions = np.zeros(states, np.int32)
        self._env.reset(seed=0)
        self._round()
        self.setup_seconds = stopwatch.wall_seconds

    def run(self, seconds: float, seed: int) -> Speed:
        """Make steps for about this many seconds of processor time."""
        self._env.reset(seed=seed)
        return _timed(self._round, seconds)

    def _round(self) -> tuple[int, int]:
        """Make some steps of all matches; return the numbers of ends and of steps."""
        ends = 0
        for _ in range(_ROUNDS):
            self._env.sample_actions(self._actions)
            _, _, terminated, truncated, _ = self._env.step(self._actions)
            ends += int((terminated | truncated).sum())
        return ends, _ROUNDS * len(self._actions)


@final
class PgxSteps:
    """Steps of pgx (jax), compiled for this processor: random legal actions, observations, automatic resets."""

    engine: Final = EnvironmentPeer.PGX.value

    def __init__(self, name: str, states: int) -> None:
        """Compile the loop, and run it once. Raises MissingPeerError."""
        try:
            import jax
            import pgx
            from pgx.experimental.wrappers import auto_reset
        except ModuleNotFoundError as error:
            raise MissingPeerError(error.name or "pgx", "pgx") from None
        stopwatch = Stopwatch()
        env = pgx.make(name)
        step, init = auto_reset(env.step, env.init), env.init
        self._jax, self._states = jax, states

        def one(state: Any, key: Any) -> Any:
            logits = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
            return step(state, jax.random.categorical(key, logits), key)

        def loop(state: Any, key: Any) -> Any:
            for part in jax.random.split(key, _ROUNDS):
                state = jax.vmap(one)(state, jax.random.split(part, states))
            return state

        self._loop = jax.jit(loop)
        self._init = jax.jit(jax.vmap(init))
        self._state: Any = None
        self._start(0)
        self._round()
        self.setup_seconds = stopwatch.wall_seconds

    def run(self, seconds: float, seed: int) -> Speed:
        """Make steps for about this many seconds of processor time."""
        self._start(seed)
        return _timed(self._round, seconds)

    def _start(self, seed: int) -> None:
        self._key = self._jax.random.PRNGKey(seed % 2**32)
        self._state = self._init(self._jax.random.split(self._key, self._states))

    def _round(self) -> tuple[int, int]:
        self._key, key = self._jax.random.split(self._key)
        self._state = self._loop(self._state, key)
        self._state.observation.block_until_ready()
        return 0, _ROUNDS * self._states


@final
class PettingZooSteps:
    """Steps of one of PettingZoo's own environments, one match at a time."""

    engine: Final = EnvironmentPeer.PETTINGZOO.value

    def __init__(self, name: str) -> None:
        """Make the environment, and play a match. Raises MissingPeerError."""
        from importlib import import_module

        stopwatch = Stopwatch()
        try:
            self._env: Any = import_module(f"pettingzoo.classic.{name}").env()
        except ModuleNotFoundError as error:
            raise MissingPeerError(error.name or "pettingzoo", "pettingzoo[classic]") from None
        self._seed = 0
        self._round()
        self.setup_seconds = stopwatch.wall_seconds

    def run(self, seconds: float, seed: int) -> Speed:
        """Make steps for about this many seconds of processor time."""
        self._seed = seed % 2**31
        return _timed(self._round, seconds)

    def _round(self) -> tuple[int, int]:
        env, steps = self._env, 0
        env.reset(seed=self._seed)
        self._seed += 1
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                env.step(env.action_space(agent).sample(observation["action_mask"]))
                steps += 1
        return 1, steps


@final
class OpenSpielSteps:
    """Steps of OpenSpiel's C++ states, driven from Python one match at a time."""

    engine: Final = EnvironmentPeer.OPENSPIEL.value

    def __init__(self, name: str) -> None:
        """Load the game by its name in OpenSpiel, and play a match."""
        from ggp.players.openspiel.games import load

        stopwatch = Stopwatch()
        self._game: Any = load().load_game(name)
        self._random = random.Random(0)
        self._round()
        self.setup_seconds = stopwatch.wall_seconds

    def run(self, seconds: float, seed: int) -> Speed:
        """Make steps for about this many seconds of processor time."""
        self._random = random.Random(seed)
        return _timed(self._round, seconds)

    def _round(self) -> tuple[int, int]:
        state, steps = self._game.new_initial_state(), 0
        while not state.is_terminal():
            state.apply_action(self._random.choice(state.legal_actions()))
            state.observation_tensor(0)
            state.rewards()
            steps += 1
        return 1, steps


def _timed(work: Callable[[], tuple[int, int]], seconds: float) -> Speed:
    """Repeat some work, which returns numbers of ends and steps, for about this many seconds."""
    ends = steps = 0
    stopwatch = Stopwatch()
    while not steps or stopwatch.seconds < seconds:
        some = work()
        ends += some[0]
        steps += some[1]
    return stopwatch.speed(ends, steps)


def peer_runner(peer: EnvironmentPeer, simulator: Simulator, path: Path, states: int) -> Runner:
    """Return the environment of a peer for a game. Raises NoPeerError, MissingPeerError, MissingOpenSpielError."""
    from ggp.rules.shipped_games import game_name

    name = game_name(path)
    if peer is EnvironmentPeer.PGX and name in _PGX:
        return PgxSteps(_PGX[name], states)
    if peer is EnvironmentPeer.PETTINGZOO and name in _PETTINGZOO:
        return PettingZooSteps(_PETTINGZOO[name])
    if peer is EnvironmentPeer.OPENSPIEL:
        from ggp.players.openspiel.games import find

        found = find(simulator, simulator)
        if found is not None:
            return OpenSpielSteps(found.name)
    raise NoPeerError(name, peer.value)
