"""Describe expected goals and equilibria in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ggp.solver.budget import Stop
from ggp.solver.extensive.expectation import Expectation

if TYPE_CHECKING:
    from ggp.solver.extensive.equilibrium import Equilibrium


def answer_rows(answer: Expectation | Equilibrium) -> Iterator[tuple[str, str]]:
    """Yield what is known about the expected goals, as labels and texts."""
    yield from _expectation_rows(answer) if isinstance(answer, Expectation) else _equilibrium_rows(answer)


def _expectation_rows(answer: Expectation) -> Iterator[tuple[str, str]]:
    sure = "" if len(answer.players) < 2 else ", whatever the others do"
    yield "value", f"expected goals: {_listed(answer.players, answer.goals)}{sure}"
    yield "positions", f"{answer.states:,} can be reached"


def _equilibrium_rows(answer: Equilibrium) -> Iterator[tuple[str, str]]:
    players = answer.tree.players
    yield "value", f"expected goals: {_listed(players, answer.goals)}"
    if len(players) == 2:
        total = sum(answer.goals)
        yield "proved", f"{players[0]} can expect {total - answer.best[1]:.3f} to {answer.best[0]:.3f} if nobody errs"
        yield "error", f"exploitability {answer.exploitability:.4f} goal points, {answer.share:.6f} of the goal range"
    sets = sum(map(len, answer.tree.sets))
    rounds = f"; {answer.iterations:,} iteration{'s' * (answer.iterations > 1)}" if answer.iterations else ""
    yield "tree", f"{answer.tree.nodes:,} nodes, {sets:,} information sets{rounds}"
    if answer.stop is not None:
        yield "stopped", "time limit reached (--time)" if answer.stop is Stop.TIME else "interrupted"


def _listed(players: Sequence[str], goals: Sequence[float]) -> str:
    return ", ".join(f"{role} {goal:.3f}" for role, goal in zip(players, goals, strict=True))
