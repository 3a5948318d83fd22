"""Time measured by the work done, so that every machine gets equally far in it."""

from __future__ import annotations

from typing import Final, final

#: Estimated seconds on a fast machine: per search, and in it per gate, choice and conflict.
_SEARCH: Final = 5e-4
_GATE: Final = 2e-7
_CHOICE: Final = 2e-6
_CONFLICT: Final = 1e-4
#: Per input of a gate, to encode a circuit for clingo once.
_ENCODING: Final = 2e-6


@final
class Effort:
    """The estimated seconds that a solver's searches have taken so far."""

    def __init__(self) -> None:
        """Start at zero."""
        self.spent = 0.0

    def encode(self, inputs: int) -> None:
        """Add the estimated time of encoding a circuit whose gates have a number of inputs."""
        self.spent += _ENCODING * inputs

    def search(self, gates: int, choices: float, conflicts: float) -> None:
        """Add the estimated time of a search."""
        self.spent += _SEARCH + _GATE * gates + _CHOICE * choices + _CONFLICT * conflicts
