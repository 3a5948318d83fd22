"""Tuples of cells, whose contents are looked up together in a table of weights; and checks of the arrays of networks.

This module does not load Numba: whether the arrays in a file are those of a network is known before it is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from ggp.players.learned_values.units import HIDDEN

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The most patterns of all tuples.
_MOST_PATTERNS: Final = 1 << 22

#: The arrays of a network that each role has of its own; in files, those of all roles are stacked.
STACKED: Final = ("weights", "heads", "entries")

#: The largest sum of the weights of a column, and the largest head, of a network that is read.
_GREATEST: Final = 10_000


@final
@dataclass(frozen=True, slots=True, eq=False)
class Tuples:
    """Tuples of cells; what a cell holds is a digit of the number of its pattern.

    `links`: (links, 3) int32, the fact, the tuple, and what the fact adds to the number of the tuple's pattern, in the
    order of facts. `sizes`: (tuples,) int32, the number of patterns of each.
    """

    links: NDArray[np.int32]
    sizes: NDArray[np.int32]

    @classmethod
    def of(cls, links: Sequence[tuple[int, int, int]], sizes: Sequence[int]) -> Tuples:
        """Return tuples with links in any order."""
        return cls(np.array(sorted(links), np.int32).reshape(-1, 3), np.array(sizes, np.int32))

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray[Any]], facts: int) -> Tuples:
        """Return the tuples of a network for a number of facts. Raises ValueError if they are not sound."""
        links, sizes = arrays.get("links"), arrays.get("sizes")
        if links is None or links.dtype != np.int32 or links.ndim != 2 or links.shape[1] != 3:
            raise ValueError("no array links of type int32 and three columns")
        if sizes is None or sizes.dtype != np.int32 or sizes.ndim != 1:
            raise ValueError("no array sizes of type int32 and one dimension")
        limits = np.array([facts, len(sizes), _MOST_PATTERNS])
        if (links < 0).any() or (links >= limits).any() or (sizes < 1).any() or (sizes > _MOST_PATTERNS).any():
            raise ValueError("links or sizes that are out of range")
        if (np.diff(links[:, 0]) < 0).any():
            raise ValueError("links that are not in the order of facts")
        found = cls(np.ascontiguousarray(links), sizes)
        if sizes.sum(dtype=np.int64) > _MOST_PATTERNS or found.room > 8 * _MOST_PATTERNS:
            raise ValueError(f"more than {_MOST_PATTERNS:,} patterns")
        return found

    @property
    def room(self) -> int:
        """The length of arrays in which no state, even one that cannot be reached, has a pattern outside."""
        if not len(self.sizes):
            return 0
        most = np.bincount(self.links[:, 1], self.links[:, 2], len(self.sizes))
        return int((self.places + np.maximum(most + 1, self.sizes)).max())

    @property
    def places(self) -> NDArray[np.int32]:
        """The place of the first pattern of each tuple, if all are in one array: (tuples,)."""
        found: NDArray[np.int32] = (np.cumsum(self.sizes) - self.sizes).astype(np.int32)
        return found

    def starts(self, facts: int) -> NDArray[np.int32]:
        """The first link of each of a number of facts, then the number of links: (facts + 1,)."""
        found: NDArray[np.int32] = np.searchsorted(self.links[:, 0], np.arange(facts + 1)).astype(np.int32)
        return found


#: No tuples.
NONE: Final = Tuples.of((), ())


def unstacked(arrays: Mapping[str, NDArray[Any]], roles: int) -> list[dict[str, NDArray[Any]]]:
    """Return the arrays of the network of each role from those of all, which are stacked. Raises ValueError."""
    for name in STACKED:
        if name not in arrays or not arrays[name].ndim or len(arrays[name]) != roles:
            raise ValueError(f"no array {name} for {roles} roles")
    return [{**arrays, **{name: np.ascontiguousarray(arrays[name][role]) for name in STACKED}} for role in range(roles)]


def network_tuples(arrays: Mapping[str, NDArray[Any]], facts: int) -> Tuples:
    """Return the tuples of the network with these arrays, for a number of facts. Raises ValueError if any is wrong."""
    tuples = Tuples.read(arrays, facts)
    weights = fitting(arrays, "weights", np.dtype(np.float32), (facts, HIDDEN + 1))
    check_sums(weights, fitting(arrays, "heads", np.dtype(np.float32), (2 * HIDDEN + 1,)))
    fitting(arrays, "entries", np.dtype(np.int16), (tuples.room,))
    return tuples


def fitting(arrays: Mapping[str, NDArray[Any]], name: str, kind: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return the array of a name, if its type and shape are these. Raises ValueError."""
    found = arrays.get(name)
    if found is None or found.shape != shape or found.dtype != kind:
        raise ValueError(f"no array {name} of type {kind} and shape {shape}")
    if not np.isfinite(found).all():
        raise ValueError(f"{name} has values that are not finite numbers")
    return found


def check_sums(weights: NDArray[np.float32], heads: NDArray[np.float32]) -> None:
    """Raise ValueError for weights with which sums overflow."""
    if max(np.abs(weights).sum(axis=0, dtype=np.float64).max(initial=0), np.abs(heads).max()) > _GREATEST:
        raise ValueError("weights or heads that are too large")
