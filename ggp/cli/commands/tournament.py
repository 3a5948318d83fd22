"""`ggp tournament`: many matches between several players."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ggp.cli.guard import FAILED, guarded, say
from ggp.cli.json_output import JsonOption

if TYPE_CHECKING:
    from ggp.tournament.plan import Contest
    from ggp.tournament.pool import Pool


@guarded
def tournament(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Rule files or names of games.")],
    players: Annotated[
        str, typer.Option(metavar="A,B,...", help="The players, named as for `ggp play`, separated by commas.")
    ],
    games: Annotated[
        int, typer.Option(min=1, help="Matches per pair and game; an even number is fair to all roles.")
    ] = 10,
    start_clock: Annotated[float | None, typer.Option(help="Seconds to get ready. Default: no clock.")] = None,
    play_clock: Annotated[float | None, typer.Option(help="Seconds for each move. Default: no clock.")] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed, which repeats a tournament. Default: random, and shown.")
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
    plot: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw a chart of the ratings.")] = None,
    max_plies: Annotated[int, typer.Option(min=1, help="Longer matches end as unfinished and count as draws.")] = 500,
    json: JsonOption = False,
) -> None:
    """Play a round robin: each pair of players meets in each game, in every role equally often.

    Games with one role are played by each player alone, and the goals are compared. Ratings are in Elo points around a
    mean of 0, with 95% intervals. Matches run in separate processes; if one dies, it is replaced, and its match is
    played again.
    """
    from gdl.simulator import seeds
    from ggp.cli.views.tournament import TournamentView
    from ggp.match.settings import Settings
    from ggp.rules.shipped_games import find_game
    from ggp.tournament.plan import Plan, split_players
    from ggp.tournament.pool import Lost, Pool
    from ggp.tournament.store import Store

    if plot is not None and not plot.absolute().parent.is_dir():
        raise typer.BadParameter(f"the folder for {plot} does not exist")
    paths = [find_game(file) for file in files]
    names = split_players(players)
    try:
        Settings(0, max_plies, start_clock, play_clock)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    with Store(store) as kept, Pool(jobs or _cores()) as pool:
        for name in names:
            pool.ask({"do": "check", "player": name})
        contests = tuple(_contest(pool, path) for path in paths)
        if seed is None:
            seed = (kept.settings() or {}).get("--seed", seeds.draw())
        plan = Plan(contests, names, games, seed, start_clock, play_clock, max_plies)
        kept.begin(plan.identity())
        outcomes = kept.outcomes()
        done = {outcome.number for outcome in outcomes}
        fixtures = plan.fixtures()
        view = TournamentView(plan, outcomes, json=json)
        lost = 0
        try:
            with view:
                for result in pool.play([plan.task(fixture) for fixture in fixtures if fixture.number not in done]):
                    if isinstance(result, Lost):
                        lost += 1
                        view.lost(fixtures[result.task.number], result.reason)
                    else:
                        kept.add(fixtures[result.number], result)
                        view.add(result)
        except KeyboardInterrupt:
            say(
                "results so far:"
                if store is None
                else f"{store} has the results; run the same command again to continue"
            )
            raise
        finally:
            view.show()
            if plot is not None:
                view.plot(plot)
    if lost:
        raise typer.Exit(FAILED)


def _contest(pool: Pool, path: Path) -> Contest:
    """Load a game, compiled once for all processes, with a message if it cannot be. Raises MatchProcessError."""
    from ggp.cli.screen import progress_line
    from ggp.rules.shipped_games import game_name
    from ggp.tournament.plan import Contest

    with progress_line() as show:
        show(f"compiling {game_name(path)}")
        loaded = pool.ask({"do": "load", "path": str(path.absolute())})
    name = game_name(path)
    if loaded["note"]:
        say(f"{name}: not compiled, using the Reasoner: {loaded['note']}")
    return Contest(name, str(path.absolute()), loaded["digest"], tuple(loaded["roles"]), loaded["engine"])


def _cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
