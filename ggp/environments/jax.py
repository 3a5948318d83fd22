"""A game as pure functions for JAX: `init`, `step` and `observe`, under `jit`, `vmap` and `scan`.

import jax
from ggp.environments.jax import JaxGame

game = JaxGame("connect_four")
state = jax.vmap(game.init)(jax.random.split(jax.random.key(1), 1000))
state = jax.jit(game.step)(state, state.mask.argmax(axis=1))

A step of a whole batch is one call of the compiled rules on the host: `jax.pure_callback`. On a GPU, states are copied
there and back.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, final

import numpy as np

from ggp.environments.game import EnvironmentGame, Rules
from ggp.environments.libraries import MissingLibraryError
from ggp.environments.observations import DtypeName, ObserverName
from ggp.environments.perspective import Side
from ggp.environments.rewards import Illegal, IllegalName
from ggp.environments.states import States

try:
    import jax
    import jax.numpy as jnp
except ModuleNotFoundError as error:
    raise MissingLibraryError("jax", "jax") from error

#: `jax.Array`, whose types are unknown where JAX is not installed.
Array = Any

#: A shape and a type; JAX declares none for its arguments.
_ARRAY: Final[Any] = jax.ShapeDtypeStruct


class State(NamedTuple):
    """A state, or many: then all fields have the same axes in front. It is a tree, as JAX calls it."""

    #: All there is to the state, as pairs of 32 bits: see `States.rows`. (words,), uint32.
    rows: Array
    #: The legal actions of the role that is asked: (actions,), bool; none where nobody is.
    mask: Array
    #: The number of the role that is asked, -1 where nobody is: (), int32.
    role: Array
    #: The rewards of the agents in the last step: (agents,), float32.
    rewards: Array
    #: True if the match is over: (), bool.
    ended: Array


@final
class JaxGame:
    """Pure functions of one game. They take one state, or any number of axes of states, and may be vectorized."""

    def __init__(
        self,
        rules: Rules | EnvironmentGame,
        *,
        observation: ObserverName = "facts",
        dtype: DtypeName = "float32",
        perspective: Side | None = None,
        illegal: IllegalName = Illegal.LOSE,
        **settings: Any,
    ) -> None:
        """Compile the rules. `settings` are those of `EnvironmentGame.states`, such as `rewards` and `ask_chance`.

        An error within a function of JAX stops the whole program, so an illegal action loses by default. Raises as
        `EnvironmentGame`, its `states` and `States.observe` do.
        """
        self.game = EnvironmentGame.of(rules, perspective)
        self._some: States = self.game.states(1, **settings)
        self._settings = settings
        self._illegal = Illegal(illegal)
        self._view = observation, dtype
        seen = self._some.observe(observation, dtype=dtype)
        self._seen = seen.shape[1:], seen.dtype

    def init(self, key: Array) -> State:
        """Return the state in which a match begins; the key of JAX seeds the moves of chance."""
        return self._called(self._begin, (), jax.random.bits(key, (2,), jnp.uint32))

    def step(self, state: State, action: Array) -> State:
        """Do the action of the role that is asked; a match that is over stays as it is, with rewards of 0."""
        action = jnp.asarray(action)
        return self._called(self._step, action.shape, state.rows, action)

    def observe(self, state: State) -> Array:
        """Return what the role that is asked sees."""
        shape, dtype = self._seen
        result = _ARRAY((*state.role.shape, *shape), dtype)
        return jax.pure_callback(self._observe, result, state.rows, vmap_method="broadcast_all")

    def of(self, states: States) -> State:
        """Return states of the game, with the same settings, as states for JAX. Raises ValueError for others."""
        if states.settings != self._some.settings or states.game is not self.game:
            raise ValueError(f"these are states of another game, or with other settings: {states!r}, {states.settings}")
        rewards = np.zeros((len(states), len(self.game.agents)), np.float32)
        return State(*map(jnp.asarray, _parts(states, states.legal(), states.role, rewards, states.over)))

    def states(self, state: State) -> States:
        """Return states of JAX as states of the game, in one axis."""
        return self._of(np.asarray(state.rows))

    def _called(self, function: Any, axes: tuple[int, ...], *arguments: Array) -> State:
        sizes = (2 * self._some.rows.shape[1],), (len(self.game.actions),), (), (len(self.game.agents),), ()
        types = np.uint32, np.bool_, np.int32, np.float32, np.bool_
        result = State(*(_ARRAY((*axes, *size), one) for size, one in zip(sizes, types, strict=True)))
        found: State = jax.pure_callback(function, result, *arguments, vmap_method="broadcast_all")
        return found

    def _begin(self, seeds: Array) -> State:
        words = np.ascontiguousarray(seeds).view(np.uint64)
        axes = words.shape[:-1]
        states = self.game.states(words.size, seed=words.reshape(-1), **self._settings)
        rewards = np.zeros((words.size, len(self.game.agents)), np.float32)
        return _shaped(axes, _parts(states, states.legal(), states.role, rewards, states.over))

    def _step(self, rows: Array, actions: Array) -> State:
        chosen = np.asarray(actions)
        step = self._of(np.asarray(rows)).step(chosen.reshape(-1), self._illegal)
        return _shaped(chosen.shape, _parts(*step))

    def _observe(self, rows: Array) -> Any:
        observation, dtype = self._view
        given = np.asarray(rows)
        return self._of(given).observe(observation, dtype=dtype).reshape(*given.shape[:-1], *self._seen[0])

    def _of(self, rows: Any) -> States:
        return self._some.of(np.ascontiguousarray(rows).reshape(-1, rows.shape[-1]))


def _parts(states: States, mask: Any, role: Any, rewards: Any, ended: Any) -> State:
    """Return arrays of the types that JAX knows."""
    return State(states.rows.view(np.uint32), mask.view(np.bool_), role.astype(np.int32), rewards, ended)


def _shaped(axes: tuple[int, ...], state: State) -> State:
    return State(*(array.reshape((*axes, *array.shape[1:])) for array in state))
