"""Finish a decided game: of several moves that seem to win for sure, find the one that wins soonest.

A search hardly sees a difference between such moves until it reaches the end, and might go to and fro for ever. Random
playouts reach the end sooner from a state that is nearer to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from gdl.simulator.packed_state import PackedState
    from gdl.simulator.simulator import Simulator

#: A win is sure if the goal is at most this share of the whole range below the highest one. Moves win alike if they
#: differ by at most half of that.
SURE: Final = 0.05

#: Playouts from each state, and the difference of their mean goals that does not count.
PLAYOUTS: Final = 2048
_ALIKE: Final = 1.0

#: The share of the time left that they may take.
_SHARE: Final = 0.3


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
