"""What positions are worth, learned from random playouts: one weight for each fact, by ridge regression.

The value that is fitted is the difference of the goals at the end of the playout, in points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ggp.players.alphabeta.values import MOST, POINT

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: How much larger weights must pay: so many states' worth.
_RIDGE: Final = 30.0

#: So many states are unpacked at a time.
_CHUNK: Final = 4096


def unpacked(states: NDArray[np.uint64], facts: int) -> NDArray[np.float32]:
    """Packed states, (n, words), as (n, facts) of 0 and 1."""
    return np.unpackbits(states.view(np.uint8), axis=1, bitorder="little")[:, :facts].astype(np.float32)


def fitted(states: NDArray[np.uint64], values: NDArray[np.float32], facts: int) -> tuple[NDArray[np.float64], float]:
    """The weight of each fact, (facts,), and what is added, in points, from states and their values."""
    size = facts + 1
    gram = np.zeros((size, size), np.float64)
    right = np.zeros(size, np.float64)
    for start in range(0, len(states), _CHUNK):
        rows = np.ones((len(states[start : start + _CHUNK]), size), np.float32)
        rows[:, :facts] = unpacked(states[start : start + _CHUNK], facts)
        gram += rows.T @ rows
        right += rows.T @ values[start : start + _CHUNK]
    gram[np.arange(facts), np.arange(facts)] += _RIDGE
    gram[facts, facts] += 1e-3
    found = np.linalg.solve(gram, right)
    return found[:facts], float(found[facts])


def byte_sums(weights: NDArray[np.float64], words: int) -> NDArray[np.int32]:
    """The sum of the weights for each byte of a state and each value of it: (8 * words, 256), in 1 / POINT points."""
    whole = np.zeros(64 * words, np.int64)
    whole[: len(weights)] = np.clip(np.rint(weights * POINT), -MOST, MOST)
    bits = (np.arange(256)[:, None] >> np.arange(8)) & 1
    return (bits @ whole.reshape(-1, 8).T).T.astype(np.int32)
