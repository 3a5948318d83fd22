"""Hashes of many packed states at once, by a loop compiled by Numba; this module loads Numba."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gdl.codegen.array_types import U64_1, U64_2
from gdl.codegen.compiled_functions import compiled
from gdl.simulator.hashing import hash_row

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def _hash_rows(rows: U64_2, hashes: U64_1) -> None:
    for i in range(len(rows)):
        hashes[i] = hash_row(rows, i, rows.shape[1])


def row_hashes(rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the hash of each row of an array (n, words)."""
    rows = np.require(rows, np.uint64, ["C", "W"])
    hashes = np.empty(len(rows), np.uint64)
    _hash_rows(rows, hashes)
    return hashes
