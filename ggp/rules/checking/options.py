"""The options of a check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from gdl.checker import CODES
from gdl.errors import GdlError, nearest
from gdl.simulator.seeds import checked_seed


class UnknownCodeError(GdlError):
    """The checker has no such code."""

    code = "unknown-code"

    def __init__(self, name: str) -> None:
        """Keep the unknown code."""
        self.name = name
        super().__init__(name)

    def __str__(self) -> str:
        """Return the code in question with the most similar known ones."""
        near = nearest(self.name, tuple(CODES), 3)
        hint = f"; did you mean {' or '.join(near)}?" if near else "; `ggp rule` lists the codes"
        return f"{self.code}: no code {self.name}{hint}"


@final
@dataclass(frozen=True, slots=True)
class Simulation:
    """Settings for a simulation: the number of random playouts, the seconds for proofs about all states, the seed.

    Raises TypeError and ValueError for a seed that is not a whole number from 0 to 2^64 - 1.
    """

    playouts: int = 100
    seconds: float = 20.0
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the seed."""
        checked_seed(self.seed)


@final
@dataclass(frozen=True, slots=True)
class Options:
    """The codes to ignore, whether only errors are reported, and the simulation, if any. Raises UnknownCodeError."""

    ignored: frozenset[str] = frozenset()
    errors_only: bool = False
    simulation: Simulation | None = None

    def __post_init__(self) -> None:
        """Check that the ignored codes exist."""
        for name in sorted(self.ignored - CODES.keys()):
            raise UnknownCodeError(name)

    @classmethod
    def of(cls, ignored: Sequence[str], *, errors_only: bool = False, simulation: Simulation | None = None) -> Options:
        """Return the options of a command line, where codes may be joined by commas."""
        names = frozenset(name.strip() for text in ignored for name in text.split(",") if name.strip())
        return cls(names, errors_only, simulation)
