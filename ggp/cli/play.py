"""`ggp play`: a match on the screen."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ggp.cli.guard import FAILED, guarded
from ggp.settings import Policy, Settings


@guarded
def play(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A rule file or the name of a game.")],
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[ROLE=]NAME",
            help="Who plays a role, or every role not named: auto, mcts, alphabeta, planner, greedy, random, "
            "legal, openspiel, FILE.py:CLASS. May be given several times. Default: auto.",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Repeats a match. Default: drawn, and shown.")] = None,
    max_plies: Annotated[int, typer.Option(min=1, help="A match that is longer ends as unfinished.")] = 500,
    start_clock: Annotated[float | None, typer.Option(help="Seconds to get ready. Default: no clock.")] = None,
    play_clock: Annotated[float | None, typer.Option(help="Seconds for each move. Default: no clock.")] = None,
    policy: Annotated[
        Policy, typer.Option(help="What a late or illegal move or a crash leads to: a random move, or 0 points.")
    ] = Policy.REPLACE,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the match to this file (JSON) while it is played.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show the result only.")] = False,
) -> None:
    """Play a match and show it ply by ply."""
    from gdl import Reasoner
    from ggp import seeds
    from ggp.cli.matchview import MatchView
    from ggp.cli.screen import line, progress_line, screen
    from ggp.cli.seating import seat_players
    from ggp.engine import Engine
    from ggp.games import find_game, game_name
    from ggp.loading import load
    from ggp.match import Match
    from ggp.record import RecordFile, Result

    try:
        settings = Settings(
            seed=seeds.draw() if seed is None else seed,
            max_plies=max_plies,
            start_clock=start_clock,
            play_clock=play_clock,
            policy=policy,
        )
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    path = find_game(file)
    reasoner = Reasoner.load(path)
    players = seat_players(reasoner.roles, player or [])
    game: Engine = reasoner
    if any(getattr(player, "compiles", False) for player in players.values()):
        # Compiling takes a while, and pays for those who search.
        with progress_line() as progress:
            loaded = load(path, progress)
        game = loaded.game
        if loaded.note:
            line(screen(sys.stderr), f"played by the Reasoner, slower: {loaded.note}")
    match = Match(game, players, settings, name=game_name(path))
    view = MatchView(match, quiet=quiet)

    saved = None if record is None else RecordFile(record)
    if saved:
        saved.finish(match.record)  # a file that cannot be written is found out before the match, not after it
    try:
        with match:
            view.begin()
            for ply in match.plies():
                if saved:
                    saved.update(match.record)
                view.ply(ply)
        view.end()
    except KeyboardInterrupt:
        view.end()
        raise
    finally:
        if saved:
            saved.finish(match.record)
    if match.record.result is Result.STUCK or match.record.rules_error:
        raise typer.Exit(FAILED)
