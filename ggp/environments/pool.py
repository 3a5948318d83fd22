"""Pools of opponents: who plays against the learner is drawn for each match."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from itertools import accumulate
from math import isfinite
from random import Random
from typing import TYPE_CHECKING, Any, final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: A member of a pool: the name of a player as on the command line, or a function as the environment expects it.
Member = str | Callable[..., Any]


@final
class Pool:
    """Opponents by name, each with a weight: the probability to be drawn, in relation to the others.

    A pool may be changed at any time, which counts for matches that begin later. Environments may share a pool.
    """

    def __init__(self, members: Mapping[str, Member] | None = None, weights: Mapping[str, float] | None = None) -> None:
        """Begin with some members; weights are 1 if they are not given. Raises as `add` and `weigh`."""
        self._members: dict[str, Member] = {}
        self._weights: dict[str, float] = {}
        for name, member in (members or {}).items():
            self.add(name, member)
        for name, weight in (weights or {}).items():
            self.weigh(name, weight)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all members, in the order in which they came. Their numbers never change."""
        return tuple(self._members)

    @property
    def weights(self) -> dict[str, float]:
        """The weights by name."""
        return dict(self._weights)

    def __getitem__(self, name: str) -> Member:
        """Return a member by its name. Raises KeyError."""
        return self._members[name]

    def add(self, name: str, member: Member, weight: float = 1.0) -> None:
        """Add a member: a player's name, such as `"greedy"` or `"policy.onnx"`, or a function.

        Raises ValueError for a name that there is already or a weight that is negative, TypeError for anything else,
        UnknownPlayerError and PlayerLoadError.
        """
        if name in self._members:
            raise ValueError(f"the pool has {name!r} already; members keep their names for good")
        if isinstance(member, str):
            from ggp.players import make_player

            make_player(member)  # so that unknown names are refused now
        elif not callable(member):
            raise TypeError(f"the member {name!r} is neither the name of a player nor a function, but {member!r:.60}")
        self._members[name] = member
        try:
            self.weigh(name, weight)
        except ValueError:
            del self._members[name]
            raise

    def weigh(self, name: str, weight: float) -> None:
        """Set the weight of a member: 0 if it shall not be drawn any more. Raises KeyError, ValueError."""
        self._members[name]
        if not (isfinite(weight) and weight >= 0):
            raise ValueError(f"the weight of {name!r} must be a number from 0 on, not {weight}")
        self._weights[name] = float(weight)

    def draw(self, seed: int) -> str:
        """Return the name of a member, drawn by a seed. Raises ValueError if no member has a weight above 0."""
        return self.names[bisect_right(self._steps(), Random(seed).random())]

    def draw_many(self, uniform: NDArray[np.float64]) -> NDArray[np.int16]:
        """Return the numbers of members (n,), drawn by numbers from 0 to below 1. Raises as `draw`."""
        import numpy as np

        return np.searchsorted(self._steps(), uniform, side="right").astype(np.int16)

    def _steps(self) -> list[float]:
        """Return, for each member, the probability of those up to it."""
        sums = list(accumulate(self._weights.values()))
        if not sums or not sums[-1] > 0:
            raise ValueError("no member of the pool has a weight above 0, so none can be drawn")
        # The last one with a weight takes the rest, so that rounding leaves nobody out and draws nobody without.
        last = max(number for number, weight in enumerate(self._weights.values()) if weight)
        return [one / sums[-1] if number < last else 1.0 for number, one in enumerate(sums)]
