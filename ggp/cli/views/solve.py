"""The output of `ggp solve` as text: the value of a position, and the best line of play."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ggp.cli.screen import columns, line, paragraph, screen
from ggp.rules.shipped_games import game_name
from ggp.solver.budget import Stop
from ggp.solver.descriptions import bounds_text, line_rows, plan_text, positions_text, value_text

if TYPE_CHECKING:
    from ggp.solver.line import Line
    from ggp.solver.planner import Plan
    from ggp.solver.proof import Proof
    from ggp.solver.solve import Answer
    from ggp.solver.verify import Checked

_INDENT = 11


class View(Protocol):
    """A view of the result of `ggp solve`."""

    def answer(self, answer: Answer, store: Path | None) -> None:
        """Show what is known about a position; `store` is the file requested for the proof."""

    def plan(self, plan: Plan | None) -> None:
        """Show the best plan for a game with one role."""

    def right(self, file: Path, proof: Proof, checked: Checked, *, compiled: bool) -> None:
        """Show that a proof is right, and what it proves."""

    def wrong(self, file: Path, reason: str) -> None:
        """Show why a proof is wrong."""


class SolveView:
    """A view that prints paragraphs, and the best line ply by ply."""

    def __init__(self, path: Path, roles: Sequence[str]) -> None:
        """Show results for the game in this file, with these roles."""
        self._path = path
        self._roles = roles
        self._console = screen()

    def answer(self, answer: Answer, store: Path | None) -> None:
        """Print what is known about a position."""
        self._heading()
        if answer.solution is not None:
            worth = answer.solution.worth
            self._paragraph("value", value_text(worth, worth.verdict(0)))
            self._paragraphs("positions", positions_text(worth))
        elif answer.bounds is not None:
            self._paragraphs("value" if answer.bounds.closed else "proved", bounds_text(answer.bounds))
            visited = f"; {answer.positions:,} visited in depth" if answer.positions else ""
            self._paragraph("positions", f"more than {answer.states - 1:,} can be reached{visited}")
            if not answer.bounds.closed:
                self._paragraph("stopped", _reason(answer))
        self._paragraph("seconds", f"{answer.seconds:.1f}")
        if answer.line is not None and answer.line.steps:
            self._console.print()
            self._line(answer.line)
        if store is not None:
            written = answer.solution is not None
            self._paragraph("proof", str(store) if written else "not written: not all positions are known")

    def plan(self, plan: Plan | None) -> None:
        """Print a plan, and what is proved about it."""
        self._heading()
        (role,) = self._roles
        for label, text in _plan_rows(plan, role):
            self._paragraph(label, text)
        if plan is not None and plan.moves:
            self._console.print()
            self._rows((str(ply), role, move.text) for ply, move in enumerate(plan.moves, 1))

    def right(self, file: Path, proof: Proof, checked: Checked, *, compiled: bool) -> None:  # noqa: ARG002
        """Print what a proof proves."""
        self._heading()
        by = f", {checked.by_reasoner:,} of them by the Reasoner too" if compiled else ", by the Reasoner"
        self._paragraph("proof", f"right: every claim about {checked.states:,} positions was checked{by}")
        if proof.moves:
            self._paragraph("after", " ".join(f"({' '.join(joint)})" for joint in proof.moves))
        self._paragraph("value", value_text(checked.worth, checked.worth.verdict(0)))
        self._paragraphs("positions", positions_text(checked.worth))

    def wrong(self, file: Path, reason: str) -> None:  # noqa: ARG002
        """Print why a proof is wrong."""
        self._heading()
        self._paragraph("proof", f"wrong: {reason}")

    def _heading(self) -> None:
        line(self._console, (game_name(self._path), "bold"), f"   {self._path}")

    def _paragraph(self, label: str, text: str) -> None:
        paragraph(self._console, label, text, _INDENT)

    def _paragraphs(self, label: str, texts: Iterable[str]) -> None:
        for text in texts:
            self._paragraph(label, text)
            label = ""

    def _line(self, found: Line) -> None:
        self._rows(line_rows(found, self._roles))
        if found.back_to is not None:
            where = f"after ply {found.back_to}" if found.back_to else "at the beginning"
            line(self._console, f"  and so on: the position is the same as {where}")

    def _rows(self, rows: Iterable[tuple[str, str, str]]) -> None:
        for row in columns(list(rows), right=(0,)):
            line(self._console, f"  {'  '.join(row)}")


def _reason(answer: Answer) -> str:
    reasons = {
        Stop.TIME: "time limit reached (--time)",
        Stop.MEMORY: "memory limit reached (--memory)",
        Stop.DEPTH: "longer lines are not searched",
        Stop.INTERRUPTED: "interrupted",
    }
    reason = reasons[answer.stop] if answer.stop is not None else "nothing more can be found out"
    if answer.positions == 0 and answer.stop is not Stop.INTERRUPTED:
        return f"{reason}; rules that are not compiled are not searched in depth"
    return reason


def _plan_rows(plan: Plan | None, role: str) -> Iterator[tuple[str, str]]:
    yield "value", plan_text(plan, role)
    if plan is not None and plan.goal is not None:
        best = "no plan reaches a higher goal" if plan.proven else "better plans are not ruled out"
        yield "proved", f"{best}, and no plan for this goal is shorter" if plan.shortest else best
    if plan is not None:
        yield "positions", f"{plan.states:,} ({plan.how})"
        yield "seconds", f"{plan.seconds:.1f}"
