"""The latest states of games, from which a network learns again whenever it learns from new ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ggp.players.learned_values.network import Network

    #: States, (n, words), with a value in points for each, (n,).
    Examples = tuple[NDArray[np.uint64], NDArray[np.float32]]

#: The number of states repeated for each new one.
_REPEATED: Final = 4


@final
class Replay:
    """The latest states of games and their values."""

    def __init__(self, most: int) -> None:
        """Keep the latest batches that have at most this many states together, and always the last one."""
        self._most = most
        self._batches: deque[Examples] = deque()

    def teach(
        self,
        networks: Sequence[Network],
        new: Examples,
        random: np.random.Generator,
        imaged: Callable[[Examples, np.random.Generator], Examples] = lambda examples, _: examples,
    ) -> float:
        """Teach networks new states and some of those kept, and keep the new ones.

        The values of several networks are columns. Networks learn what `imaged` makes of the examples, anew each time.
        Return the mean squared error before each step, in points squared.
        """
        if not len(new[0]):
            return 0.0
        self._batches.append(new)
        while sum(len(states) for states, _ in self._batches) > self._most and len(self._batches) > 1:
            self._batches.popleft()
        states, values = (np.concatenate([batch[part] for batch in self._batches]) for part in (0, 1))
        again = random.integers(0, len(states), _REPEATED * len(new[0]))
        drawn = np.concatenate([new[0], states[again]]), np.concatenate([new[1], values[again]])
        taught, targets = imaged(drawn, random)
        columns = targets.reshape(len(targets), len(networks)).T.copy()
        errors = [network.learn(taught, own, random) for network, own in zip(networks, columns, strict=True)]
        return sum(errors) / len(errors)

    def sample(self, most: int, random: np.random.Generator) -> Examples:
        """Return up to `most` of the kept states, drawn at random, and their values."""
        states, values = (np.concatenate([batch[part] for batch in self._batches]) for part in (0, 1))
        chosen = random.permutation(len(states))[:most]
        return states[chosen], values[chosen]

    @property
    def batches(self) -> list[Examples]:
        """The batches that are kept, the oldest first."""
        return list(self._batches)

    def restore(self, batches: list[Examples]) -> None:
        """Keep these batches, the oldest first, instead of any others."""
        self._batches = deque(batches)
