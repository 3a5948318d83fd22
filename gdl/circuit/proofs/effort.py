"""Time measured by the work done, so that every machine gets equally far in it."""

from __future__ import annotations

from typing import Final, final

#: Estimated seconds on a fast machine: per search, and in it per gate, choice and conflict.
_SEARCH: Final = 5e-4
_GATE: Final = 2e-7
_CHOICE: Final = 2e-6
_CONFLICT: Final = 1e-4


@final
class Effort:
    """The estimated seconds that a solver's searches have taken so far."""

    def __init__(self) -> None:
        """Start at zero."""
        self.spent = 0.0

    def search(self, gates: int, choices: float, conflicts: float) -> None:
        """Add the estimated time of a search."""
        self.spent += _SEARCH + _GATE * gates + _CHOICE * choices + _CONFLICT * conflicts
