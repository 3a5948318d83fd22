"""The progress of a training on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, final

from rich.live import Live
from rich.text import Text

from ggp.cli.json_output import print_json
from ggp.cli.screen import columns, line, screen
from ggp.learning.measuring import NODES, PLAY_CLOCK, Score
from ggp.learning.train import Report, score_fields
from ggp.work.job import Progress, work_fields, work_text


@final
class TrainView:
    """A view of a training run: figures that change in place on a terminal, lines of reports in a pipe, or JSON."""

    def __init__(
        self, game: str, path: Path, output: Path, roles: Sequence[str], minutes: float, work: Progress, *, json: bool
    ) -> None:
        """Show nothing yet. `work` is the state of the jobs that play the games."""
        self._work = work
        self._game = game
        self._path = path
        self._output = output
        self._roles = roles
        self._minutes = minutes
        self._json = json
        self._console = screen()
        live = self._console.is_terminal and not json
        self._live = Live(console=self._console, auto_refresh=False) if live else None
        #: The reports so far.
        self.reports: list[Report] = []

    def __enter__(self) -> TrainView:
        """Begin to show figures."""
        if self._live is not None:
            self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the last figures on the screen."""
        if self._live is not None:
            self._live.__exit__(kind, error, trace)

    def show(self, report: Report) -> None:
        """Show a report."""
        self.reports.append(report)
        if self._json:
            print_json("train", {"event": "progress", **self._fields(report)})
        elif self._live is not None:
            rows = columns([["training", self._game], *self._rows(report)])
            self._live.update(Text("\n".join("  ".join(row) for row in rows)), refresh=True)
        else:
            line(self._console, ", ".join(f"{name} {value}" for name, value in self._rows(report)))

    def end(self) -> None:
        """Say where the result is."""
        if self._json and self.reports:
            print_json("train", {"event": "end", **self._fields(self.reports[-1])})
        elif not self._json:
            line(self._console, f'wrote {self._output}; play with --player "learned({self._output})"')

    def _rows(self, report: Report) -> list[list[str]]:
        """Return names and values of figures."""
        rows = [
            ["time", f"{report.seconds / 60:.1f} of {self._minutes:g} min"],
            [
                "states",
                f"{report.states:,} in {_rounds(report.rounds)} ({report.pace:,.0f}/s), depth {report.depth}",
            ],
            ["error", f"{report.error:.1f} points"],
            ["jobs", work_text(self._work)],
            ["start", f"{report.expected:.0f} points expected for {self._roles[0]}"],
        ]
        if report.earlier is not None:
            rows.append([f"against itself after {_rounds(report.earlier.rounds)}", _share(report.earlier)])
        if report.auto is not None:
            rows.append([f"against auto(learned=0) ({NODES:,} nodes a move)", _share(report.auto)])
        if report.mcts is not None:
            rows.append([f"mcts against alphabeta ({PLAY_CLOCK:g} s a move)", _share(report.mcts)])
        if report.final is not None:
            rows.append(["at the end, against auto(learned=0)", _share(report.final)])
        return rows

    def _fields(self, report: Report) -> dict[str, Any]:
        scores = {name: score_fields(getattr(report, name)) for name in ("earlier", "auto", "mcts", "final")}
        about = {"game": self._game, "file": str(self._path), "output": str(self._output)}
        return {**about, **asdict(report), **scores, "work": work_fields(self._work)}


def _rounds(number: int) -> str:
    return "1 round" if number == 1 else f"{number:,} rounds"


def _share(score: Score) -> str:
    low, high = score.interval
    return f"{score.share:.0%} of {score.games} games ({low:.0%} to {high:.0%})"
