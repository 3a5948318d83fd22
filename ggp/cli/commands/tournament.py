"""`ggp tournament`: many matches between several players."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ggp.cli.guard import FAILED, guarded, say
from ggp.cli.options import (
    MEMORY,
    FilesArgument,
    JsonOption,
    LogsOption,
    MemoryOption,
    PlayClockOption,
    RayOption,
    StartClockOption,
    check_folder,
    check_ray,
    memory_limit,
    seed_of,
)
from ggp.tournament.format import Format


@guarded
def tournament(
    files: FilesArgument,
    players: Annotated[
        str,
        typer.Option(
            metavar="A,B,...",
            help="The players, separated by commas: named as for `ggp play`, or remote(http://HOST:PORT).",
        ),
    ],
    games: Annotated[
        int, typer.Option(min=1, help="Matches per pair and game; an even number is fair to all roles.")
    ] = 10,
    format_: Annotated[
        Format,
        typer.Option("--format", help="All players meet, or those with equal points meet in each of --rounds rounds."),
    ] = Format.ROUND_ROBIN,
    rounds: Annotated[
        int, typer.Option(min=0, help="The number of rounds with --format swiss: at most half as many as players.")
    ] = 0,
    start_clock: StartClockOption = None,
    play_clock: PlayClockOption = None,
    seed: Annotated[
        int | None,
        typer.Option(callback=seed_of, help="Seed, which repeats a tournament. Default: random, and shown."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Number of matches played at the same time. Default: one per core. Clocks are only fair if each match "
            "has a core to itself: with clocks, leave one or two cores free for other work.",
        ),
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.sqlite",
            help="Store each finished match in this file. Started again with the same file, a tournament continues "
            "where it stopped.",
        ),
    ] = None,
    par: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            min=0.1,
            help="At the end, solve each game of two roles within this time, and compare points with its value.",
        ),
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw a chart of the ratings.")] = None,
    max_plies: Annotated[int, typer.Option(min=1, help="Longer matches end as unfinished and count as draws.")] = 500,
    player_memory: MemoryOption = MEMORY,
    player_logs: LogsOption = None,
    ray: RayOption = None,
    json: JsonOption = False,
) -> None:
    """Play a tournament, and rate the players.

    Each pair of players meets in each game, and plays every role equally often. Games with one role are played by each
    player alone, and the goals are compared. Ratings are in Elo points around a mean of 0, with 95% intervals. Matches
    run in separate processes; if one dies, it is replaced, and its match is played again.
    """
    from ggp.cli.screen import progress_line
    from ggp.cli.views.tournament import TournamentView
    from ggp.match.settings import Settings
    from ggp.tournament.par import par_of
    from ggp.tournament.plan import split_players
    from ggp.tournament.tournament import Tournament
    from ggp.work.job import Lost

    check_ray(ray, jobs)
    check_folder(plot)
    try:
        Settings(0, max_plies, start_clock, play_clock)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    with progress_line() as show:
        running = Tournament(
            files,
            split_players(players),
            {
                "games": games,
                "format": format_.value,
                "rounds": rounds,
                "start_clock": start_clock,
                "play_clock": play_clock,
                "seed": seed,
                "jobs": jobs,
                "store": store,
                "max_plies": max_plies,
                "player_memory": memory_limit(player_memory),
                "player_logs": player_logs,
                "ray": ray,
            },
            compiling=lambda name: show(f"compiling {name}"),
            note=say,
        )
    with running:
        view = TournamentView(running.plan, running.outcomes, json=json, work=running.progress)
        running.note = view.say
        lost = 0
        try:
            with view:
                for result in running.results():
                    if isinstance(result, Lost):
                        lost += 1
                        view.lost(result.task, result.reason)
                    else:
                        view.add(result)
        except KeyboardInterrupt:
            say(
                "results so far:"
                if store is None
                else f"{store} has the results; run the same command again to continue"
            )
            raise
        else:
            if par is not None:
                for contest in running.plan.contests:
                    say(f"solving {contest.name}")
                    view.pars[contest.name] = par_of(contest, par)
        finally:
            view.show()
            if plot is not None:
                view.plot(plot)
    if lost:
        raise typer.Exit(FAILED)
