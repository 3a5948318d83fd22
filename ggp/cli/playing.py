"""What commands that play a match have in common: the engine for its players, its record, and the screen."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import typer

from gdl.reasoner import Reasoner
from ggp.cli.guard import FAILED
from ggp.cli.matchview import MatchView
from ggp.cli.screen import line, progress_line, screen
from ggp.engine import Engine
from ggp.loading import compiled
from ggp.match import Match
from ggp.record import MatchRecord, RecordFile, Result


def engine_for(reasoner: Reasoner, players: Iterable[object]) -> Engine:
    """What plays a game: compiled where somebody searches, as that takes a while; a line says where it cannot be."""
    if not any(getattr(player, "compiles", False) for player in players):
        return reasoner
    with progress_line() as progress:
        loaded = compiled(reasoner, progress)
    if loaded.note:
        line(screen(sys.stderr), f"played by the Reasoner, slower: {loaded.note}")
    return loaded.game


def play_through(
    match: Match, view: MatchView, file: Path | None, tell: Callable[[MatchRecord], None] = lambda _: None
) -> None:
    """Play a match to its end, shown ply by ply and recorded in a file; `tell` hears of every ply and of the end.

    Raises RecordError before the match where the file cannot be written.
    """
    saved = None if file is None else RecordFile(file)
    if saved:
        saved.finish(match.record)
    tell(match.record)
    try:
        with match:
            view.begin()
            for ply in match.plies():
                if saved:
                    saved.update(match.record)
                tell(match.record)
                view.ply(ply)
        view.end()
    except KeyboardInterrupt:
        view.end()
        raise
    finally:
        if saved:
            saved.finish(match.record)
        tell(match.record)


def exit_if_stuck(record: MatchRecord) -> None:
    """End the command as failed where the rules were at fault."""
    if record.result is Result.STUCK or record.rules_error:
        raise typer.Exit(FAILED)
