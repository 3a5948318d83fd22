"""Estimates of the number of states of a game, and of its lines of play, from random playouts.

- States: the number of different ones that playouts reached, and Chao's estimate of all (Chao 1984, "Nonparametric
  estimation of the number of classes in a population"): seen + once * (once - 1) / (2 * (twice + 1)), where `once` and
  `twice` are the numbers of states that were seen once and twice. States that random play hardly ever reaches are
  missed: it is an estimate of a lower bound.
- Lines of play: the mean of the product of the numbers of joint moves along a playout is the number of leaves of the
  game tree (Knuth 1975, "Estimating the efficiency of backtrack programs").
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import TYPE_CHECKING, Final, final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The most states that are noted.
_MOST: Final = 1 << 20


@final
@dataclass(frozen=True, slots=True)
class TreeSize:
    """Estimates from random playouts: `seen` states of `visits`, `states` altogether, and `lines` as a power of ten."""

    seen: int
    visits: int
    states: float
    lines: float


@final
class Seen:
    """States and numbers of moves that random playouts have shown."""

    def __init__(self) -> None:
        """Begin with nothing."""
        #: Hashes of states: of a million different ones, two have the same hash with a probability of 3e-8.
        self._states: list[NDArray[np.uint64]] = []
        self._noted = 0
        self._lines: list[NDArray[np.float64]] = []

    def note_states(self, states: NDArray[np.uint64]) -> None:
        """Note the states of some playouts at the same ply, as rows of words."""
        from gdl.simulator.hashing import row_hashes

        room = _MOST - self._noted
        if room > 0:
            self._states.append(row_hashes(states[:room]))
            self._noted += len(states[:room])

    def note_lines(self, logarithms: NDArray[np.float64]) -> None:
        """Note, for each playout, the natural logarithm of the product of its numbers of joint moves."""
        self._lines.append(logarithms)

    def size(self) -> TreeSize | None:
        """Return the estimates; None if no states were noted, as for games that are not compiled."""
        if not self._states:
            return None
        hashes = np.concatenate(self._states)
        _, times = np.unique(hashes, return_counts=True)
        once, twice = int((times == 1).sum()), int((times == 2).sum())
        states = len(times) + once * (once - 1) / (2 * (twice + 1))
        return TreeSize(len(times), len(hashes), states, _log10_mean(np.concatenate(self._lines)))


def _log10_mean(logarithms: NDArray[np.float64]) -> float:
    """Return the decimal logarithm of the mean of numbers, given their natural logarithms."""
    if not len(logarithms):
        return -inf
    largest = float(logarithms.max())
    return (largest + log(float(np.exp(logarithms - largest).mean()))) / log(10)
