"""Words to start generators of random bits with."""

from __future__ import annotations


def words(seed: int, count: int) -> list[int]:
    """The first outputs of splitmix64 (Steele, Lea, Flood, 2014)."""
    state, full = seed % 2**64, 2**64 - 1
    found = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & full
        word = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & full
        word = ((word ^ word >> 27) * 0x94D049BB133111EB) & full
        found.append(word ^ word >> 31)
    return found
