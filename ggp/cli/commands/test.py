"""`ggp test`: check rule files against what every game must have and what is expected of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ggp.cli.guard import guarded
from ggp.cli.json_output import JsonLinesOption, print_json


@guarded
def conform(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Rule files or names of games.")],
    playouts: Annotated[int, typer.Option(min=0, help="Random playouts of each game.")] = 20,
    seed: Annotated[int, typer.Option(help="Seed of the playouts.")] = 0,
    max_plies: Annotated[int | None, typer.Option(min=1, help="Playouts are cut off here.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show failures only.")] = False,
    json: JsonLinesOption = False,
) -> None:
    """Test rule files.

    By their static rules, by random playouts, and by the expectations that are written beside them.
    """
    from ggp.rules.shipped_games import find_game

    paths: list[Path] = [find_game(file) for file in files]

    from ggp.rules.conformance import run_command

    show = (lambda report: print_json("test", report.as_json())) if json else None
    status = run_command(paths, playouts=playouts, seed=seed, max_plies=max_plies, quiet=quiet, show=show)
    if status:
        raise typer.Exit(status)
