"""What the player does with a state: it knows the game's search and what positions are worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import TYPE_CHECKING, Final, final

import numpy as np

from ggp.players.alphabeta import machine
from ggp.players.alphabeta.learning import byte_sums, fitted
from ggp.players.alphabeta.searching import Search
from ggp.players.alphabeta.values import POINT

if TYPE_CHECKING:
    from gdl.simulator import Simulator
    from gdl.terms import Term
    from ggp.clock import Deadline
    from ggp.engine import State

#: States of random playouts to learn from, but not more than so many facts in all.
_STATES: Final = 40_000
_FACTS: Final = 8_000_000


@final
class Thinker:
    """Chooses the moves of one role."""

    def __init__(self, simulator: Simulator, role: str, seed: int, deadline: Deadline) -> None:
        self._simulator = simulator
        self._me = simulator.roles.index(role)
        self._random = Random(seed)
        self.search = Search(simulator, self._me)
        self.search.shuffle(seed)
        self._learn(seed)

    def _learn(self, seed: int) -> None:
        search = self.search
        facts = len(self._simulator.all_facts)
        count = min(_STATES, _FACTS // facts)
        search.states[0, : search.words] = np.frombuffer(self._simulator.initial_state().bits, np.uint64)
        kept, results = np.zeros((count, search.words), np.uint64), np.zeros(count, np.float32)
        machine.playouts(
            *(search.setup, search.states, search.outs, search.moves, search.joint, search.goals, kept, results),
            seed % 2**62,
        )
        weights, base = fitted(kept, results, facts)
        search.sums[:] = byte_sums(weights, search.words)
        search.setup[machine.BIAS] = round(base * POINT)

    def bits(self, state: State) -> bytes:
        """A state of the match, packed."""
        return self._simulator.state(state).bits

    def choose(
        self, bits: bytes, visited: Iterable[bytes], time_left: Callable[[], float], nodes: int | None
    ) -> Term | None:
        """The move to play; None if there was no time for any."""
        first, second = self.search.choices(bits)
        self.search.remember(visited)
        found = self.search.run(bits, time_left, nodes)
        if found.move < 0:
            return None
        self.last = found
        return self._simulator.moves(self._simulator.roles[self._me])[found.move]
