"""The evaluation of positions: a small network over the facts of a state, learned from games.

First, random playouts teach the value of each fact by itself (ridge regression). Then the search plays against itself
with the current network, a few plies deep, and the network learns how its positions turned out: a mixture of the
search's value one ply later and the end of the game, as in TD(lambda) (Sutton 1988; with search, Baxter et al. 2000).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from ggp.players.alphabeta.search_memory import COLUMNS as PACKED
from ggp.players.alphabeta.search_memory import HEADS, HIDDEN, START, UNIT
from ggp.players.alphabeta.training import COLUMNS, train
from ggp.players.alphabeta.values import MOST, POINT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ggp.players.alphabeta.search import Search

#: The ridge penalty on weights when they are fitted to playouts, and the number of states unpacked at a time.
_RIDGE: Final = 30.0
_CHUNK: Final = 4096

#: The learning rate, and the initial value of the sums of squared gradients.
_RATE: Final = 0.02
_GROWN: Final = 0.1

#: The standard deviation of the initial hidden weights.
_SPREAD: Final = 0.1

#: The largest integer that may represent 1 in a hidden unit, and a limit that keeps sums within 16 bits.
_ONE: Final = 1024
_LIMIT: Final = 32_000


@final
class Network:
    """The network; its values are in hundreds of points.

    `weights`: (facts, columns). `heads`: the output weight of each hidden unit, the thresholds of the units, and the
    base value: (2 * units + 1,).
    """

    def __init__(self, facts: int, seed: int) -> None:
        """Make a network for this number of facts, with random hidden weights."""
        random = np.random.default_rng(seed)
        self.facts = facts
        self.weights = random.normal(0, _SPREAD, (facts, COLUMNS)).astype(np.float32)
        self.weights[:, HIDDEN] = 0
        # At first the hidden units count nothing, as their output is random.
        self.heads = np.zeros(2 * HIDDEN + 1, np.float32)
        self.heads[HIDDEN : 2 * HIDDEN] = random.uniform(0, 1, HIDDEN)
        self._grown = np.full_like(self.weights, _GROWN)
        self._grown_heads = np.full_like(self.heads, _GROWN)
        self._random = random

    def fit(self, states: NDArray[np.uint64], values: NDArray[np.float32]) -> None:
        """Fit the facts' own weights to some states (n, words) and their values in points (n,)."""
        facts = self.facts
        gram, right = np.zeros((facts + 1, facts + 1)), np.zeros(facts + 1)
        for start in range(0, len(states), _CHUNK):
            rows = np.ones((len(states[start : start + _CHUNK]), facts + 1), np.float32)
            rows[:, :facts] = unpacked(states[start : start + _CHUNK], facts)
            gram += rows.T @ rows
            right += rows.T @ values[start : start + _CHUNK]
        gram[np.arange(facts), np.arange(facts)] += _RIDGE
        gram[facts, facts] += 1e-3
        found = np.linalg.solve(gram, right) / 100
        self.weights[:, HIDDEN] = found[:facts]
        self.heads[2 * HIDDEN] = found[facts]

    def learn(
        self, states: NDArray[np.uint64], values: NDArray[np.float32], random: np.random.Generator | None = None
    ) -> float:
        """Take one training step for each state, in random order; return the mean squared error, in points squared."""
        order = (random or self._random).permutation(len(states))
        targets = values / np.float32(100)
        arrays = (self.weights, self.heads, self._grown, self._grown_heads)
        return 1e4 * float(train(states, targets, order, *arrays, _RATE))

    def values(self, holds: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the values of states, given as 0 and 1 for each fact: (n, facts) to (n,), in hundreds of points."""
        heads = self.heads
        hidden = np.clip(holds @ self.weights[:, :HIDDEN] + heads[HIDDEN : 2 * HIDDEN], 0, 1)
        found: NDArray[np.float32] = holds @ self.weights[:, HIDDEN] + hidden @ heads[:HIDDEN] + heads[2 * HIDDEN]
        return found

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what the network has learned, by the names in files of weights; the arrays are the network's own."""
        return {"weights": self.weights, "heads": self.heads}

    def progress(self) -> dict[str, NDArray[Any]]:
        """Return what learning needs besides to go on: the sums of squared gradients so far."""
        return {"grown_weights": self._grown, "grown_heads": self._grown_heads}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Copy arrays, as `arrays` and `progress` return them, into the network. Raises ValueError if they do not fit.

        Those of `progress` may be missing if the network will not learn.
        """
        own = self.arrays() | {name: array for name, array in self.progress().items() if name in arrays}
        for name, array in own.items():
            if name not in arrays or arrays[name].shape != array.shape or arrays[name].dtype != array.dtype:
                raise ValueError(f"no array {name} of type {array.dtype} and shape {array.shape}")
            if not np.isfinite(arrays[name]).all():
                raise ValueError(f"{name} has values that are not finite numbers")
            array[:] = arrays[name]

    def install(self, search: Search) -> None:
        """Install the network in a search, which evaluates positions with it from now on."""
        weights, heads = self.weights.astype(np.float64), self.heads.astype(np.float64)
        # The sum over all facts is an upper bound, so that even rare states cannot overflow.
        spread = np.abs(weights[:, :HIDDEN]).sum(axis=0) + np.abs(heads[HIDDEN : 2 * HIDDEN])
        one = int(min(_ONE, _LIMIT / max(1e-9, spread.max())))
        lanes = np.zeros((64 * search.words, HIDDEN), np.int64)
        lanes[: self.facts] = np.rint(weights[:, :HIDDEN] * one)
        alone = np.zeros((64 * search.words, 1), np.int64)
        alone[: self.facts, 0] = np.clip(np.rint(weights[:, HIDDEN] * 100 * POINT), -MOST, MOST)
        bits = (np.arange(16)[:, None] >> np.arange(4)) & 1
        columns = np.concatenate([_packed(lanes), alone], axis=1).reshape(-1, 4, PACKED)
        search.memory.sums[:] = np.einsum("vb,nbc->nvc", bits, columns).reshape(-1, PACKED)
        setup = search.memory.setup
        thresholds = np.rint(heads[HIDDEN : 2 * HIDDEN] * one).astype(np.int64)
        setup[START : START + 4] = _packed(thresholds[None, :])[0]
        setup[START + 4] = round(heads[2 * HIDDEN] * 100 * POINT)
        setup[UNIT] = one
        setup[HEADS : HEADS + HIDDEN] = np.rint(heads[:HIDDEN] * (100 * POINT * 65536 / one))


def network_of(weights: Mapping[str, NDArray[Any]]) -> Network:
    """Return a network with weights that were learned before, by name. Raises ValueError if they do not fit."""
    network = Network(len(weights["weights"]), 0)
    network.restore(weights)
    return network


def unpacked(states: NDArray[np.uint64], facts: int) -> NDArray[np.float32]:
    """Return packed states (n, words) as 0 and 1: (n, facts)."""
    return np.unpackbits(states.view(np.uint8), axis=1, bitorder="little")[:, :facts].astype(np.float32)


def _packed(lanes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pack integers (n, 4 k) into 64-bit ones (n, k): sums of four, with the weights 1, 2 ** 16, 2 ** 32, 2 ** 48."""
    four = lanes.reshape(len(lanes), -1, 4)
    found: NDArray[np.int64] = (four << (16 * np.arange(4))).sum(axis=2)
    return found
