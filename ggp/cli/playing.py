"""Shared by the commands that play matches: settings, engines, and matches shown and recorded."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

import typer

from gdl.engine import Engine
from gdl.reasoner.reasoner import Reasoner
from gdl.simulator import seeds
from gdl.system.childprocess import usable_cores
from gdl.system.files import alone
from ggp.cli.guard import FAILED, INTERRUPTED
from ggp.cli.human import HumanPlayer
from ggp.cli.screen import line, progress_line, screen
from ggp.cli.views.match import View
from ggp.match.isolation.isolated_player import IsolatedPlayer
from ggp.match.match import AnyPlayer, Match
from ggp.match.record import MatchRecord, RecordError, Result
from ggp.match.recorded_play import play_recorded
from ggp.match.settings import PACE, PACE_OF_PROGRAMS, Policy, Settings
from ggp.players.compilation import compilation_failure
from ggp.players.player import Correspondent, Quit, TakeBack
from ggp.players.prompt import Prompt, Waiting
from ggp.players.traits import compiles, limited, note_of, plans
from ggp.rules.engine_choice import compiled_or_reasoner

#: The seconds that a program has to get ready if no clock runs, for each second that it has for a move.
READY: Final = 2.0

#: The seconds that a player may take to plan a puzzle before its first move; it begins sooner if no plan is better.
PLANNING: Final = 20.0


def settings_of(
    seed: int | None,
    max_plies: int,
    start_clock: float | None,
    play_clock: float | None,
    policy: Policy,
    *,
    fsync: bool = False,
    ponder: bool = False,
    threads: int = 1,
) -> Settings:
    """Return the settings given on the command line, with a random seed if none was given. Raises BadParameter."""
    if ponder and play_clock is None:
        raise typer.BadParameter("--ponder requires --play-clock")
    try:
        return Settings(
            seeds.draw() if seed is None else seed, max_plies, start_clock, play_clock, policy, fsync, ponder, threads
        )
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def check_cores(players: int) -> None:
    """Raise BadParameter if players that ponder would have to share cores, which is not fair."""
    cores = usable_cores()
    if players > cores:
        raise typer.BadParameter(f"--ponder requires a core for each player: {players} players, but {cores} cores")


def engine_for(reasoner: Reasoner, players: Iterable[object]) -> Engine:
    """Return the engine for a match: compiled, which takes a while, only if some player searches.

    If the game cannot be compiled, a line says why, and the Reasoner is used.
    """
    if not any(map(compiles, players)):
        return reasoner
    with progress_line() as progress:
        choice = compiled_or_reasoner(reasoner, progress)
    if choice.uses_reasoner:
        line(screen(sys.stderr), f"using the Reasoner, which is slower: {choice.reason}")
    return choice.game


def paced(
    players: Mapping[str, AnyPlayer], settings: Settings, pace: float | None = None, waiting: Waiting | None = None
) -> dict[str, AnyPlayer]:
    """Return players for a match in which nobody has to wait: if no clock runs, programs get clocks of their own.

    `pace` is the number of seconds for a move; by default, it depends on whether a person plays. People, players that
    limit their work for a move, players of your own and those on other machines take the time that they need. People
    move while programs get ready. A player that plans a puzzle before its first move has longer to get ready.
    """
    if settings.timed:
        return dict(players)
    with_people = any(isinstance(player, HumanPlayer) for player in players.values())
    if pace is None:
        pace = PACE if with_people else PACE_OF_PROGRAMS
    thinking = pace
    planned = len(players) == 1 and any(map(plans, players.values()))
    ready = max(READY * pace, PLANNING) if planned else READY * pace

    def with_clocks(player: AnyPlayer) -> AnyPlayer:
        if isinstance(player, HumanPlayer | IsolatedPlayer | Correspondent) or limited(player):
            return player
        return Prompt(player, ready, thinking, waiting, meanwhile=with_people)

    return {role: with_clocks(player) for role, player in players.items()}


class Remarks:
    """Says, once each in a line on standard error, how players play, and that their rules could not be compiled."""

    def __init__(self, rules: str, players: Mapping[str, object]) -> None:
        """Watch the players of the roles, and their compilation of some rules."""
        self._rules = rules
        self._players = dict(players)
        self._said = False

    def __call__(self, record: MatchRecord) -> None:  # noqa: ARG002
        """Look whether there is something new to say."""
        for role, player in list(self._players.items()):
            if note := note_of(player):
                del self._players[role]
                line(screen(sys.stderr), f"{role} {note}")
        reason = "" if self._said else compilation_failure(self._rules)
        if reason:
            self._said = True
            line(screen(sys.stderr), f"players search without compiled code, which is slower: {reason}")


@contextmanager
def recording(file: Path | None) -> Iterator[None]:
    """Let no other process record a match in the same file meanwhile. Raises FileInUseError, RecordError."""
    with ExitStack() as held:
        if file is not None and (file.is_file() or not file.exists()):
            try:
                held.enter_context(alone(file))
            except OSError as error:
                raise RecordError(str(file), error.strerror or str(error)) from None
        yield


def play_through(
    match: Match,
    view: View,
    file: Path | None,
    tell: Callable[[MatchRecord], None] = lambda _: None,
    *,
    show_all: bool = False,
) -> Match:
    """Play a match to its end, show it ply by ply, and record it in `file`, as `play_recorded` does.

    With `show_all`, the record is open to a person who does not see everything. Returns the match that has ended:
    another one if people have taken back moves. Raises Exit with the status of an interrupt if a person has left.
    """

    def notify(record: MatchRecord) -> None:
        view.begin()  # not before the file is known to be writable
        tell(record)

    try:
        while True:
            try:
                with closing(play_recorded(match, file, notify, open_to_all=show_all)) as plies:
                    for ply in plies:
                        view.ply(ply)
                return match
            except TakeBack as taken:
                match = match.before(taken.kept)
                view.take_back(match)
            except Quit:
                raise typer.Exit(INTERRUPTED) from None
    finally:
        view.end()
        if file is not None and match.record.result is Result.ABORTED:
            line(screen(sys.stderr), f"to continue the match: ggp replay --resume {shlex.quote(str(file))}")


def exit_if_stuck(record: MatchRecord) -> None:
    """Exit with the status of a failure if the rules were at fault."""
    if record.faulty:
        raise typer.Exit(FAILED)
