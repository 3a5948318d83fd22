"""`ggp play`: a match on the screen."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ggp.cli.completion import complete_player
from ggp.cli.guard import guarded
from ggp.cli.options import (
    MEMORY,
    FileArgument,
    JsonOption,
    LogsOption,
    MemoryOption,
    PlayClockOption,
    PositionOption,
    QuietOption,
    StartClockOption,
    ThreadsOption,
    local_players,
    seed_of,
    threads_of,
)
from ggp.match.settings import LONGEST_CLOCK, PACE, PACE_OF_PROGRAMS, Policy
from ggp.players.registry import PLAYERS


@guarded
def play(
    file: FileArgument,
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[ROLE=]NAME",
            help=f"The player of a role, or of every role not named: {', '.join(PLAYERS)}, human (you), FILE.py:CLASS. "
            "May be given several times. Default: auto.",
            autocompletion=complete_player,
        ),
    ] = None,
    position: PositionOption = "",
    seed: Annotated[
        int | None,
        typer.Option(
            callback=seed_of,
            help="Seed, which repeats a match unless programs look at a clock (see --simulations). Default: random, "
            "and shown.",
        ),
    ] = None,
    max_plies: Annotated[int, typer.Option(min=1, help="Longer matches end as unfinished.")] = 500,
    start_clock: StartClockOption = None,
    play_clock: PlayClockOption = None,
    pace: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            max=LONGEST_CLOCK,
            help=f"Without clocks: seconds that a program takes for a move. Default: {PACE:g} against people, "
            f"{PACE_OF_PROGRAMS:g} if no person plays.",
        ),
    ] = None,
    simulations: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Without clocks: the simulations of a searching program for a move, however long they take. The same "
            "seed then repeats the match.",
        ),
    ] = None,
    policy: Annotated[
        Policy, typer.Option(help="The penalty for late or illegal moves and crashes: a random move, or 0 points.")
    ] = Policy.REPLACE,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the match to this JSON file while it is played.")
    ] = None,
    player_memory: MemoryOption = MEMORY,
    player_logs: LogsOption = None,
    fsync: Annotated[
        bool, typer.Option("--fsync", help="Sync the record to the disk after each ply, in case of a power failure.")
    ] = False,
    show_all: Annotated[
        bool,
        typer.Option(
            "--show-all", help="Show all states and moves, even if you play in a game with hidden information."
        ),
    ] = False,
    ponder: Annotated[
        bool,
        typer.Option("--ponder", help="Let players think while others do, too. Requires a core for each player."),
    ] = False,
    threads: ThreadsOption = None,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Play a match and show it ply by ply."""
    from gdl.engine import hides_states, player_roles
    from ggp.cli.lineup import check_one_screen, lineup_names, lineup_players, with_limit
    from ggp.cli.playing import (
        Remarks,
        check_cores,
        engine_for,
        exit_if_stuck,
        paced,
        play_through,
        recording,
        settings_of,
    )
    from ggp.cli.views.match_json import JsonMatchView
    from ggp.cli.views.own_match import match_view
    from ggp.cli.waiting import WaitingLine
    from ggp.match.match import Match
    from ggp.rules.position import load_at
    from ggp.rules.shipped_games import find_game, game_name

    path = find_game(file)
    reasoner = load_at(path, position)
    rules = reasoner.rulesheet.source.text
    thinking = len(player_roles(reasoner)) if ponder else 1
    settings = settings_of(
        seed,
        max_plies,
        start_clock,
        play_clock,
        policy,
        fsync=fsync,
        ponder=ponder,
        threads=threads_of(threads, thinking),
    )
    check_cores(thinking)
    waiting = WaitingLine(rules)
    if not show_all:
        check_one_screen(reasoner, lineup_names(reasoner.roles, player or []))
    takes_back = not settings.timed and (show_all or not hides_states(reasoner))
    with local_players(player_memory, player_logs) as local:
        make = with_limit(local.make, simulations)
        prompts = sys.stderr if json else None
        made = lineup_players(
            reasoner.roles, player or [], make, prompts, waiting.aside, takes_back=takes_back, draws=not show_all
        )
        players = paced(made, settings, pace, waiting)
        game = engine_for(reasoner, players.values())
        match = Match(game, players, settings, name=game_name(path))
        view = JsonMatchView(match, "play") if json else match_view(match, quiet=quiet, show_all=show_all)
        with recording(record):
            match = play_through(match, view, record, Remarks(rules, players), show_all=show_all)
    exit_if_stuck(match.record)
