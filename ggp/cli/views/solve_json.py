"""The output of `ggp solve --json`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ggp.cli.json_output import print_json
from ggp.rules.shipped_games import game_name

if TYPE_CHECKING:
    from gdl.terms import Term
    from ggp.solver.bounds import Bounds
    from ggp.solver.line import Line
    from ggp.solver.planner import Plan
    from ggp.solver.proof import Proof
    from ggp.solver.solve import Answer
    from ggp.solver.verify import Checked
    from ggp.solver.worth import Worth


class JsonSolveView:
    """A view that prints one JSON object."""

    def __init__(self, path: Path, roles: Sequence[str]) -> None:
        """Show results for the game in this file, with these roles."""
        self._path = path
        self._roles = roles

    def answer(self, answer: Answer, store: Path | None) -> None:
        """Print what is known about a position."""
        bounds = answer.bounds
        known: dict[str, Any] = {"goals": None, "plies": None, "sure": None, "groups": None}
        if answer.solution is not None:
            known = self._worth(answer.solution.worth)
        elif bounds is not None:
            known |= self._decided(bounds)
        self._print(
            "solution",
            {
                "solved": answer.solution is not None or (bounds is not None and bounds.closed),
                **known,
                "bounds": None if bounds is None else self._bounds(bounds),
                "searched_plies": None if bounds is None else bounds.depth,
                "stopped": None if answer.stop is None else answer.stop.value,
                "positions": answer.states,
                "visited": answer.positions,
                "seconds": answer.seconds,
                "line": None if answer.line is None else self._line(answer.line),
                "line_back_to": None if answer.line is None else answer.line.back_to,
                "proof": str(store) if store is not None and answer.solution is not None else None,
            },
        )

    def plan(self, plan: Plan | None) -> None:
        """Print a plan, and what is proved about it."""
        (role,) = self._roles
        found = plan is not None and plan.goal is not None
        self._print(
            "plan",
            {
                "solved": plan is not None and plan.proven,
                "goals": {role: plan.goal} if plan is not None and found else None,
                "plies": len(plan.moves) if plan is not None and found else None,
                "shortest": plan is not None and found and plan.shortest,
                "positions": 0 if plan is None else plan.states,
                "method": None if plan is None else plan.how,
                "seconds": None if plan is None else plan.seconds,
                "line": self._moves([move] for move in plan.moves) if plan is not None and found else None,
            },
        )

    def right(self, file: Path, proof: Proof, checked: Checked, *, compiled: bool) -> None:  # noqa: ARG002
        """Print what a proof proves."""
        self._print(
            "proof",
            {
                "proof": str(file),
                "right": True,
                "reason": "",
                "after": proof.moves,
                "positions": checked.states,
                "checked_by_reasoner": checked.by_reasoner,
                **self._worth(checked.worth),
            },
        )

    def wrong(self, file: Path, reason: str) -> None:
        """Print why a proof is wrong."""
        self._print("proof", {"proof": str(file), "right": False, "reason": reason})

    def _print(self, kind: str, fields: Mapping[str, Any]) -> None:
        about = {"game": game_name(self._path), "file": str(self._path), "roles": self._roles}
        print_json("solve", {**about, "kind": kind, **fields})

    def _worth(self, worth: Worth) -> dict[str, Any]:
        """Return the value of the position, and the reachable positions grouped by value."""
        verdict = worth.verdict(0)
        return {
            "goals": self._by_role(verdict.goals),
            "plies": verdict.plies,
            "sure": self._by_role(verdict.sure),
            "groups": [
                {
                    "positions": group.states,
                    "goals": self._by_role(group.verdict.goals),
                    "sure": self._by_role(group.verdict.sure),
                    "plies": group.plies,
                }
                for group in worth.groups()
            ],
        }

    def _bounds(self, bounds: Bounds) -> list[dict[str, Any]]:
        """Return, for each role, the goal it can force and the best goal that is not ruled out."""
        found = []
        for place, (role, best) in enumerate(zip(bounds.roles, bounds.best, strict=True)):
            about, low = bounds.about(place)
            found.append(
                {
                    "role": role,
                    "goal_of": bounds.roles[about],
                    "wants": "low" if low else "high",
                    "forces": None if best is None else best.value,
                    "plies": None if best is None else best.plies,
                    "at_best": bounds.values[place][bounds.limit[place] - 1],
                }
            )
        return found

    def _decided(self, bounds: Bounds) -> dict[str, Any]:
        """Return the goal of the first role and the plies to force it, if both roles force the same; else nothing."""
        if not bounds.zero_sum or bounds.least(0) != bounds.least(1):
            return {}
        plies = [best.plies for best in bounds.best if best is not None and best.plies is not None]
        return {"goals": self._by_role((bounds.least(0), None)), "plies": min(plies, default=None)}

    def _line(self, line: Line) -> list[dict[str, str]]:
        return self._moves(step.moves for step in line.steps)

    def _moves(self, joint_moves: Iterable[Sequence[Term]]) -> list[dict[str, str]]:
        return [dict(zip(self._roles, (move.text for move in moves), strict=True)) for moves in joint_moves]

    def _by_role(self, values: Sequence[int | None] | None) -> dict[str, int | None] | None:
        return None if values is None else dict(zip(self._roles, values, strict=True))
