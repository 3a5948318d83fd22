"""Time measured by the work done, so that every machine gets equally far in it."""

from __future__ import annotations

from typing import Final, final

#: Estimated seconds: per search, and in it per gate, choice, conflict and literal of what is learnt from conflicts. The
#: first conflicts also take time for each variable; later ones mostly follow from what has been learnt.
#:
#: Measured with brawl, skirmish and othello (4,000 to 48,000 variables): 258 conflicts with 70,000 literals and 27,000
#: variables took 0.54 s (estimate 0.53 s), 1,889 with 410,000 literals 1.2 s (1.1 s), and 5,000 with 485,000 literals
#: and 18,000 variables 0.5 to 0.9 s (1.2 s).
_SEARCH: Final = 5e-4
_GATE: Final = 2e-7
_CHOICE: Final = 2e-6
_CONFLICT: Final = 5e-5
_LITERAL: Final = 1.4e-6
_VARIABLE: Final = 6e-8
_FIRST: Final = 250
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

    def search(self, gates: int, variables: float, choices: float, conflicts: float, learnt: float) -> None:
        """Add the estimated time of a search; `learnt` is the number of literals learnt from its conflicts."""
        self.spent += _SEARCH + _GATE * gates + _CHOICE * choices + _CONFLICT * conflicts
        self.spent += _LITERAL * learnt + _VARIABLE * variables * min(conflicts, _FIRST)
