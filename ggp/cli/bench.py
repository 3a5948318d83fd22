"""`ggp bench`: how fast the engine plays a game."""

from __future__ import annotations

from typing import Annotated

import typer

from ggp.cli.guard import guarded


@guarded
def bench(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Rule files or names of games.")],
    seconds: Annotated[float, typer.Option(help="How long to play each game.")] = 5.0,
    seed: Annotated[int, typer.Option(help="Seed of the playouts.")] = 0,
    max_plies: Annotated[int, typer.Option(min=1, help="Playouts are cut off here.")] = 500,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object a game and line.")] = False,
) -> None:
    """Measure random playouts of the reasoner on one core.

    A transition is: the legal moves of all roles, a joint move, the next state, and whether it is terminal. At the
    end of a playout the goals are asked for. Loading is not counted, nor is a first playout.
    """
    from json import dumps

    from gdl import Reasoner
    from ggp.bench import measure
    from ggp.cli.screen import screen, table
    from ggp.games import find_game, game_name

    if not 0 < seconds < float("inf"):
        raise typer.BadParameter(f"{seconds} seconds")
    rows = [("game", "playouts/s", "transitions/s", "mean length", "playouts", "cut off")]
    try:
        for path in [find_game(file) for file in files]:
            speed = measure(Reasoner.load(path), seconds=seconds, seed=seed, max_plies=max_plies)
            if json:
                fields = {
                    "game": game_name(path),
                    "file": str(path),
                    "engine": "reasoner",
                    "playouts": speed.playouts,
                    "cutOff": speed.cut,
                    "transitions": speed.transitions,
                    "seconds": speed.seconds,
                    "playoutsPerSecond": speed.playouts_per_second,
                    "transitionsPerSecond": speed.transitions_per_second,
                    "meanLength": speed.mean_length,
                    "seed": seed,
                    "maxPlies": max_plies,
                }
                typer.echo(dumps(fields))
                continue
            rows.append(
                (
                    game_name(path),
                    f"{speed.playouts_per_second:,.1f}",
                    f"{speed.transitions_per_second:,.0f}",
                    f"{speed.mean_length:.1f}",
                    f"{speed.playouts:,}",
                    f"{speed.cut:,}",
                )
            )
    finally:
        if len(rows) > 1:  # what was measured before an error or an interrupt
            table(screen(), rows, right=range(1, 6))
