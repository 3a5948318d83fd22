"""Time that is counted by the work that is done, so that every machine does the same in it."""

from __future__ import annotations

from typing import Final, final

#: What things take on a fast machine, in seconds: a search at all, for each gate, choice and conflict.
_SEARCH: Final = 5e-4
_GATE: Final = 2e-7
_CHOICE: Final = 2e-6
_CONFLICT: Final = 1e-4


@final
class Effort:
    """The seconds that searches of a solver would have taken so far."""

    def __init__(self) -> None:
        self.spent = 0.0

    def search(self, gates: int, choices: float, conflicts: float) -> None:
        """Count a search."""
        self.spent += _SEARCH + _GATE * gates + _CHOICE * choices + _CONFLICT * conflicts
