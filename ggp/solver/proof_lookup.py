"""Find states of a proof by their bits, in an index sorted by hash; this module loads Numba."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from gdl.codegen.compiled_functions import compiled
from gdl.simulator.hashing import same_row
from gdl.simulator.row_hashes import row_hashes

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled("void(uint64[:,::1], uint64[::1], int64[::1], int64[::1], int64, uint64[:,::1], uint64[::1], int64[::1])")
def _find(states: Any, keys: Any, order: Any, starts: Any, shift: Any, rows: Any, wanted: Any, numbers: Any) -> None:
    """Write the number of each row among the states to `numbers`, -1 if it is none of them.

    `starts` has the position of the first key for each value of the leading bits.
    """
    for i in range(len(rows)):
        numbers[i] = -1
        part = np.int64(wanted[i] >> np.uint64(shift))
        for place in range(starts[part], starts[part + 1]):
            if keys[place] != wanted[i]:
                continue
            number = order[place]
            if same_row(states, number, rows, i, rows.shape[1]):
                numbers[i] = number
                break


@final
class Lookup:
    """An index of states by their bits."""

    def __init__(self, states: NDArray[np.uint64]) -> None:
        """Sort the states by their hashes."""
        self._states = states
        keys = row_hashes(states)
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        bits = max(1, len(states).bit_length())
        self._shift = 64 - bits
        parts = (self._keys >> np.uint64(self._shift)).astype(np.int64)
        self._starts = np.searchsorted(parts, np.arange((1 << bits) + 1)).astype(np.int64)

    def find(self, rows: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the number of each row, -1 if it is none of the states."""
        rows = np.require(rows, np.uint64, ["C", "W"])
        wanted = row_hashes(rows)
        numbers = np.empty(len(rows), np.int64)
        _find(self._states, self._keys, self._order, self._starts, self._shift, rows, wanted, numbers)
        return numbers
