"""Hashes of packed states, for compiled code; this module loads Numba.

They are only used for tables in memory: neither files nor sequences of random numbers depend on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gdl.codegen.array_types import U64_1, U64_2, U64_2_READ, Int
from gdl.codegen.compiled_functions import compiled, part

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The initial value of a hash, and the odd factors for words (those of MurmurHash3, Appleby 2011).
_SEED: Final = np.uint64(0x9E3779B97F4A7C15)
_OF_WORD: Final = np.uint64(0xFF51AFD7ED558CCD)
_OF_END: Final = np.uint64(0xC4CEB9FE1A85EC53)


@part
def _mixed(found: np.uint64, word: np.uint64) -> Any:
    found = (found ^ word) * _OF_WORD
    return found ^ (found >> np.uint64(32))


@part
def _finished(found: np.uint64) -> Any:
    found *= _OF_END
    return found ^ (found >> np.uint64(29))


@part
def hash_row(rows: U64_2_READ, row: Int, words: Int) -> Any:
    """Return the hash (uint64) of the first `words` words of a row of an array (n, words or more) of uint64."""
    found = _SEED
    for word in range(words):
        found = _mixed(found, rows[row, word])
    return _finished(found)


@part
def hash_pair(first: np.uint64, second: np.uint64) -> Any:
    """Return the hash (uint64) of two words (uint64)."""
    return _finished(_mixed(_mixed(_SEED, first), second))


@part
def hash_with(hashed: np.uint64, number: Int) -> Any:
    """Return the hash (uint64) of a hash combined with a non-negative number."""
    return hashed ^ (np.uint64(number + 1) * _SEED)


@part
def same_row(rows: U64_2, row: Int, others: U64_2, other: Int, words: Int) -> Any:
    """Return True if the first `words` words of a row of one array equal those of a row of another."""
    for word in range(words):  # noqa: SIM110
        if rows[row, word] != others[other, word]:
            return False
    return True


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
