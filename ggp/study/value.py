"""The value of a game under perfect play, by the planner or a solver, as far as it is found within some time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, final

from ggp.solver.budget import Stop
from ggp.solver.descriptions import bounds_text, plan_text, value_text
from ggp.solver.errors import NotSolvableError
from ggp.solver.extensive.descriptions import answer_rows
from ggp.solver.extensive.equilibrium import Equilibrium, is_extensive, solve_extensive
from ggp.solver.extensive.expectation import Expectation
from ggp.solver.planner import Plan, plan
from ggp.solver.solve import Answer, solve

if TYPE_CHECKING:
    from gdl.engine import Engine
    from gdl.simulator.simulator import Simulator
    from ggp.rules.game_type import GameType


@final
@dataclass(frozen=True, slots=True)
class Value:
    """The findings about perfect play from the initial state on.

    `text` says it in words. `solved` is True if nothing is left open, apart from the `exploitability`: what strategies
    for games with hidden information or moves at the same time may lose, as a share of the range of goals; None for
    other games. `goals` are what the players can expect; None if that is unknown, or if their interests are not
    opposed. `states` is the number of states that can be reached, exactly; None if it is unknown. `interrupted` is True
    if Ctrl-C ended the search.
    """

    text: tuple[str, ...] = ()
    solved: bool = False
    goals: tuple[float, ...] | None = None
    exploitability: float | None = None
    states: int | None = None
    interrupted: bool = False


def value_of(game: Engine, kind: GameType, seconds: float, memory: float, tell: Callable[[str], None]) -> Value:
    """Return the value of a game of some kind, as far as it is found within some seconds and GB of memory.

    `game` is the compiled game, or the Reasoner if it cannot be compiled. An interrupt ends the search with what is
    known.
    """
    from gdl.simulator.simulator import Simulator

    until = monotonic() + seconds
    if is_extensive(game):
        return _expected(game, seconds, memory, tell)
    found = Value()
    if kind.single and isinstance(game, Simulator):
        found = _planned(game, seconds / 2, tell)
        if found.interrupted:
            return found
    left = max(0.0, until - monotonic())
    try:
        answer = solve(game, game.initial_state(), seconds=left, memory=memory, progress=tell)
    except NotSolvableError as error:
        if error.at_once:
            return _expected(game, max(0.0, until - monotonic()), memory, tell)
        return found if found.text else _unknown(error)
    return _solved(found, answer, kind)


def _solved(found: Value, answer: Answer, kind: GameType) -> Value:
    """Return a value with what a solver has added to it."""
    found = replace(found, interrupted=answer.stop is Stop.INTERRUPTED)
    if answer.solution is not None:
        worth = answer.solution.worth
        verdict = worth.verdict(0)
        text = found.text or (value_text(worth, verdict),)
        return replace(found, text=text, solved=True, goals=verdict.goals, states=answer.states)
    if found.text or answer.bounds is None:
        return found
    bounds = answer.bounds
    left = [] if bounds.closed else [f"nothing more was proved in {answer.seconds:.0f} s"]
    goals: tuple[float, ...] | None = None
    if bounds.zero_sum and bounds.least(0) == bounds.least(1) and kind.total is not None:
        goals = (bounds.least(0), kind.total - bounds.least(0))
    return replace(found, text=(*bounds_text(bounds), *left), solved=bounds.closed, goals=goals)


def _expected(game: Engine, seconds: float, memory: float, tell: Callable[[str], None]) -> Value:
    """Return the value of a game with chance, hidden information or moves at the same time."""
    try:
        answer = solve_extensive(game, game.initial_state(), seconds=seconds, memory=memory, progress=tell)
    except NotSolvableError as error:
        return _unknown(error)
    except KeyboardInterrupt:
        return Value(interrupted=True)
    if isinstance(answer, Expectation):
        text = tuple(text for label, text in answer_rows(answer) if label == "value")
        return Value(text, solved=True, goals=answer.goals, states=answer.states)
    text = tuple(text for _, text in answer_rows(answer))
    solved = answer.stop is None
    goals = answer.goals if solved else None
    interrupted = answer.stop is Stop.INTERRUPTED
    return Value(text, solved, goals, _share(answer), answer.tree.states, interrupted)


def _share(answer: Equilibrium) -> float | None:
    return answer.share if len(answer.tree.players) == 2 else None


def _unknown(error: NotSolvableError) -> Value:
    return Value((f"unknown: {error.reason}",))


def _planned(game: Simulator, seconds: float, tell: Callable[[str], None]) -> Value:
    """Return what the best plan for the only role is worth."""
    best: Plan | None = None
    interrupted = False
    began = monotonic()

    def keep(better: Plan) -> None:
        nonlocal best
        best = better

    try:
        best = plan(game, seconds=seconds, progress=tell, improved=keep)
    except KeyboardInterrupt:
        interrupted = True
    proven = best is not None and best.proven
    # Random play may have seen ends where the planner, which looks for a good one, has not found any yet.
    none = best is None or (best.goal is None and not proven)
    rows = [f"no plan was found in {monotonic() - began:.0f} s" if none else plan_text(best, game.roles[0])]
    goals: tuple[float, ...] | None = None
    if best is not None and best.goal is not None:
        rows.append("no plan reaches a higher goal" if proven else "higher goals are not ruled out")
        rows.append("no plan for this goal is shorter" if best.shortest else "shorter plans are not ruled out")
        goals = (best.goal,) if proven else None
    return Value(tuple(rows), solved=proven, goals=goals, interrupted=interrupted)
