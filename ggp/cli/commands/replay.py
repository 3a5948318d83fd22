"""`ggp replay`: show a recorded match, check it against the rules, and resume it."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from ggp.cli.completion import complete_game, complete_player
from ggp.cli.guard import FAILED, guarded
from ggp.cli.json_output import print_json
from ggp.cli.options import MEMORY, JsonOption, LogsOption, MemoryOption, QuietOption, local_players

if TYPE_CHECKING:
    from gdl.reasoner.reasoner import Reasoner
    from ggp.cli.views.match import View
    from ggp.match.isolation.local import LocalPlayers
    from ggp.match.record import MatchRecord, ReadRecord
    from ggp.match.replay import ReplayError


@guarded
def replay(
    record: Annotated[
        str,
        typer.Argument(metavar="FILE", help="The record of a match (JSON), or the address of a match at a `ggp host`."),
    ],
    rules: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The rule file or the name of the game. Default: the rules in the record.",
            autocompletion=complete_game,
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an unfinished match, and record it in the same file.")
    ] = False,
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[ROLE=]NAME",
            help="The players of a resumed match, as in `ggp play` and `ggp host`.",
            autocompletion=complete_player,
        ),
    ] = None,
    max_plies: Annotated[
        int | None, typer.Option(min=1, help="With --resume: a new limit on the number of plies.")
    ] = None,
    player_memory: MemoryOption = MEMORY,
    player_logs: LogsOption = None,
    fsync: Annotated[
        bool, typer.Option("--fsync", help="With --resume: sync the record to the disk after each ply.")
    ] = False,
    delay: Annotated[float, typer.Option(min=0.0, help="Seconds between plies.")] = 0.0,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Show a recorded match, check it, or resume it.

    Each ply is checked against the rules before it is shown. The exit status is 1 if the record disagrees with the
    rules; the message names the first ply that does. With --resume, continue a match that was interrupted.
    """
    from ggp.cli.screen import line, screen
    from ggp.cli.views.match import MatchView
    from ggp.cli.views.match_json import JsonMatchView
    from ggp.match.replay import Replay, ReplayError
    from ggp.rules.report_text import number_and_noun

    if not resume and (player or max_plies or fsync):
        raise typer.BadParameter("--player, --max-plies and --fsync require --resume")
    file = Path(record)
    with ExitStack() as held:
        if resume:
            from ggp.cli.playing import recording

            held.enter_context(recording(file))
        found = _found(record, resume=resume)
        reasoner = _rules(found.record, rules, record)
        errors = screen(sys.stderr)
        if found.lost:
            line(errors, f"{record}: {found.lost}")
        try:
            again = Replay(found.record, reasoner)
            view = JsonMatchView(again, "replay", _agreement(record, found)) if json else MatchView(again, quiet=quiet)
            view.begin()
            for ply in again.plies():
                view.ply(ply)
                time.sleep(delay)
            if resume:
                again.check_goes_on()
                remarks = sys.stderr if json else sys.stdout
                with local_players(player_memory, player_logs) as local:
                    _resume(file, found.record, reasoner, player or [], max_plies, view, remarks, local, fsync=fsync)
                return
        except ReplayError as error:
            if json:
                print_json("replay", _agreement(record, found, error))
            sys.stdout.flush()
            line(errors, f"{record}: {error}")
            raise typer.Exit(FAILED) from None
        view.end()
        if json:
            return
        line(screen(), f"the record agrees with the rules: {number_and_noun(len(again.passed), 'ply', 'plies')}")


def _found(record: str, *, resume: bool) -> ReadRecord:
    """Return the record in a file, or of a match at an address."""
    from ggp.cli.interrupts import run_async
    from ggp.match.record import ReadRecord, open_record
    from ggp.network.pasted import is_address

    if Path(record).exists() or not is_address(record):
        return open_record(record)
    if resume:
        raise typer.BadParameter("--resume needs the file of a record, as the match is recorded there, not an address")
    from ggp.network.host_client import fetch_record, find_match, parse_page, session

    async def fetch() -> ReadRecord:
        async with session() as requests:
            return ReadRecord(await fetch_record(requests, await find_match(requests, parse_page(record))))

    return run_async(fetch())


def _agreement(file: str, found: ReadRecord, error: ReplayError | None = None) -> dict[str, Any]:
    """Return the JSON fields that say whether a record agrees with the rules."""
    disagreement = None if error is None else {"ply": error.ply, "reason": error.reason}
    return {"file": file, "lost": found.lost, "agrees": error is None, "disagreement": disagreement}


def _rules(record: MatchRecord, name: str | None, file: str) -> Reasoner:
    from gdl.reasoner.reasoner import Reasoner
    from ggp.match.record import RecordError
    from ggp.rules.shipped_games import find_game

    if name is not None:
        return Reasoner.load(find_game(name))
    if not record.rules:
        raise RecordError(file, "the record contains no rules; name them with --rules FILE")
    return Reasoner(record.rules, f"the rules in {file}")


def _resume(
    file: Path,
    record: MatchRecord,
    reasoner: Reasoner,
    assignments: list[str],
    max_plies: int | None,
    view: View,
    remarks: TextIO,
    local: LocalPlayers,
    *,
    fsync: bool,
) -> None:
    from gdl.engine import hides_states, rule_text
    from gdl.simulator import seeds
    from ggp.cli.hosting import MatchNetwork
    from ggp.cli.lineup import HUMAN, lineup_names
    from ggp.cli.playing import engine_for, exit_if_stuck, paced, play_through
    from ggp.cli.screen import line, screen
    from ggp.match.match import Match
    from ggp.match.settings import Policy, Settings

    try:
        settings = Settings(
            seed=seeds.draw() if record.seed is None else record.seed,
            max_plies=max_plies or record.max_plies or 500,
            start_clock=record.start_clock,
            play_clock=record.play_clock,
            policy=Policy(record.policy or Policy.REPLACE),
            fsync=fsync,
        )
    except ValueError as error:
        raise typer.BadParameter(f"{file}: {error}") from None
    with MatchNetwork(local.make, prompts=remarks) as network:
        names = lineup_names(reasoner.roles, assignments)
        if HUMAN in names.values() and hides_states(reasoner):
            raise typer.BadParameter("the record shows what a person may not see in a game with hidden information")
        network.introduce(names, rule_text(reasoner), wait=0)
        players = paced(network.players(names), settings)
        match = Match.resume(engine_for(reasoner, players.values()), players, settings, record)
        line(screen(remarks), f"resumed after {len(record.plies)} plies")
        view.go_on(match)
        match = play_through(match, view, file)
    exit_if_stuck(match.record)
