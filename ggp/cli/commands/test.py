"""`ggp test`: test rule files against the requirements on all games and their own expectations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ggp.cli.guard import guarded
from ggp.cli.json_output import print_json
from ggp.cli.options import FilesArgument, JsonLinesOption, seed_of

if TYPE_CHECKING:
    from ggp.rules.conformance import FileReport, Settings


@guarded
def conform(
    files: FilesArgument,
    playouts: Annotated[int, typer.Option(min=0, help="Random playouts of each game.")] = 20,
    seed: Annotated[int, typer.Option(callback=seed_of, help="Seed of the playouts.")] = 0,
    max_plies: Annotated[int | None, typer.Option(min=1, help="Cut playouts off after this many plies.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show only failures.")] = False,
    json: JsonLinesOption = False,
) -> None:
    """Test rule files.

    Each file is tested by static checks, by random playouts, and against the expectations in the file beside it.
    """
    from ggp.rules.shipped_games import find_game

    paths = [find_game(file) for file in files]

    from ggp.rules.conformance import Settings

    status = report_on(paths, Settings(playouts, seed, max_plies), quiet=quiet, json=json)
    if status:
        raise typer.Exit(status)


def report_on(paths: Iterable[Path], settings: Settings, *, quiet: bool, json: bool = False) -> int:
    """Test rule files and print a report on each; `quiet` leaves out those that passed.

    Return the exit status: 0 if all passed, 2 if a file could not be read or was refused, else 1.
    """
    from ggp.cli.screen import progress_line
    from ggp.rules.conformance import examine

    worst = 0
    for path in paths:
        with progress_line() as progress:
            progress(path.name)
            report = examine(path, settings, partial(_tell, progress, path.name))
        if report.status or not quiet:
            if json:
                print_json("test", report.as_json())
            else:
                _print(report)
        worst = max(worst, report.status)
    return worst


def _tell(progress: Callable[[str], None], name: str, step: str) -> None:
    progress(f"{name}: {step}")


def _print(report: FileReport) -> None:
    from ggp.cli.screen import line, screen

    console = screen()
    line(console, report.summary)
    for failure in (*report.failures, *report.warnings):
        for text in failure.split("\n"):
            line(console, f"  {text}")
