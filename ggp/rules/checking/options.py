"""What somebody wants to know of rule files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from gdl.checker import CODES
from gdl.errors import GdlError, nearest


class UnknownCodeError(GdlError):
    """A code was named that the checker does not have."""

    code = "unknown-code"

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)

    def __str__(self) -> str:
        near = nearest(self.name, tuple(CODES), 3)
        hint = f"; did you mean {' or '.join(near)}?" if near else "; docs/codes/index.md lists the codes"
        return f"{self.code}: no code {self.name}{hint}"


@final
@dataclass(frozen=True, slots=True)
class Simulation:
    """Random playouts, and seconds for proofs about all states."""

    playouts: int = 100
    seconds: float = 20.0
    seed: int = 0


@final
@dataclass(frozen=True, slots=True)
class Options:
    """Codes that are not told, whether warnings and hints are, and what is played. Raises UnknownCodeError."""

    ignored: frozenset[str] = frozenset()
    errors_only: bool = False
    simulation: Simulation | None = None

    def __post_init__(self) -> None:
        for name in sorted(self.ignored - CODES.keys()):
            raise UnknownCodeError(name)

    @classmethod
    def of(cls, ignored: Sequence[str], *, errors_only: bool = False, simulation: Simulation | None = None) -> Options:
        """The options of a command line, where codes may be joined by commas."""
        names = frozenset(name.strip() for text in ignored for name in text.split(",") if name.strip())
        return cls(names, errors_only, simulation)
