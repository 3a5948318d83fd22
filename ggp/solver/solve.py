"""Solve a position: by all states that can follow, if these are not too many; else by a search in depth for bounds."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, final

from gdl.engine import hides_states, is_nature
from ggp.solver.bounds import Bounds, unknown
from ggp.solver.budget import Progress, SolverBudget, Stop, limited
from ggp.solver.byrules import explore_by_rules
from ggp.solver.errors import NotSolvableError
from ggp.solver.goals import highest_goals, possible_goals
from ggp.solver.graph import Solution, solve_graph
from ggp.solver.line import Line, Step, best_line, mover_of

if TYPE_CHECKING:
    from gdl import PackedState, Simulator
    from gdl.engine import Engine
    from ggp.solver.graph import Graph
    from ggp.solver.search import DepthSearch

#: The share of the time for finding all states, before the search by depth begins.
_EXPLORING: Final = 0.5

#: The share of the time, and of the memory, if only the value is wanted.
_EXPLORING_BRIEFLY: Final = 0.05


@final
@dataclass(frozen=True, slots=True)
class Answer:
    """The results for a position.

    There is a `solution` if all states are known; otherwise there are `bounds`, and `stop` is the reason. `states` is
    the number of distinct states, `positions` the number of positions visited by the search in depth.
    """

    solution: Solution | None
    bounds: Bounds | None
    line: Line | None
    stop: Stop | None
    states: int
    positions: int
    seconds: float


def solve(
    game: Engine, root: Any, *, seconds: float | None, memory: float, progress: Progress, only_value: bool = False
) -> Answer:
    """Find the value of a position. `seconds` may be None for no limit; `memory`, in GB, is for the whole process.

    With `only_value`, the search in depth begins soon, and leaves open how many plies the value takes.
    The game may be a Simulator, or any other engine, which is slow. An interrupt (Ctrl-C) ends the search with the
    results so far. Raises NotSolvableError for games that the solver cannot handle, GoalError if a goal is missing, and
    ValueError for a negative time limit, or a memory limit that is not positive and finite.
    """
    budget = limited(seconds, memory, progress)
    _check(game)
    started = time.monotonic()
    answer = _solve(game, root, budget, only_value=only_value)
    return Answer(*answer, seconds=time.monotonic() - started)


def _check(game: Engine) -> None:
    """Raise NotSolvableError for games with chance or hidden states."""
    if any(is_nature(role) for role in game.roles):
        raise NotSolvableError("chance has a part in it (the role random)")
    if hides_states(game):
        raise NotSolvableError("the roles do not see everything (the rules say what they see)")


#: The fields of an answer except the last.
_Found = tuple["Solution | None", "Bounds | None", "Line | None", "Stop | None", int, int]


def _solve(game: Engine, root: Any, budget: SolverBudget, *, only_value: bool) -> _Found:
    from gdl.simulator.simulator import Simulator

    if isinstance(game, Simulator):
        return _solve_compiled(game, root, budget, only_value=only_value)
    graph = explore_by_rules(game, root, budget)
    return _by_graph(game, None, graph, root, budget)


def _solve_compiled(game: Simulator, root: PackedState, budget: SolverBudget, *, only_value: bool) -> _Found:
    from ggp.solver.explore import Explorer
    from ggp.solver.search import DepthSearch

    exploring = budget.part(_EXPLORING)
    if only_value:
        exploring = replace(budget.part(_EXPLORING_BRIEFLY), memory=int(_EXPLORING_BRIEFLY * budget.memory))
    explorer = Explorer(game, root, exploring)
    graph = explorer.run(exploring)
    if graph.stop in (Stop.TIME, Stop.MEMORY):
        states = len(graph.states)
        bounds = unknown(game.roles, possible_goals(game, graph.outcomes, len(graph.roles)))
        del graph, explorer  # to free their memory
        search = DepthSearch(game, root, budget)
        bounds, stop = search.run(bounds, only_value=only_value)
        return None, bounds, _line(search, game, root, bounds), stop, states, search.nodes
    return _by_graph(game, game, graph, root, budget)


def _by_graph(game: Engine, simulator: Simulator | None, graph: Graph, root: Any, budget: SolverBudget) -> _Found:
    """Derive the results from a graph, whole or not."""
    states, roles = len(graph.states), len(graph.roles)
    if not graph.whole:
        bounds = unknown(game.roles, possible_goals(simulator, graph.outcomes, roles))
        return None, bounds_of(graph, bounds), None, graph.stop, states, 0
    budget.progress(f"{states:,} states: from the ends backwards")
    solution = solve_graph(graph, highest_goals(simulator, graph.outcomes, roles))
    return solution, None, best_line(game, solution, root), None, states, 0


def bounds_of(graph: Graph, bounds: Bounds) -> Bounds:
    """Return the bounds that are proved by a graph that is not whole: an end that is forced there is forced."""
    from ggp.solver.retrograde import analyse, parents_of

    parents = parents_of(graph)
    bounds = bounds.searched(graph.levels)
    for role in range(len(graph.roles)):
        about, below = bounds.about(role)
        sign = -1 if below else 1
        own = analyse(graph, parents, role, [sign * outcome[about] for outcome in graph.outcomes])
        if own.rank[0] >= 0:
            value = sign * own.values[own.rank[0]]
            if value != bounds.values[role][0]:
                bounds = bounds.forced(role, value, int(own.distance[0]))
    return bounds


def _line(search: DepthSearch, simulator: Simulator, root: PackedState, bounds: Bounds) -> Line | None:
    """Return the line that the search has proved, if it has closed the bounds."""
    if not bounds.closed or not bounds.zero_sum:
        return None
    proved = [
        (best.plies, role, best.value) for role, best in enumerate(bounds.best) if best and best.plies is not None
    ]
    if not proved:
        return None
    plies, role, value = min(proved)
    steps, state = [], root
    for moves in search.line(role, plies, value):
        legal = [simulator.legal_moves(state, name) for name in simulator.roles]
        steps.append(Step(moves, mover_of(legal)))
        state = simulator.next_state(state, moves)
    return Line(tuple(steps))
