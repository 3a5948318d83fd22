"""`ggp check`: errors and warnings in rule files, and proofs about their games."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ggp.cli.completion import complete_game
from ggp.cli.guard import BAD_INPUT, FAILED, guarded, say
from ggp.cli.json_output import print_json
from ggp.cli.options import JsonOption, RayOption, check_ray, seed_of
from ggp.rules.report_text import without_controls

if TYPE_CHECKING:
    from gdl.errors import Source
    from ggp.rules.checking import FileReport, Options


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
    seed: Annotated[int, typer.Option(callback=seed_of, help="With --simulate: seed of the playouts.")] = 0,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="With --simulate: number of games at the same time. Default: one per core."),
    ] = None,
    ray: RayOption = None,
) -> None:
    """Find errors and possible mistakes in rule files.

    The exit status is 1 if there are errors or, with --strict, warnings, or if --simulate finds that the game lacks a
    property that the specification requires. It is 0 if there are only warnings or hints.
    `ggp rule CODE` explains a code.
    """
    from gdl.errors import GdlError
    from ggp.rules.checking import Options, Simulation
    from ggp.rules.rulefiles import STDIN, read_rules
    from ggp.rules.shipped_games import find_game

    if json and form is not Format.text:
        raise typer.BadParameter("--json cannot be combined with --format")
    if strict and errors_only:
        raise typer.BadParameter("--strict cannot be combined with --errors-only")
    check_ray(ray, jobs)
    if (jobs is not None or ray is not None) and not simulate:
        raise typer.BadParameter("--jobs and --ray need --simulate: mistakes are found at once")
    simulation = Simulation(playouts, seconds, seed) if simulate else None
    options = Options.of(ignore or (), errors_only=errors_only, simulation=simulation)
    sources: dict[int, Source] = {}
    failed = False
    for number, file in enumerate(files):
        try:
            sources[number] = read_rules(file if file == STDIN else str(find_game(file)))
        except GdlError as error:
            say(str(error))
            failed = True
    found: dict[int, FileReport | str] = {}
    reports: list[FileReport] = []
    try:
        _check(sources, options, found, jobs, ray)
    finally:  # an interrupt shows what is known
        reports += [one for _, one in sorted(found.items()) if not isinstance(one, str)]
        if found or not sources:
            _tell(reports, form, json=json, hints=hints, everything=everything)
    if failed or len(reports) < len(found):
        raise typer.Exit(BAD_INPUT)
    if any(report.errors or report.failing or (strict and report.warnings) for report in reports):
        raise typer.Exit(FAILED)


def _check(
    sources: Mapping[int, Source],
    options: Options,
    found: dict[int, FileReport | str],
    jobs: int | None,
    ray: str | None,
) -> None:
    """Check texts, and add their reports, or the reasons why there are none, by the numbers of the texts."""
    from ggp.rules.checking import check_source

    if options.simulation is None:
        found |= {number: check_source(source, options) for number, source in sources.items()}
        return
    from ggp.cli.screen import progress_line
    from ggp.rules.checking.jobs import MODULE, check_all
    from ggp.rules.report_text import number_and_noun
    from ggp.work.job import work_text
    from ggp.work.pool import open_executor

    one = next(iter(sources.values())).name if len(sources) == 1 else ""
    names = one or number_and_noun(len(sources), "file")
    with progress_line() as progress, open_executor(MODULE, jobs=jobs, ray=ray, note=say) as executor:
        progress(f"playing and proving {names}")
        for number, report in check_all(sources, options, executor):
            if isinstance(report, str):
                say(report)
            found[number] = report
            if not one:
                progress(f"playing and proving: {len(found)} of {names}, {work_text(executor.progress)}")


def _tell(reports: list[FileReport], form: Format, *, json: bool, hints: bool, everything: bool) -> None:
    """Print reports, as JSON or in a format for people."""
    if json:
        from ggp.rules.checking.formats import as_fields

        print_json("check", {"files": [as_fields(report) for report in reports]})
    else:
        _show(reports, form, hints=hints, everything=everything)


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
    if form is Format.text and console.is_terminal and any(report.errors + report.warnings for report in reports):
        say("`ggp rule CODE` explains a code")
