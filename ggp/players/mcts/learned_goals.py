"""Learned goals of states, which a search mixes with those of playouts."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Final, final

import numpy as np

from gdl.engine import is_nature
from ggp.players.learned_values.role_networks import RoleNetworks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gdl.simulator.simulator import Simulator
    from ggp.players.learned_values.network import Network

#: The goal of the chance role, which has no network.
_NOTHING: Final = 0.5


@final
class LearnedGoals:
    """The goals that networks expect of states, and their weight against the goals of playouts, 0 to 1.

    In a duel, the one network for the difference of two goals stands for both: what one role gains, the other loses.
    Not thread-safe.
    """

    def __init__(self, simulator: Simulator, networks: Sequence[Network], weight: float = 1.0) -> None:
        """Take a network for each role but chance, or the one of a duel, and the weight."""
        self.weight = weight
        self._roles = [number for number, role in enumerate(simulator.roles) if not is_nature(role)]
        self._count = len(simulator.roles)
        self._duel = len(networks) < len(self._roles)
        if self._duel:
            networks = [networks[0].of_first_role()]
        self._networks = RoleNetworks(networks, simulator.layout.state_words)

    def twin(self) -> LearnedGoals:
        """Return the same goals for another thread."""
        twin = copy(self)
        twin._networks = self._networks.twin()
        return twin

    def goals(self, states: NDArray[np.uint64]) -> NDArray[np.float32]:
        """Return the goals of packed states (n, words), 0 to 1: (n, roles)."""
        found = self.valued(states)
        if len(self._roles) == self._count:
            return found
        goals = np.full((len(states), self._count), _NOTHING, np.float32)
        goals[:, self._roles] = found
        return goals

    def valued(self, states: NDArray[np.uint64]) -> NDArray[np.float32]:
        """Return the goals of the roles that have a network: (n, those roles)."""
        found = self._networks.values(states)
        return np.concatenate([found, 1 - found], axis=1) if self._duel else found
