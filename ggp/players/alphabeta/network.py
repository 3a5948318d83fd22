"""What positions are worth: a small network over the facts of a state, learned from games.

First random playouts teach what each fact is worth by itself (ridge regression). Then the search plays against itself
with what it knows, a few plies deep, and the network learns what came of its positions: the search's value one ply
later and the end of the game, mixed as in TD(lambda) (Sutton 1988; with search, Baxter et al. 2000).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import numpy as np

from ggp.players.alphabeta.search_memory import COLUMNS as PACKED
from ggp.players.alphabeta.search_memory import HEADS, HIDDEN, START, UNIT
from ggp.players.alphabeta.training import COLUMNS, train
from ggp.players.alphabeta.values import MOST, POINT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ggp.players.alphabeta.search import Search

#: How large weights must pay, in states, when they are fitted to playouts; so many states are unpacked at a time.
_RIDGE: Final = 30.0
_CHUNK: Final = 4096

#: How far weights move in a step, and the sum of squares of slopes that they begin with.
_RATE: Final = 0.02
_GROWN: Final = 0.1

#: How large hidden weights are at first.
_SPREAD: Final = 0.1

#: The number that stands for 1 in a hidden unit, at most; sums stay below the limit of 16 bits.
_ONE: Final = 1024
_LIMIT: Final = 32_000


@final
class Network:
    """The network, in hundreds of points. `weights`: (facts, columns); `heads`: how much each unit counts, their
    thresholds, the base.
    """

    def __init__(self, facts: int, seed: int) -> None:
        random = np.random.default_rng(seed)
        self.facts = facts
        self.weights = random.normal(0, _SPREAD, (facts, COLUMNS)).astype(np.float32)
        self.weights[:, HIDDEN] = 0
        # At first no hidden unit counts: what they would say is chance.
        self.heads = np.zeros(2 * HIDDEN + 1, np.float32)
        self.heads[HIDDEN : 2 * HIDDEN] = random.uniform(0, 1, HIDDEN)
        self._grown = np.full_like(self.weights, _GROWN)
        self._grown_heads = np.full_like(self.heads, _GROWN)
        self._random = random

    def fit(self, states: NDArray[np.uint64], values: NDArray[np.float32]) -> None:
        """Let facts count by themselves what explains the values (points) of some states best; (n, words) and (n,)."""
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

    def learn(self, states: NDArray[np.uint64], values: NDArray[np.float32]) -> float:
        """One step for each of some states, in random order; the mean square of the errors, in points."""
        order = self._random.permutation(len(states))
        targets = values / np.float32(100)
        arrays = (self.weights, self.heads, self._grown, self._grown_heads)
        return 1e4 * float(train(states, targets, order, *arrays, _RATE))

    def install(self, search: Search) -> None:
        """Let a search value positions by it."""
        weights, heads = self.weights.astype(np.float64), self.heads.astype(np.float64)
        # No state has more facts than half of them, or as many as matter; what is rare may not overflow either.
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


def unpacked(states: NDArray[np.uint64], facts: int) -> NDArray[np.float32]:
    """Packed states, (n, words), as (n, facts) of 0 and 1."""
    return np.unpackbits(states.view(np.uint8), axis=1, bitorder="little")[:, :facts].astype(np.float32)


def _packed(lanes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Whole numbers, (n, 4 k), four to one of 64 bits, (n, k): their sum with the weights 1, 2 ** 16, 2 ** 32, ..."""
    four = lanes.reshape(len(lanes), -1, 4)
    found: NDArray[np.int64] = (four << (16 * np.arange(4))).sum(axis=2)
    return found
