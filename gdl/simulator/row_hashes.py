"""Hashes of many packed states at once, by a loop compiled by Numba; this module loads Numba."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gdl.codegen.compiled_functions import compiled
from gdl.simulator.hashing import hash_row

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled("void(uint64[:,::1], uint64[::1])")
def _hash_rows(rows: Any, hashes: Any) -> None:
    for i in range(len(rows)):
        hashes[i] = hash_row(rows, i, rows.shape[1])


def row_hashes(rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the hash of each row of an array (n, words)."""
    rows = np.require(rows, np.uint64, ["C", "W"])
    hashes = np.empty(len(rows), np.uint64)
    _hash_rows(rows, hashes)
    return hashes
