"""The score of learned values in matches against `auto` without them, as the header of their file has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, final

#: The key of the header's `made`.
MEASURED: Final = "measured"

#: The most matches, and nodes of a move.
_MOST: Final = 10**12


@final
@dataclass(frozen=True, slots=True)
class Measured:
    """The points of a number of matches, 1 for a win and half for a draw, and the 95% interval of the share.

    `nodes` is the limit of both players for a move: nodes of `alphabeta`, or simulations of `mcts`.
    """

    points: float
    games: int
    low: float
    high: float
    nodes: int

    @property
    def harmful(self) -> bool:
        """True if chance is no good explanation of a share below one half: even the end of the interval is below."""
        return self.high < 0.5

    @property
    def text(self) -> str:
        """The score, in words."""
        share = f"{self.points / self.games:.0%} of the points ({self.low:.0%} to {self.high:.0%})"
        return (
            f"{share} in {self.games:,} matches against auto(learned=0), at {self.nodes:,} nodes or simulations a move"
        )

    def fields(self) -> dict[str, Any]:
        """Return the entry of the header."""
        interval = [self.low, self.high]
        return {"points": self.points, "games": self.games, "interval": interval, "nodes": self.nodes}


def measured_in(made: Mapping[str, Any]) -> Measured | None:
    """Return what a header says; None if nothing was measured. Raises ValueError if it is not in the format."""
    entry = made.get(MEASURED)
    if entry is None:
        return None
    try:
        low, high = map(float, entry["interval"])
        found = Measured(float(entry["points"]), int(entry["games"]), low, high, int(entry["nodes"]))
    except (KeyError, TypeError, ValueError, OverflowError):
        raise ValueError("the measurement is not in the format") from None
    counts = 0 < found.games <= _MOST and 0 < found.nodes <= _MOST
    if not (counts and 0 <= found.points <= found.games and 0 <= low <= high <= 1):
        raise ValueError("the measurement is not in the format")
    return found
