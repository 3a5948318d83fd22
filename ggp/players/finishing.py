"""Decided games: moves that are alike to a search, and of several that seem to win, the one that wins soonest.

A search hardly sees a difference between such moves until it reaches the end, and might go to and fro for ever. Random
playouts reach the end sooner from a state that is nearer to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    from gdl.simulator.packed_state import PackedState
    from gdl.simulator.simulator import Simulator
    from gdl.terms import Term

#: A win is sure if the goal is at most this share of the whole range below the highest one. Moves win alike if they
#: differ by at most half of that.
SURE: Final = 0.05

#: Playouts from each state, and the difference of their mean goals that does not count.
PLAYOUTS: Final = 2048
_ALIKE: Final = 1.0

#: The share of the time left that they may take.
_SHARE: Final = 0.3


@final
@dataclass(frozen=True, slots=True)
class Candidates:
    """Moves that are alike to a search, the first one to be played if they cannot be compared.

    `sure` is the goal that each of them is proved to bring, 0 to 1, and no more; None if nothing is proved. `lost` is
    True if it is the lowest goal, or looks like it.
    """

    moves: tuple[Term, ...]
    sure: float | None
    lost: bool

    @property
    def floor(self) -> float:
        """The goal that is sure, 0 to 1."""
        return self.sure or 0.0

    @property
    def verdict(self) -> str:
        """The knowledge of the position, in words."""
        if self.sure is None:
            return "seems lost"
        return "lost by force" if self.lost else f"{100 * self.sure:.0f} by force"


def soonest(game: Simulator, states: Sequence[PackedState], role: str, seed: int, each: float, left: float) -> int:
    """Return from which of some states random playouts end soonest, among those that are best for a role.

    This is the first one, if it is near its end already, or if `PLAYOUTS` playouts take `each` seconds and there are
    too few left.
    """
    if len(states) * each > _SHARE * left or any(map(game.is_terminal, states)):
        return 0
    played = [game.playouts(PLAYOUTS, state, seed) for state in states]
    goals = [one.goals[role] for one in played]
    best = [number for number, goal in enumerate(goals) if goal >= max(goals) - _ALIKE]
    return min(best, key=lambda number: played[number].mean_length, default=0)
