"""Observations: arrays of 0 and 1 that describe states, with a legend of what each position means.

`FactsObserver` has one position for each fact that can change; `PlanesObserver` has one channel for each kind of piece.
`PerceptsObserver` is for games that hide their states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, final, get_args

import numpy as np

from gdl.simulator.expansion import Expansion
from ggp.environments.perspective import Perspective
from ggp.environments.position import Position

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ggp.environments.game import EnvironmentGame
    from ggp.environments.planes import Meaning

#: The names of observers, for options.
ObserverName = Literal["facts", "planes"]
OBSERVERS: Final[tuple[str, ...]] = get_args(ObserverName)

#: The types of observations of many states. `bits` are packed, eight facts to a byte.
DtypeName = Literal["int8", "float32", "bits"]
DTYPES: Final[Mapping[str, Any]] = {"int8": np.int8, "float32": np.float32, "bits": np.uint8}


class Observer(Protocol):
    """The agents' view of states, as arrays of 0 and 1."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the observation of one state."""
        ...

    @property
    def legend(self) -> tuple[str, ...]:
        """The meaning of each position along the first axis of an observation."""
        ...

    def observe(self, position: Position, agent: int, /) -> NDArray[np.int8]:
        """Return what an agent sees in a match: an array of its own with the observer's shape."""
        ...


class StatesObserver(Observer, Protocol):
    """An observer that needs to know nothing but the state, so that many states can be observed at once."""

    def meanings(self) -> list[Meaning]:
        """Return the meaning of each element of an observation, in the order of its memory."""
        ...

    def observe_states(self, states: NDArray[np.uint64], agent: int, out: NDArray[Any]) -> None:
        """Write what an agent sees in states (n, state_words), packed as in `gdl.Arrays`, to `out` (n, *shape)."""
        ...


def observer_of(game: EnvironmentGame, name: str = "facts") -> Observer:
    """Return an observer by its name: one of `OBSERVERS`; agents of games that hide states see percepts instead.

    Raises ValueError for an unknown name, and NoBoardError for planes of rules without a board.
    """
    return PerceptsObserver(game) if game.hides_states else states_observer(game, name)


def states_observer(game: EnvironmentGame, name: str = "facts") -> StatesObserver:
    """Return an observer of many states, by its name.

    Raises ValueError for an unknown name or a game that hides its states, and NoBoardError like `observer_of`.
    """
    if game.hides_states:
        raise ValueError(f"{game.name} hides its states; the environments for single matches can play it")
    if name not in OBSERVERS:
        raise ValueError(f"unknown observation {name!r}: there are {' and '.join(OBSERVERS)}")
    if name == "facts":
        return FactsObserver(game)
    from ggp.environments.planes import PlanesObserver  # here, as it finds boards by many modules

    return PlanesObserver(game)


