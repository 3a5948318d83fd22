"""`ggp dataset`: the choices of many matches in one file, for learning."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ggp.cli.completion import complete_player
from ggp.cli.guard import guarded, say
from ggp.cli.options import MEMORY, FileArgument, LogsOption, MemoryOption, check_folder, local_players, seed_of


@guarded
def dataset(
    file: FileArgument,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The file to write: FILE.npz, or FILE.parquet (needs ggp[parquet])."
        ),
    ],
    games: Annotated[int, typer.Option(min=1, help="The number of matches.")] = 1000,
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[ROLE=]NAME",
            help="The player of a role, or of every role not named, as for `ggp play`. Default: random, whose matches "
            "are played side by side in compiled code.",
            autocompletion=complete_player,
        ),
    ] = None,
    perspective: Annotated[
        str, typer.Option(metavar="SIDE", help="mover: every role sees the game as the first one does; or fixed.")
    ] = "fixed",
    text: Annotated[bool, typer.Option("--text", help="Write each state as text, too.")] = False,
    max_plies: Annotated[int, typer.Option(min=1, help="Longer matches are truncated.")] = 500,
    seed: Annotated[
        int | None,
        typer.Option(callback=seed_of, help="Seed, which repeats the matches. Default: random, and shown."),
    ] = None,
    player_memory: MemoryOption = MEMORY,
    player_logs: LogsOption = None,
) -> None:
    """Play many matches, and write their choices to a file: observations, masks, actions and goals.

    Ctrl-C ends the matches; the file then has those that were over.
    """
    from gdl.simulator import seeds
    from ggp.cli.lineup import lineup_names
    from ggp.cli.screen import line, progress_line, screen
    from ggp.environments.datasets import RANDOM, Matches, Written, write_dataset
    from ggp.environments.game import EnvironmentGame
    from ggp.environments.perspective import Perspective
    from ggp.rules.report_text import number_and_noun
    from ggp.rules.shipped_games import find_game

    check_folder(output)
    if perspective not in ("fixed", "mover"):
        raise typer.BadParameter(f"{perspective} is no side: fixed or mover", param_hint="--perspective")
    drawn = seeds.draw() if seed is None else seed

    def amount(written: Written) -> str:
        matches = number_and_noun(written.matches, "match", "matches")
        return f"{matches}, {number_and_noun(written.rows, 'row', 'rows')}"

    with progress_line() as show, local_players(player_memory, player_logs) as local:
        try:
            game = EnvironmentGame(
                find_game(file),
                perspective=Perspective(perspective),
                progress=lambda stage: show(f"compiling: {stage}"),
            )
        except ValueError as error:  # no symmetry, or no role for a player
            raise typer.BadParameter(str(error)) from None
        names = lineup_names(game.agent_roles, player or [], RANDOM)
        written = Written()

        def told(so_far: Written) -> None:
            nonlocal written
            written = so_far
            show(f"{games:,} matches: {amount(so_far)}")

        try:
            write_dataset(output, game, Matches(games, names, drawn, max_plies, text), local.make, told)
        except KeyboardInterrupt:
            if written.matches:
                say(f"{output} has {amount(written)}")
            raise
    cut = f", {written.truncated:,} truncated" if written.truncated else ""
    line(screen(), (str(output), "bold"), f"   {amount(written)}{cut}   seed {drawn}")
