"""`ggp study`: measure how a game plays, and prove what can be proved about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ggp.cli.completion import complete_game
from ggp.cli.guard import guarded, say
from ggp.cli.json_output import print_json
from ggp.cli.options import JsonOption, RayOption, check_ray, seed_of

if TYPE_CHECKING:
    from ggp.study.study import Study


@guarded
def study(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE [NEW]",
            help="A rule file or the name of a game. If there are two, compare them.",
            autocompletion=complete_game,
        ),
    ],
    matches: Annotated[
        int, typer.Option(min=0, help="The number of matches of each pair of players in strong play; 0 for none.")
    ] = 30,
    playouts: Annotated[int, typer.Option(min=1, help="The number of random playouts.")] = 10_000,
    seconds: Annotated[
        float, typer.Option("--time", metavar="S", help="Time limit in seconds; the report lists what was left out.")
    ] = 60.0,
    seed: Annotated[int, typer.Option(callback=seed_of, help="Seed, which repeats a study.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Number of matches played at the same time. Default: one per core.")
    ] = None,
    memory: Annotated[float, typer.Option(metavar="GB", help="Maximum memory of the solver.")] = 1.0,
    max_plies: Annotated[int, typer.Option(min=1, help="Cut matches off after this many plies.")] = 500,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Also write the study as a page with charts.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Write the records of the sample matches to this folder."
        ),
    ] = None,
    ray: RayOption = None,
    json: JsonOption = False,
) -> None:
    """Measure how long, fair, tense and deep a game is.

    Every figure has a 95% interval. The report also lists what is proved about the game. With two games, show the
    differences, and mark the significant ones. After Ctrl-C, show what is known so far.
    """
    from ggp.cli.screen import progress_line
    from ggp.rules.shipped_games import find_game
    from ggp.study.study import Settings
    from ggp.study.study import study as studied

    check_ray(ray, jobs)
    if len(files) > 2:
        raise typer.BadParameter(f"one game, or two to compare, not {len(files)}")
    paths = [find_game(file) for file in files]
    if not 0 < seconds < float("inf"):
        raise typer.BadParameter(f"--time must be positive and finite, not {seconds}")
    if not 0 < memory < float("inf"):
        raise typer.BadParameter(f"--memory must be positive and finite, not {memory}")
    if page is not None and not page.absolute().parent.is_dir():
        raise typer.BadParameter(f"the folder for {page} does not exist")
    if output is not None and not output.is_dir():
        raise typer.BadParameter(f"there is no folder {output}")
    settings = Settings(seed, playouts, seconds / len(paths), max_plies, matches, jobs, memory, ray)
    found: dict[int, Study] = {}
    try:
        with progress_line() as tell:
            for place, path in enumerate(paths):
                for grown in studied(path, settings, tell, say):
                    found[place] = grown
    finally:
        known = [one for one in found.values() if one.random]
        if known:
            _show(known, page, output, json=json)


def _show(found: list[Study], page: Path | None, output: Path | None, *, json: bool) -> None:
    """Show a study, or two and their differences, and write what was asked for."""
    from gdl.system.files import write_file
    from ggp.cli.views.study import show_comparison, show_study
    from ggp.match.record import write_record
    from ggp.study.comparison import Comparison
    from ggp.study.json_form import comparison_fields, study_fields
    from ggp.study.page import comparison_page, study_page
    from ggp.study.samples import sample_matches

    if len(found) == 2:
        both = Comparison(*found)
        print_json("study", comparison_fields(both)) if json else show_comparison(both)
    else:
        print_json("study", study_fields(found[0])) if json else show_study(found[0])
    if page is not None:
        write_file(page, comparison_page(both) if len(found) == 2 else study_page(found[0]))
    if output is not None:
        for one in found:
            for number, sample in enumerate(sample_matches(one.strong) if one.strong is not None else (), 1):
                write_record(sample.record, output / f"{one.name}-{number}.json")