@final
class FactsObserver:
    """One position for each fact that can change, in the order of `Simulator.all_facts`: 1 if it holds."""

    def __init__(self, game: EnvironmentGame) -> None:
        """Leave out the facts that are proved never to change."""
        constants = game.simulator.circuit.constants
        facts = game.simulator.all_facts
        numbers = [number for number in range(len(facts)) if number not in constants]
        self._expansions = {agent: Expansion(game.facts_seen(agent, numbers)) for agent in game.agents}
        self._numbers = numbers
        self.legend: tuple[str, ...] = tuple(facts[number].text for number in numbers)
        self.shape: tuple[int, ...] = (len(numbers),)

    def meanings(self) -> list[Meaning]:
        """Return the fact of each position."""
        return [(frozenset({number}), 0) for number in self._numbers]

    def observe(self, position: Position, agent: int, /) -> NDArray[np.int8]:
        """Return the facts of a match as an agent sees them: (facts,), int8."""
        return self._expansions[agent].one(position.state.bits)

    def observe_states(self, states: NDArray[np.uint64], agent: int, out: NDArray[Any]) -> None:
        """Write the facts of states (n, state_words) to `out` (n, facts)."""
        self._expansions[agent].write(states, out)

    def pack_states(self, states: NDArray[np.uint64], agent: int, out: NDArray[np.uint8]) -> None:
        """Write the facts of states (n, state_words) to `out` (n, packed_size), eight to a byte, the lowest first."""
        self._expansions[agent].pack(states, out)

    @property
    def packed_size(self) -> int:
        """The number of bytes of packed facts."""
        return -(-len(self.legend) // 8)


@final
class StatesView:
    """Observations of many states in one array, of the type `dtype` and the shape (n, *shape)."""

    def __init__(self, game: EnvironmentGame, observation: str, dtype: str, *, percepts: bool = False) -> None:
        """Plan how to write them. Raises ValueError for unknown names, and as `states_observer` does.

        With `percepts`, agents of a game that hides its states see these, as in `Lanes.shown`, whatever `observation`.
        """
        if dtype not in DTYPES:
            raise ValueError(f"dtype must be one of {', '.join(DTYPES)}, not {dtype!r}")
        if observation not in OBSERVERS:
            raise ValueError(f"unknown observation {observation!r}: there are {' and '.join(OBSERVERS)}")
        hidden = percepts and game.hides_states
        self.observer: StatesObserver | PerceptsObserver = (
            PerceptsObserver(game) if hidden else states_observer(game, observation)
        )
        self.dtype: Any = np.dtype(DTYPES[dtype])
        self.shape: tuple[int, ...] = self.observer.shape
        #: The largest number in an observation.
        self.highest = 1
        #: Writes what an agent sees in states (n, state_words) to an array (n, *shape).
        self.write: Callable[[NDArray[np.uint64], int, NDArray[Any]], None] = self.observer.observe_states
        self._agents = game.agents
        self._same = game.perspective is Perspective.FIXED and not hidden
        if dtype == "bits":
            if not isinstance(self.observer, FactsObserver | PerceptsObserver):
                raise ValueError('dtype "bits" is for facts, not for planes')
            self.shape, self.highest, self.write = (self.observer.packed_size,), 255, self.observer.pack_states

    def write_asked(self, states: NDArray[np.uint64], role: NDArray[np.int8], out: NDArray[Any]) -> None:
        """Write what the roles (n,) that are asked see; what the first agent does for numbers of no agent."""
        if self._same:
            self.write(states, self._agents[0], out)
            return
        seen_by = np.where(np.isin(role, self._agents), role, self._agents[0])
        for agent in self._agents:
            lanes = np.flatnonzero(seen_by == agent)
            seen = np.empty((len(lanes), *self.shape), self.dtype)
            self.write(states[lanes], agent, seen)
            out[lanes] = seen


@final
class PerceptsObserver:
    """The view of an agent after a joint move, in a game with hidden states: its percepts, and its own last action.

    One position for each percept that any agent may have, sorted by text, then one for each action.
    """

    def __init__(self, game: EnvironmentGame) -> None:
        """Number the percepts."""
        percepts = sorted({percept.text for _, percept in game.simulator.circuit.sees})
        self._percepts = {percept: number for number, percept in enumerate(percepts)}
        self.legend: tuple[str, ...] = (
            *(f"sees {percept}" for percept in percepts),
            *(f"did {move.text}" for move in game.actions),
        )
        self.shape: tuple[int, ...] = (len(self.legend),)
        sees = list(game.simulator.circuit.sees)
        self._words = -(-len(sees) // 64)
        #: The bits of each agent's percepts, and the place of each in an observation.
        self._bits = {agent: [bit for bit, (role, _) in enumerate(sees) if role == agent] for agent in game.agents}
        self._places = {
            agent: [self._percepts[sees[bit][1].text] for bit in bits] for agent, bits in self._bits.items()
        }

    def observe_states(self, shown: NDArray[np.uint64], agent: int, out: NDArray[Any]) -> None:
        """Write what an agent sees, given `Lanes.shown`, to `out` (n, *shape)."""
        bits = np.unpackbits(np.ascontiguousarray(shown[:, : self._words]).view(np.uint8), axis=1, bitorder="little")
        out[...] = 0
        out[:, self._places[agent]] = bits[:, self._bits[agent]]
        acted = np.flatnonzero(shown[:, self._words + agent])
        out[acted, len(self._percepts) + shown[acted, self._words + agent].astype(np.int64) - 1] = 1

    def pack_states(self, shown: NDArray[np.uint64], agent: int, out: NDArray[np.uint8]) -> None:
        """Write the same, eight positions to a byte, to `out` (n, packed_size)."""
        seen = np.empty((len(shown), *self.shape), np.uint8)
        self.observe_states(shown, agent, seen)
        out[...] = np.packbits(seen, axis=1, bitorder="little")

    @property
    def packed_size(self) -> int:
        """The number of bytes of a packed observation."""
        return -(-len(self.legend) // 8)

    def observe(self, position: Position, agent: int, /) -> NDArray[np.int8]:
        """Return what an agent sees after the last joint move; zeros before the first."""
        out = np.zeros(self.shape, np.int8)
        for percept in position.percepts[agent]:
            out[self._percepts[percept.text]] = 1
        if position.last_actions:
            out[len(self._percepts) + position.last_actions[agent]] = 1
        return out
