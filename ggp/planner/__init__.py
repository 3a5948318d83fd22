"""Plans for games of one role: the highest goal that there is, in as few moves as possible, and what is proved of it.

`plan` answers; `docs/internals/planner.md` says how. The parts are `puzzle` (what the rules say of the states),
`breadth`, `beam` and `asp` (three ways to search), and `portfolio`, which takes turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from gdl.simulator.packed_state import PackedState
from gdl.simulator.simulator import Simulator
from gdl.terms import Term
from ggp.planner.portfolio import Portfolio
from ggp.planner.puzzle import NotOneRoleError, Puzzle

__all__ = ["NotOneRoleError", "Plan", "plan"]


@final
@dataclass(frozen=True, slots=True)
class Plan:
    """The best course of play that was found, from some state to an end of the game.

    `goal` is its goal value, None where no end was found; then there are no moves. `proven`: no course of play has a
    higher goal. `shortest`: none with this goal is shorter. `how` says what found it.
    """

    moves: tuple[Term, ...]
    goal: int | None
    proven: bool
    shortest: bool
    states: int
    seconds: float
    how: str


def plan(
    simulator: Simulator,
    state: PackedState | None = None,
    *,
    seconds: float = 60.0,
    memory: int = 1 << 30,
    shortest: bool = True,
    progress: Callable[[str], None] | None = None,
    improved: Callable[[Plan], None] | None = None,
) -> Plan:
    """The best plan from a state (default: the initial one) that is found in so many seconds and bytes of memory.

    With `shortest` it goes on after a plan of the highest goal, until none is shorter; without, it stops there.
    `progress` is told what is being done, `improved` every plan that is better than all before. Raises NotOneRoleError.
    """
    begun = time.monotonic()
    puzzle = Puzzle(simulator, state)

    def as_plan(search: Portfolio) -> Plan:
        return Plan(
            moves=tuple(puzzle.game.moves[number][1] for number in search.moves),
            goal=search.goal if search.goal >= 0 else None,
            proven=search.highest,
            shortest=search.highest and search.shortest,
            states=search.states,
            seconds=time.monotonic() - begun,
            how=search.how,
        )

    def told(search: Portfolio) -> None:
        if improved is not None:
            improved(as_plan(search))

    search = Portfolio(puzzle, memory=memory, shortest=shortest, progress=progress, improved=told)
    search.run(begun + seconds)
    return as_plan(search)
