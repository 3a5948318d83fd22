"""The evaluation of positions: a small network over the facts of a state, learned from games.

First, random playouts teach the value of each fact by itself (ridge regression). Then the search plays against itself
with the current network, a few plies deep, and the network learns how its positions turned out: a mixture of the
search's value one ply later and the end of the game, as in TD(lambda) (Sutton 1988; with search, Baxter et al. 2000).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from ggp.players.learned_values.training import COLUMNS, Weights, train
from ggp.players.learned_values.tuples import NONE, Tuples, check_sums, fitting, network_tuples
from ggp.players.learned_values.units import HIDDEN, MOST, POINT

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The ridge penalty on weights when they are fitted to playouts, and the number of states unpacked at a time.
_RIDGE: Final = 30.0
_CHUNK: Final = 4096

#: Weights are fitted to fewer states if there are many facts: states times the square of facts is at most this, which
#: takes about a second. But there are at least `_LEAST_FIT` states.
_FIT: Final = 2e10
_LEAST_FIT: Final = 1_000

#: The learning rate, and the initial value of the sums of squared gradients.
_RATE: Final = 0.02
_GROWN: Final = 0.1

#: The most that the patterns of a state together move towards its value, and the initial sums of errors of patterns.
_STEP: Final = 0.2
_PUSH: Final = 1e-3

#: The standard deviation of the initial hidden weights.
_SPREAD: Final = 0.1


@final
class Network:
    """The network; its values are in hundreds of points.

    `weights`: (facts, columns). `heads`: the output weight of each hidden unit, the thresholds of the units, and the
    base value: (2 * units + 1,). `entries`: the weights of the patterns of tuples: (patterns,).
    """

    def __init__(self, facts: int, seed: int, tuples: Tuples = NONE) -> None:
        """Make a network for this number of facts, with random hidden weights."""
        random = np.random.default_rng(seed)
        self.facts = facts
        self.tuples = tuples
        #: The weights of patterns, and the sums of their errors so far, with and without signs: (patterns, 3).
        self._patterns = np.full((tuples.room, 3), _PUSH, np.float32)
        self.entries = self._patterns[:, 0]
        self.entries[:] = 0
        self.weights = random.normal(0, _SPREAD, (facts, COLUMNS)).astype(np.float32)
        self.weights[:, HIDDEN] = 0
        # At first the hidden units count nothing, as their output is random.
        self.heads = np.zeros(2 * HIDDEN + 1, np.float32)
        self.heads[HIDDEN : 2 * HIDDEN] = random.uniform(0, 1, HIDDEN)
        self._grown = np.full_like(self.weights, _GROWN)
        self._grown_heads = np.full_like(self.heads, _GROWN)
        self._random = random

    def fit(self, states: NDArray[np.uint64], values: NDArray[np.float32]) -> None:
        """Fit the facts' own weights to some states (n, words) and their values in points (n,).

        Facts that hold in none of the states keep a weight of 0. If the fit would take long, fewer states are used.
        """
        held = sum((unpacked(chunk, self.facts).sum(axis=0) for chunk in _chunks(states)), np.zeros(self.facts))
        known = np.flatnonzero(held)
        most = int(max(_LEAST_FIT, _FIT / max(1, len(known)) ** 2))
        if len(states) > most:
            chosen = self._random.permutation(len(states))[:most]
            states, values = states[chosen], values[chosen]
        goals = values.astype(np.float64) / 100
        goal = goals.mean()
        count, mean = len(states), np.zeros(len(known))
        if count >= len(known):
            gram, right = np.zeros((len(known), len(known))), np.zeros(len(known))
            for number, chunk in enumerate(_chunks(states)):
                rows = unpacked(chunk, self.facts)[:, known]
                gram += rows.T @ rows
                right += rows.T @ (goals[number * _CHUNK :][: len(rows)] - goal)
                mean += rows.sum(axis=0) / count
            gram -= count * np.outer(mean, mean)
            gram[np.diag_indices(len(known))] += _RIDGE
            found = np.linalg.solve(gram, right)
        else:
            # The same weights, from the products of states instead of those of facts.
            rows = unpacked(states, self.facts)[:, known]
            mean += rows.mean(axis=0)
            rows -= rows.mean(axis=0)
            products = (rows @ rows.T).astype(np.float64)
            products[np.diag_indices(count)] += _RIDGE
            found = rows.T @ np.linalg.solve(products, goals - goal)
        self.weights[known, HIDDEN] = found
        self.heads[2 * HIDDEN] = goal - found @ mean

    def learn(
        self, states: NDArray[np.uint64], values: NDArray[np.float32], random: np.random.Generator | None = None
    ) -> float:
        """Take one training step for each state, in random order; return the mean squared error, in points squared."""
        order = (random or self._random).permutation(len(states))
        targets = values / np.float32(100)
        links = self.tuples.links[:, 1:].copy()
        arrays = Weights(
            self.weights,
            self.heads,
            self._grown,
            self._grown_heads,
            self._patterns,
            self.tuples.starts(64 * states.shape[1]),
            links,
            self.tuples.places,
            active=np.empty(64 * states.shape[1], np.int64),
            now=np.empty(len(self.tuples.sizes), np.int64),
            units=np.empty((2, COLUMNS), np.float32),
        )
        return 1e4 * float(train(states, targets, order, arrays, np.float32(_RATE), np.float32(_STEP)))

    def values(self, holds: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the values of states, given as 0 and 1 for each fact: (n, facts) to (n,), in hundreds of points."""
        heads = self.heads
        hidden = np.clip(holds @ self.weights[:, :HIDDEN] + heads[HIDDEN : 2 * HIDDEN], 0, 1)
        alone = holds @ self.weights[:, HIDDEN] + self.entries[self.patterns(holds)].sum(axis=1)
        found: NDArray[np.float32] = alone + hidden @ heads[:HIDDEN] + heads[2 * HIDDEN]
        return found

    def patterns(self, holds: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return the places in `entries` of the patterns of states: (n, facts) to (n, tuples)."""
        links = self.tuples.links
        found = np.zeros((len(holds), len(self.tuples.sizes)), np.int64)
        np.add.at(found.T, links[:, 1], (holds[:, links[:, 0]] * links[:, 2]).T.astype(np.int64))
        return found + self.tuples.places

    def of_first_role(self) -> Network:
        """Return the network of the first role's goal, for a network of the difference of two goals that add up to 100.

        It is for values only, and cannot be trained.
        """
        made = Network(self.facts, 0, self.tuples)
        made.weights[:] = self.weights
        made.weights[:, HIDDEN] /= 2
        made.entries[:] = self.entries / 2
        made.heads[:] = self.heads
        made.heads[:HIDDEN] /= 2
        made.heads[2 * HIDDEN] = 0.5 + self.heads[2 * HIDDEN] / 2
        return made

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what the network has learned, by the names in files of weights, with its tuples.

        `entries` are rounded to what searches use: int16, in units of 1 / `POINT` points.
        """
        tuples = {"links": self.tuples.links, "sizes": self.tuples.sizes}
        return {"weights": self.weights.copy(), "heads": self.heads.copy(), "entries": self.rounded(), **tuples}

    def progress(self) -> dict[str, NDArray[Any]]:
        """Return all that learning needs to go on, besides the tuples; the arrays are the network's own."""
        return {
            "weights": self.weights,
            "heads": self.heads,
            "grown_weights": self._grown,
            "grown_heads": self._grown_heads,
            "patterns": self._patterns,
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Copy arrays that `progress` has returned into the network. Raises ValueError if they do not fit."""
        for name, array in self.progress().items():
            array[:] = fitting(arrays, name, array.dtype, array.shape)
        # Learning divides by these sums, which only grow.
        if min(sums.min(initial=1) for sums in (self._grown, self._grown_heads, self._patterns[:, 2])) <= 0:
            raise ValueError("sums of errors that are not positive")
        check_sums(self.weights, self.heads)

    def rounded(self) -> NDArray[np.int16]:
        """Return the weights of patterns in units."""
        found: NDArray[np.int16] = np.clip(np.rint(self.entries * (100 * POINT)), -MOST, MOST).astype(np.int16)
        return found


def network_of(arrays: Mapping[str, NDArray[Any]]) -> Network:
    """Return a network that plays as the one with these `arrays`. Raises ValueError if they do not fit together."""
    weights = arrays.get("weights")
    if weights is None or weights.ndim != 2:
        raise ValueError("no array weights of two dimensions")
    network = Network(len(weights), 0, network_tuples(arrays, len(weights)))
    network.weights[:] = weights
    network.heads[:] = arrays["heads"]
    network.entries[:] = arrays["entries"] / np.float32(100 * POINT)
    return network


def _chunks(states: NDArray[np.uint64]) -> Iterator[NDArray[np.uint64]]:
    for start in range(0, len(states), _CHUNK):
        yield states[start : start + _CHUNK]


def unpacked(states: NDArray[np.uint64], facts: int) -> NDArray[np.float32]:
    """Return packed states (n, words) as 0 and 1: (n, facts)."""
    return np.unpackbits(states.view(np.uint8), axis=1, bitorder="little")[:, :facts].astype(np.float32)
