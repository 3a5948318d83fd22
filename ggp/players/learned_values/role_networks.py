"""The networks of the roles of a game that is not a duel: each gives the goal of its role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, final

import numpy as np

from ggp.players.learned_values.network import Network, network_of
from ggp.players.learned_values.role_evaluation import RoleWeights, evaluate
from ggp.players.learned_values.tuples import STACKED, unstacked
from ggp.players.learned_values.units import HIDDEN

if TYPE_CHECKING:
    from numpy.typing import NDArray


def stacked(networks: Sequence[Network]) -> dict[str, NDArray[Any]]:
    """Return what the networks of roles have learned, by the names of arrays in files: those of `Network.arrays`.

    The arrays of `STACKED` have one more dimension, the roles, as their first. Tuples are those of all.
    """
    all_arrays = [network.arrays() for network in networks]
    return {
        name: np.stack([arrays[name] for arrays in all_arrays]) if name in STACKED else array
        for name, array in all_arrays[0].items()
    }


def networks_of(arrays: Mapping[str, NDArray[Any]], roles: int) -> list[Network]:
    """Return the networks of `roles` roles from stacked arrays. Raises ValueError if they do not fit together."""
    return list(map(network_of, unstacked(arrays, roles)))


@final
class RoleNetworks:
    """Networks of roles that give values together. Not thread-safe, as they share working memory."""

    def __init__(self, networks: Sequence[Network], words: int) -> None:
        """Take one network or more with the same tuples, and the number of words of a state; they are copied."""
        tuples, facts = networks[0].tuples, networks[0].facts
        count = len(networks)
        weights = np.zeros((64 * words, count * (HIDDEN + 1)), np.float32)
        weights[:facts, : count * HIDDEN] = np.concatenate([one.weights[:, :HIDDEN] for one in networks], axis=1)
        weights[:facts, count * HIDDEN :] = np.stack([one.weights[:, HIDDEN] for one in networks], axis=1)
        thresholds = [one.heads[HIDDEN : 2 * HIDDEN] for one in networks]
        self._given = RoleWeights(
            weights=weights,
            start=np.concatenate([*thresholds, [one.heads[2 * HIDDEN] for one in networks]]).astype(np.float32),
            heads=np.concatenate([one.heads[:HIDDEN] for one in networks]),
            entries=np.stack([one.entries for one in networks], axis=1),
            starts=tuples.starts(64 * words),
            links=tuples.links[:, 1:].copy(),
            places=tuples.places,
            sums=np.zeros(count * (HIDDEN + 1), np.float32),
            now=np.zeros(len(tuples.sizes), np.int64),
        )
        self._count = count

    def twin(self) -> RoleNetworks:
        """Return the same networks with working memory of their own, for another thread."""
        twin, given = copy(self), self._given
        twin._given = given._replace(sums=given.sums.copy(), now=given.now.copy())
        return twin

    def values(self, states: NDArray[np.uint64]) -> NDArray[np.float32]:
        """Return the values of packed states (n, words) as goals from 0 to 1: (n, roles)."""
        found = np.empty((len(states), self._count), np.float32)
        evaluate(np.ascontiguousarray(states), self._given, found)
        return found
