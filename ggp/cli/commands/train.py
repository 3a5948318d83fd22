"""`ggp train`: learn what positions are worth, by self-play, and keep it in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ggp.cli.guard import guarded, say
from ggp.cli.options import FileArgument, JsonLinesOption, RayOption, check_folder, check_ray, seed_of


@guarded
def train(
    file: FileArgument,
    minutes: Annotated[float, typer.Option(help="Minutes of training, with those before an interruption.")] = 30.0,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="End after this many rounds; then the same seed gives the same values.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes that play the games. Default: one per core.")
    ] = None,
    ray: RayOption = None,
    tasks: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=10_000,
            help="Parts of a round that can be played at the same time, 8 by default: more for more cores. It changes "
            "what is learned; --jobs and --ray do not.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(callback=seed_of, help="Seed. Default: that of the training run that is continued, or 0."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE.learned",
            help="Write what is learned to this file. Default: NAME.learned in the current folder.",
        ),
    ] = None,
    restart: Annotated[
        bool, typer.Option("--restart", help="Begin anew, even if there is a training run that could be continued.")
    ] = False,
    measure: Annotated[
        bool,
        typer.Option(
            help="Play games against an earlier self and against auto(learned=0), to show the progress and to choose "
            "--search."
        ),
    ] = True,
    search: Annotated[
        str | None,
        typer.Option(
            metavar="SEARCH",
            help="What is to play with the values of two roles that take turns: alphabeta or mcts. Default: the one "
            "that wins more matches at the end. It does not change what is learned.",
        ),
    ] = None,
    exploration: Annotated[
        float | None,
        typer.Option(
            help="The option exploration of learned with these values, if mcts plays. Default: 0, or that of the "
            "training that is continued. It does not change what is learned."
        ),
    ] = None,
    json: JsonLinesOption = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Draw a chart of the progress, also after Ctrl-C.")
    ] = None,
) -> None:
    """Learn what positions are worth, by self-play.

    The player learned(FILE.learned) searches with these values. All games without hidden states can be trained. Ctrl-C
    ends the training run and keeps what it has learned. To continue after an interruption, run the same command again.
    """
    import gdl
    from gdl.engine import player_roles
    from gdl.system.files import write_file
    from ggp.cli.screen import progress_line
    from ggp.cli.views.train import TrainView
    from ggp.learning.train import MODULE, Settings
    from ggp.learning.train import train as trained
    from ggp.players.learned_values.value import MOST_EXPLORATION
    from ggp.rules.shipped_games import find_game, game_name
    from ggp.work.pool import open_executor

    check_ray(ray, jobs)
    path = find_game(file)
    if search not in (None, "alphabeta", "mcts"):
        raise typer.BadParameter(f"{search} is no search for learned values: alphabeta or mcts", param_hint="--search")
    if exploration is not None and not 0 <= exploration <= MOST_EXPLORATION:
        raise typer.BadParameter(f"--exploration must be from 0 to {MOST_EXPLORATION:g}, not {exploration}")
    if not 0 < minutes < float("inf"):
        raise typer.BadParameter(f"--minutes must be positive and finite, not {minutes}")
    target = output or Path(f"{game_name(path)}.learned")
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise typer.BadParameter(f"cannot write to {target}: not a file in a folder that exists", param_hint="--output")
    check_folder(plot)
    settings = Settings(minutes, rounds, tasks, seed, restart, measure, search, exploration)
    with progress_line() as tell:
        rulesheet = gdl.Rulesheet.load(path)
        simulator = gdl.compile(rulesheet, progress=lambda stage: tell(f"compiling: {stage}")).whole("training")
    with open_executor(MODULE, jobs=jobs, ray=ray, note=say) as executor:
        players = player_roles(simulator)
        view = TrainView(game_name(path), path, target, players, minutes, executor.progress, json=json)
        try:
            with view:
                for report in trained(simulator, target, settings, executor):
                    view.show(report)
        except KeyboardInterrupt:
            if view.reports:
                say(f"{target} has what is learned; run the same command again to continue")
            raise
        finally:
            if plot is not None and view.reports:
                from ggp.learning.chart import learning_chart

                write_file(plot, learning_chart(view.reports, f"training of {game_name(path)}"))
    view.end()
