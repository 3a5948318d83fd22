"""`ggp check`: errors and warnings in rule files, and proofs about their games."""

from __future__ import annotations

from contextlib import nullcontext
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ggp.cli.completion import complete_game
from ggp.cli.guard import BAD_INPUT, FAILED, guarded, say
from ggp.cli.json_output import JsonOption, print_json
from ggp.cli.seed_option import checked
from ggp.rules.printable import without_controls

if TYPE_CHECKING:
    from ggp.rules.checking import FileReport


class Format(StrEnum):
    """The format of the findings."""

    text = "text"
    github = "github"
    sarif = "sarif"


@guarded
def check(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...", help="Rule files, names of games, - for stdin.", autocompletion=complete_game
        ),
    ],
    form: Annotated[Format, typer.Option("--format", help="The output format.")] = Format.text,
    json: JsonOption = False,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", metavar="CODE", help="Leave out findings with this code.")
    ] = None,
    errors_only: Annotated[bool, typer.Option("--errors-only", "-e", help="Leave out warnings and hints.")] = False,
    hints: Annotated[bool, typer.Option("--hints", help="Also show hints, such as variables that occur once.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Show all findings, not only 100 of each file.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Fail if there are warnings, too.")] = False,
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Play the game, and try to prove properties of all states.")
    ] = False,
    playouts: Annotated[int, typer.Option(min=1, help="With --simulate: random playouts.")] = 100,
    seconds: Annotated[float, typer.Option(min=0, help="With --simulate: seconds for proofs; 0 for none.")] = 20.0,
    seed: Annotated[int, typer.Option(callback=checked, help="With --simulate: seed of the playouts.")] = 0,
) -> None:
    """Find errors and possible mistakes in rule files.

    The exit status is 1 if there are errors or, with --strict, warnings, or if --simulate finds that the game lacks a
    property that the specification requires. It is 0 if there are only warnings or hints.
    Each code has a page in docs/codes.
    """
    from gdl.errors import GdlError
    from ggp.cli.screen import progress_line
    from ggp.rules.checking import Options, Simulation, check_source
    from ggp.rules.checking.formats import as_fields
    from ggp.rules.rulefiles import STDIN, read_rules
    from ggp.rules.shipped_games import find_game

    if json and form is not Format.text:
        raise typer.BadParameter("--json cannot be combined with --format")
    if strict and errors_only:
        raise typer.BadParameter("--strict cannot be combined with --errors-only")
    simulation = Simulation(playouts, seconds, seed) if simulate else None
    options = Options.of(ignore or (), errors_only=errors_only, simulation=simulation)
    reports = []
    failed = False
    for file in files:
        try:
            source = read_rules(file if file == STDIN else str(find_game(file)))
            with progress_line() if simulate else nullcontext() as progress:
                if progress is not None:
                    progress(f"playing and proving {source.name}")
                reports.append(check_source(source, options))
        except GdlError as error:
            say(str(error))
            failed = True
    if json:
        print_json("check", {"files": [as_fields(report) for report in reports]})
    else:
        _show(reports, form, hints=hints, everything=everything)
    if failed:
        raise typer.Exit(BAD_INPUT)
    if any(report.errors or report.failing or (strict and report.warnings) for report in reports):
        raise typer.Exit(FAILED)


def _show(reports: list[FileReport], form: Format, *, hints: bool, everything: bool) -> None:
    """Print reports, in colour if the output is a terminal and the format is text."""
    from ggp.cli.screen import screen
    from ggp.rules.checking.formats import shown, written

    console = screen()
    if form is Format.text and console.is_terminal and not console.no_color:
        from ggp.cli.views.check import print_reports

        print_reports(console, shown(reports, form.value, hints=hints, everything=everything))
    else:
        text = written(reports, form.value, hints=hints, everything=everything)
        typer.echo(without_controls(text), nl=False)
