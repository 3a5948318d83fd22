"""Plans for games of one role: the highest possible goal in as few moves as possible, and proofs of that.

`plan` is the entry point; `docs/internals/planner.md` describes the method. The main modules are `puzzle` (a game and
what is known of its states), `breadth`, `beam` and `unrolling` (three kinds of search), and `portfolio`, which
alternates between them. `plain_search` is for games that cannot be compiled.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from gdl.errors import GoalError
from gdl.simulator.packed_state import PackedState
from gdl.simulator.simulator import Simulator
from gdl.terms import Term
from ggp.solver.planner.portfolio import Portfolio
from ggp.solver.planner.puzzle import NotOneRoleError, Puzzle, Values

__all__ = ["NotOneRoleError", "Plan", "Values", "plan"]


@final
@dataclass(frozen=True, slots=True)
class Plan:
    """The best plan that was found, from some state to the end of the game.

    `goal` is its goal value, None if the end has none. If no end was found, there are no moves, either. `proven` is
    True if no plan has a higher goal, `shortest` if, in addition, none with this goal is shorter. `how` names the
    method that found it.
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
    values: Values | None = None,
    progress: Callable[[str], None] | None = None,
    improved: Callable[[Plan], None] | None = None,
) -> Plan:
    """Return the best plan from a state (default: the initial one) within limits of `seconds` and `memory` (bytes).

    `values` are learned values, by which beams choose states; they change nothing in what is proved.
    If `shortest`, the search continues after it has found the highest goal, until no plan is shorter. `progress` is
    called with each step of the work, `improved` with each plan that is better than all before. An end without a goal
    value is worth 50, as for all players. Raises NotOneRoleError, and GoalError if the best plan leads to such an end.
    """
    begun = time.monotonic()
    puzzle = Puzzle(simulator, state, values)

    def as_plan(search: Portfolio) -> Plan:
        goal = search.goal if search.goal >= 0 else None
        try:
            puzzle.check(search.goal, search.moves)
        except GoalError:
            goal = None
        return Plan(
            moves=tuple(puzzle.game.moves[number][1] for number in search.moves),
            goal=goal,
            proven=search.highest,
            shortest=search.highest and search.shortest,
            states=search.states,
            seconds=time.monotonic() - begun,
            how=search.how,
        )

    def report(search: Portfolio) -> None:
        if improved is not None:
            improved(as_plan(search))

    search = Portfolio(puzzle, memory=memory, shortest=shortest, progress=progress, improved=report)
    search.run(begun + seconds)
    puzzle.check(search.goal, search.moves)
    return as_plan(search)
