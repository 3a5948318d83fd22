"""Seeds: from one number for a match, one for each purpose is derived, the same on every machine."""

from __future__ import annotations

import hashlib
import random
import secrets
from typing import Final

#: Drawn seeds are below this: short enough to type, and exact in every JSON reader.
DRAWN_BELOW: Final = 2**32


def derive(seed: int, *purpose: str) -> int:
    """Return a seed of 63 bits for one purpose, such as `derive(seed, "player", role)`."""
    text = "\0".join((str(seed), *purpose))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def generator(seed: int, *purpose: str) -> random.Random:
    """Return a random number generator for one purpose."""
    return random.Random(derive(seed, *purpose))


def draw() -> int:
    """Return a new random seed, for a match without a given one."""
    return secrets.randbelow(DRAWN_BELOW)


def words(seed: int, count: int) -> list[int]:
    """Return the first outputs of splitmix64 (Steele, Lea, Flood, 2014)."""
    state, full = seed % 2**64, 2**64 - 1
    found = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & full
        word = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & full
        word = ((word ^ word >> 27) * 0x94D049BB133111EB) & full
        found.append(word ^ word >> 31)
    return found
