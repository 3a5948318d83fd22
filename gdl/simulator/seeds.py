"""Seeds: from one number for a match, one for each purpose is derived, the same on every machine.

This module also checks the seeds and counts that users pass.
"""

from __future__ import annotations

import hashlib
import operator
import random
import secrets
from typing import Final

#: Drawn seeds are below this: short enough to type, and exact in every JSON reader.
DRAWN_BELOW: Final = 2**32


#: Seeds are below this.
SEEDS: Final = 2**64

#: The largest count, such as a number of plies; machine code and NumPy count in 64 bits.
_MOST: Final = 2**62


def checked_seed(seed: object) -> int:
    """Return a seed as an int; any integral number will do, such as a NumPy integer.

    Raises TypeError unless it is one, and ValueError unless it is from 0 to 2^64 - 1.
    """
    number = _integral("seed", seed)
    if not 0 <= number < SEEDS:
        raise ValueError(f"seed must be from 0 to 2^64 - 1, not {_shown(number)}")
    return number


def checked_count(name: str, count: object, least: int = 1) -> int:
    """Return a count as an int; any integral number will do.

    Raises TypeError unless it is one, and ValueError unless it is from `least` to 2^62.
    """
    number = _integral(name, count)
    if number < least:
        raise ValueError(f"{name} must be at least {least}, not {_shown(number)}")
    if number > _MOST:
        raise ValueError(f"{name} must be at most 2^62, not {_shown(number)}")
    return number


def _integral(name: str, value: object) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {value!r:.60}") from None


def _shown(number: int) -> str:
    """Return a number as text, without the digits of huge ones."""
    return str(number) if abs(number) < 10**30 else f"a number of {number.bit_length()} bits"


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
    """Return the first outputs of splitmix64 (Steele, Lea, Flood, 2014). Raises what `checked_seed` does."""
    state, full = checked_seed(seed), 2**64 - 1
    found = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & full
        word = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & full
        word = ((word ^ word >> 27) * 0x94D049BB133111EB) & full
        found.append(word ^ word >> 31)
    return found
