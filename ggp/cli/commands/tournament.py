"""`ggp tournament`: players against each other, in many matches."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ggp.cli.guard import FAILED, guarded, say
from ggp.cli.json_output import JsonOption


@guarded
def tournament(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Rule files or names of games.")],
    players: Annotated[
        str, typer.Option(metavar="A,B,...", help="The players, named as for `ggp play`, with commas between them.")
    ],
    games: Annotated[
        int, typer.Option(min=1, help="Matches of each pair in each game; an even number is fair to all roles.")
    ] = 10,
    start_clock: Annotated[float | None, typer.Option(help="Seconds to get ready. Default: no clock.")] = None,
    play_clock: Annotated[float | None, typer.Option(help="Seconds for each move. Default: no clock.")] = None,
    seed: Annotated[int | None, typer.Option(help="Repeats a tournament. Default: drawn, and shown.")] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Matches that are played at the same time. Default: as many as there are cores. Clocks are only fair "
            "if each match has a core to itself: with clocks, leave one or two cores free for other work.",
        ),
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.sqlite",
            help="Keep each match in this file as soon as it is over. Started again with the same file, a tournament "
            "goes on where it was left.",
        ),
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw the ratings.")] = None,
    max_plies: Annotated[int, typer.Option(min=1, help="A match that is longer ends as unfinished: a draw.")] = 500,
    json: JsonOption = False,
) -> None:
    """Play a round robin: each pair of players in each game, in every role equally often.

    A game of one role is played by each player alone, and their goals are compared. Ratings are in points of Elo around
    a mean of 0, with 95% intervals. Matches are played in processes of their own; one that dies is replaced, and its
    match played again.
    """
    from ggp.cli.screen import progress_line
    from ggp.cli.views.tournament import TournamentView
    from ggp.match.settings import Settings
    from ggp.tournament.plan import split_players
    from ggp.tournament.pool import Lost
    from ggp.tournament.round_robin import RoundRobin

    if plot is not None and not plot.absolute().parent.is_dir():
        raise typer.BadParameter(f"no folder for {plot}")
    try:
        Settings(0, max_plies, start_clock, play_clock)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    with progress_line() as show:
        running = RoundRobin(
            files,
            split_players(players),
            games=games,
            start_clock=start_clock,
            play_clock=play_clock,
            seed=seed,
            jobs=jobs,
            store=store,
            max_plies=max_plies,
            compiling=lambda name: show(f"compiling {name}"),
            note=say,
        )
    with running:
        fixtures = running.plan.fixtures()
        view = TournamentView(running.plan, running.outcomes, json=json)
        lost = 0
        try:
            with view:
                for result in running.results():
                    if isinstance(result, Lost):
                        lost += 1
                        view.lost(fixtures[result.task.number], result.reason)
                    else:
                        view.add(result)
        except KeyboardInterrupt:
            say("what was played so far:" if store is None else f"go on with the same command: {store} keeps all")
            raise
        finally:
            view.show()
            if plot is not None:
                view.plot(plot)
    if lost:
        raise typer.Exit(FAILED)
