"""The output of `ggp tournament`: progress while matches are played, and tables at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Final, final

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import (
    Task as BarTask,
)
from rich.text import Text

from gdl.system.files import write_file
from ggp.cli.json_output import print_json
from ggp.cli.screen import line, screen, table
from ggp.rules.report_text import number_and_noun, without_controls
from ggp.tournament.chart import rating_chart
from ggp.tournament.format import Format
from ggp.tournament.json_form import tournament_fields
from ggp.tournament.outcome import Outcome
from ggp.tournament.par import Par, par_lines
from ggp.tournament.plan import Plan, Task
from ggp.tournament.standings import Line, Table, tables
from ggp.work.job import Progress as Work
from ggp.work.job import work_fields, work_text

#: Without a terminal, progress is printed at most this many times, at least `_PAUSE` seconds apart.
_SHARES: Final = 20
_PAUSE: Final = 10.0


@final
class _WorkColumn(ProgressColumn):
    """The state of the processes that play, in the bar."""

    def __init__(self, work: Work) -> None:
        super().__init__()
        self._work = work

    def render(self, task: BarTask) -> Text:  # noqa: ARG002 - it is not about one task
        return Text(work_text(self._work))


class TournamentView:
    """A progress bar on standard error, or lines if that is not a terminal, and tables on standard output."""

    def __init__(
        self,
        plan: Plan,
        outcomes: Sequence[Outcome],
        *,
        json: bool = False,
        command: str = "tournament",
        work: Work | None = None,
    ) -> None:
        """Start with the `outcomes` of a resumed tournament; with `json`, print an object instead of tables.

        `command` is the command that prints it, and `work` the state of the processes that play the matches, if they
        are its own.
        """
        self._work = work
        self._json = json
        self._command = command
        self._lost: dict[int, str] = {}
        #: The values of the games, if results are compared with them.
        self.pars: dict[str, Par] = {}
        self._plan = plan
        self._outcomes = {outcome.number: outcome for outcome in outcomes}
        self._kept = len(outcomes)
        self._console = Console(file=sys.stderr, markup=False, emoji=False, highlight=False)
        self._bar = Progress(
            TextColumn("matches"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            *([_WorkColumn(work)] if work is not None else []),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task("matches", total=self._plan.total, completed=self._kept)
        self._said = 0
        self._said_at = time.monotonic()

    def __enter__(self) -> TournamentView:
        """Print the heading, and start the progress bar."""
        if not self._json:
            self._heading()
        self._bar.start()
        return self

    def _heading(self) -> None:
        plan = self._plan
        heading = f"{len(plan.contests)} games" if len(plan.contests) > 1 else plan.contests[0].name
        clocks = [
            f"{name} clock {clock:g} s"
            for name, clock in (("start", plan.start_clock), ("play", plan.play_clock))
            if clock
        ]
        kept = [f"{self._kept} of them kept"] if self._kept else []
        rounds = [f"swiss, {number_and_noun(plan.rounds, 'round')}"] if plan.format is Format.SWISS else []
        parts = [heading, *rounds, f"seed {plan.seed}", *clocks, f"{self._plan.total} matches", *kept]
        line(screen(), ("   ".join(parts), "bold"))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the progress bar."""
        self._bar.stop()

    def add(self, outcome: Outcome, *, silent: bool = False) -> None:
        """Add a finished match; if `silent`, without a line on how many there are."""
        self._outcomes[outcome.number] = outcome
        self._bar.advance(self._task)
        if silent or self._console.is_terminal:
            return
        done, now = len(self._outcomes), time.monotonic()
        share = done * _SHARES // self._plan.total
        if done == self._plan.total or (share > self._said and now > self._said_at + _PAUSE):
            self._said, self._said_at = share, now
            work = f", {work_text(self._work)}" if self._work is not None else ""
            self.say(f"{done} of {self._plan.total} matches{work}")

    def lost(self, task: Task, reason: str) -> None:
        """Report a match that could not be played."""
        self._lost[task.number] = reason
        self._bar.advance(self._task)
        self.say(f"match {task.number} of {task.name}, {' against '.join(task.lineup)}: {reason}")

    def show(self) -> None:
        """Print a table for each game and one for all games, or everything as JSON."""
        if self._json:
            event = {"event": "tournament"} if self._command == "host" else {}
            work = {} if self._work is None else {"work": work_fields(self._work)}
            fields = tournament_fields(self._plan, self._in_order(), self._lost)
            print_json(self._command, {**event, **fields, **self._par_fields(), **work})
            return
        console = screen()
        for one in self._tables():
            line(console)
            line(console, (one.name, "bold"))
            self._table(console, one)
        if self.pars:
            self._par(console)
        self._errors(console)

    def plot(self, path: Path) -> None:
        """Draw a chart of the ratings. Raises OSError."""
        found = self._tables()
        title = f"{len(self._plan.contests)} games" if len(self._plan.contests) > 1 else self._plan.contests[0].name
        write_file(path, rating_chart(found, title=title))

    def _tables(self) -> list[Table]:
        return tables(self._plan, self._in_order())

    def _in_order(self) -> list[Outcome]:
        return [self._outcomes[number] for number in sorted(self._outcomes)]

    def _table(self, console: Console, one: Table) -> None:
        swiss = self._plan.format is Format.SWISS
        byes = any(entry.byes for entry in one.lines)
        heading = ["player", *["points"] * swiss, "matches", *["byes"] * byes, "wins", "draws", "losses"]
        heading += ["mean goal", "rating", "±95%"]
        unfinished = any(entry.unfinished for entry in one.lines)
        heading += ["unfinished"] * unfinished + ["late", "illegal", "crashes"]
        heading += ["s/move", "slowest"] * self._plan.timed
        rows = [heading]
        for entry in one.lines:
            goal = "" if entry.goal is None else f"{entry.goal:.1f}"
            rating = [f"{entry.rating.elo:+.0f}", f"{entry.rating.margin:.0f}"] if entry.rating else ["", ""]
            conduct = entry.conduct
            row = [entry.player, *[f"{entry.points:g}"] * swiss, str(entry.matches), *[str(entry.byes)] * byes]
            row += [*map(str, (entry.wins, entry.draws, entry.losses)), goal, *rating]
            row += [str(entry.unfinished)] * unfinished
            row += [str(conduct.late), str(conduct.illegal), str(conduct.crashes)]
            rows.append(row + _times(entry) * self._plan.timed)
        table(console, rows, right=range(1, len(heading)))
        pairs = [["", "points", "of", "share", "95%"]]
        for pair in one.pairs:
            low, high = pair.interval
            share = [f"{pair.points:g}", str(pair.games), f"{pair.share:.1%}", f"{low:.1%} to {high:.1%}"]
            pairs.append([f"{pair.player} against {pair.other}", *share])
        if len(pairs) > 1:
            line(console)
            table(console, pairs, right=range(1, 5))

    def _par(self, console: Console) -> None:
        """Print what the games are worth, and the points against that."""
        line(console)
        line(console, ("against par", "bold"))
        for par in self.pars.values():
            line(console, f"{par.game}: {par.text}")
        rows = [["player", "matches", "points", "par", "given away", "taken"]]
        for entry in par_lines(self._plan, self._in_order(), self.pars):
            numbers = (entry.matches, entry.points, entry.par, entry.given, entry.taken)
            rows.append([entry.player, *(f"{number:g}" for number in numbers)])
        if len(rows) > 1:
            table(console, rows, right=range(1, 6))

    def _par_fields(self) -> dict[str, object]:
        if not self.pars:
            return {}
        lines = par_lines(self._plan, self._in_order(), self.pars)
        return {"par": {"games": [asdict(one) for one in self.pars.values()], "lines": [asdict(one) for one in lines]}}

    def _errors(self, console: Console) -> None:
        """Print the first error of each player, so that its author knows where to look."""
        fixtures = self._plan.fixtures(self._in_order())
        seen: set[str] = set()
        for number in sorted(self._outcomes):
            for error in self._outcomes[number].errors:
                fixture = fixtures[number]
                who = error.partition(", ")[2].partition(":")[0]
                player = dict(zip(fixture.contest.roles, fixture.lineup, strict=True)).get(who, "rules")
                if player not in seen:
                    if not seen:
                        line(console)
                    seen.add(player)
                    line(console, f"{player}: match {number} of {fixture.contest.name}, {error}")

    def say(self, text: str) -> None:
        """Print a line above the progress bar."""
        self._console.print(without_controls(text), soft_wrap=True)


def _times(entry: Line) -> list[str]:
    """Return the mean seconds per move with a choice, and the seconds of the slowest move."""
    conduct = entry.conduct
    mean = conduct.seconds / conduct.decisions if conduct.decisions else 0.0
    return [f"{mean:.3f}", f"{conduct.slowest:.3f}"]
