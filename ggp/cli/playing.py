"""Shared by the commands that play matches: settings, engines, and matches shown and recorded."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import typer

from gdl.engine import Engine
from gdl.reasoner.reasoner import Reasoner
from gdl.simulator import seeds
from ggp.cli.guard import FAILED
from ggp.cli.screen import line, progress_line, screen
from ggp.cli.views.match import View
from ggp.match.match import Match
from ggp.match.record import MatchRecord
from ggp.match.recorded_play import play_recorded
from ggp.match.settings import Policy, Settings
from ggp.players.traits import compiles
from ggp.rules.engine_choice import compiled_or_reasoner


def settings_of(
    seed: int | None,
    max_plies: int,
    start_clock: float | None,
    play_clock: float | None,
    policy: Policy,
    *,
    fsync: bool = False,
) -> Settings:
    """Return the settings given on the command line, with a random seed if none was given. Raises BadParameter."""
    try:
        return Settings(seeds.draw() if seed is None else seed, max_plies, start_clock, play_clock, policy, fsync)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def engine_for(reasoner: Reasoner, players: Iterable[object]) -> Engine:
    """Return the engine for a match: compiled, which takes a while, only if some player searches.

    If the game cannot be compiled, a line says why, and the Reasoner is used.
    """
    if not any(map(compiles, players)):
        return reasoner
    with progress_line() as progress:
        choice = compiled_or_reasoner(reasoner, progress)
    if choice.reason:
        line(screen(sys.stderr), f"using the Reasoner, which is slower: {choice.reason}")
    return choice.game


def play_through(
    match: Match, view: View, file: Path | None, tell: Callable[[MatchRecord], None] = lambda _: None
) -> None:
    """Play a match to its end, show it ply by ply, and record it in `file`, as `play_recorded` does."""

    def notify(record: MatchRecord) -> None:
        view.begin()  # not before the file is known to be writable
        tell(record)

    try:
        with closing(play_recorded(match, file, notify)) as plies:
            for ply in plies:
                view.ply(ply)
    finally:
        view.end()


def exit_if_stuck(record: MatchRecord) -> None:
    """Exit with the status of a failure if the rules were at fault."""
    if record.faulty:
        raise typer.Exit(FAILED)
