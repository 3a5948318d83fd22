"""The moves that keep the value of a position, by the search by depth."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from ggp.solver.bounds import unknown
from ggp.solver.budget import Progress, Stop, limited
from ggp.solver.errors import NotSolvableError
from ggp.solver.goals import declared_goals
from ggp.solver.line import mover_of
from ggp.solver.search import DepthSearch

if TYPE_CHECKING:
    from gdl import PackedState, Simulator
    from gdl.terms import Term


@final
@dataclass(frozen=True, slots=True)
class MoveValues:
    """The value of a position in which one of two roles moves, and what its moves do to it.

    `role` is the index of the role that moves, `value` the goal of the first role if nobody makes a mistake. `keeping`
    are the moves after which the role that moves can still force that value, `losing` all its other moves. `positions`
    is the number of positions visited, `seconds` the processor time.
    """

    role: int
    value: int
    keeping: tuple[Term, ...]
    losing: tuple[Term, ...]
    positions: int
    seconds: float


def move_values(
    game: Simulator,
    state: PackedState,
    *,
    seconds: float | None,
    memory: float = 2.0,
    progress: Progress = lambda _: None,
) -> MoveValues | None:
    """Return the value of a position that is not terminal, and the moves that keep it; None if the time is over.

    `seconds` may be None for no limit; `memory`, in GB, is for the whole process. Each role of the two plays for the
    goal of the first one. Raises NotSolvableError for games that are not of two roles and for states in which both
    have a choice, GoalError if a goal is missing, and ValueError for limits out of range.
    """
    if len(game.roles) != 2:
        raise NotSolvableError("moves are only compared in games of two roles")
    began = time.process_time()
    search = DepthSearch(game, state, limited(seconds, memory, progress))
    nothing = unknown(game.roles, declared_goals(game))
    bounds, stop = search.run(nothing, only_value=True)
    if stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    if stop is not None:
        return None
    legal = [game.legal_moves(state, role) for role in game.roles]
    role, value = mover_of(legal) or 0, bounds.least(0)
    keeping: list[Term] = []
    losing: list[Term] = []
    for move in legal[role]:
        # The worst value cannot be lost.
        kept: bool | None = value == bounds.values[role][0]
        if not kept:
            after = game.next_state(state, tuple(move if i == role else own[0] for i, own in enumerate(legal)))
            kept = search.can_force(after, role, value)
        if kept is None:
            return None
        (keeping if kept else losing).append(move)
    return MoveValues(role, value, tuple(keeping), tuple(losing), search.nodes, time.process_time() - began)
