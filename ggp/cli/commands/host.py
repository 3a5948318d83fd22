"""`ggp host`: matches between local and remote players."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ggp.cli.completion import complete_game, complete_player
from ggp.cli.guard import guarded
from ggp.cli.options import (
    MEMORY,
    JsonLinesOption,
    LogsOption,
    MemoryOption,
    QuietOption,
    interface,
    local_players,
    seed_of,
)
from ggp.match.settings import Policy

if TYPE_CHECKING:
    from ggp.cli.hosting import Hosting

#: The suffix of schedules.
SUFFIX: Final = ".toml"

#: An address that only programs on this machine can reach.
LOOPBACK: Final = "127.0.0.1"


@guarded
def host(
    context: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A rule file, the name of a game, or a schedule: FILE.toml.",
            autocompletion=complete_game,
        ),
    ],
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[ROLE=]PLAYER",
            help="The player of a role: http://HOST:PORT, or a local player as in `ggp play`; human is you. "
            "May be given several times. Default: auto.",
            autocompletion=complete_player,
        ),
    ] = None,
    start_clock: Annotated[float, typer.Option(help="Seconds to get ready.")] = 10.0,
    play_clock: Annotated[float, typer.Option(help="Seconds for each move.")] = 5.0,
    grace: Annotated[
        float, typer.Option(min=0.0, max=60.0, help="Seconds that messages may take beyond the clocks.")
    ] = 0.5,
    turns: Annotated[
        bool,
        typer.Option(
            "--turns",
            help="In games with hidden information, also send players the turn and their own move, as Dresden-style "
            "servers do.",
        ),
    ] = False,
    policy: Annotated[
        Policy,
        typer.Option(help="The penalty for late or illegal moves and lost connections: a random move, or 0 points."),
    ] = Policy.REPLACE,
    wait: Annotated[
        float,
        typer.Option(min=0.0, help="Seconds to wait for players that are not there yet; then no match is played."),
    ] = 60.0,
    matches: Annotated[int, typer.Option(min=1, help="Number of matches.")] = 1,
    at_once: Annotated[int, typer.Option(min=1, help="Number of matches played at the same time.")] = 1,
    seed: Annotated[
        int | None,
        typer.Option(
            callback=seed_of,
            help="Seed of the first match; each later match uses the next one. Default: random.",
        ),
    ] = None,
    max_plies: Annotated[int, typer.Option(min=1, help="Longer matches end as unfinished.")] = 500,
    record: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="Write the match to this JSON file, or several matches to this folder."),
    ] = None,
    fsync: Annotated[
        bool, typer.Option("--fsync", help="Sync the record to the disk after each ply, in case of a power failure.")
    ] = False,
    game_url: Annotated[str, typer.Option(help="URL of a description of the game, for the records.")] = "",
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="Serve a page for spectators on this port; 0 for any free port. Default: no page."
        ),
    ] = None,
    bind: Annotated[
        str,
        typer.Option(callback=interface, help="The address to serve spectators on; 0.0.0.0 admits the whole network."),
    ] = LOOPBACK,
    linger: Annotated[
        float,
        typer.Option(
            min=0.0,
            help="Seconds for which spectators are served after the last match, until all know how it ended; all of "
            "them if a schedule was finished before.",
        ),
    ] = 60.0,
    player_memory: MemoryOption = MEMORY,
    player_logs: LogsOption = None,
    quiet: QuietOption = False,
    json: JsonLinesOption = False,
) -> None:
    """Play matches between players on any machines.

    Players are remote (by HTTP), local, or a person at this terminal. A schedule is a TOML file that describes a
    tournament: its games, players, format and clocks. To continue an interrupted one, run the same command again. With
    --port, everybody can watch in the browser.
    """
    from gdl import Reasoner
    from ggp.cli.hosting import Hosting, MatchNetwork
    from ggp.cli.lineup import lineup_names
    from ggp.cli.playing import settings_of
    from ggp.cli.screen import line, screen
    from ggp.network.host import Bulletin
    from ggp.rules.shipped_games import find_game, game_name

    if file.endswith(SUFFIX):
        from ggp.cli.scheduling import play_schedule, refuse_options_of_matches

        refuse_options_of_matches(context)
        with local_players(player_memory, player_logs) as local:
            play_schedule(Path(file), local, port=port, bind=bind, wait=wait, linger=linger, quiet=quiet, json=json)
        return
    settings = settings_of(seed, max_plies, start_clock, play_clock, policy, fsync=fsync)
    path = find_game(file)
    reasoner = Reasoner.load(path)
    names = lineup_names(reasoner.roles, player or [])
    with (
        local_players(player_memory, player_logs) as local,
        MatchNetwork(
            local.make,
            grace,
            turns=turns,
            prompts=sys.stderr if json else None,
            bulletin=Bulletin(game_name(path), matches),
        ) as network,
    ):
        hosting = Hosting(network, reasoner, names, settings, name=game_name(path), url=game_url)
        if port is not None:
            line(screen(sys.stderr), f"spectators: {network.serve(bind, port)}")
        hosting.introduce(wait)
        with network.lingering(linger):
            _play(hosting, matches, at_once, record, quiet=quiet, json=json)


def _play(hosting: Hosting, matches: int, at_once: int, record: Path | None, *, quiet: bool, json: bool) -> None:
    if matches == 1:
        hosting.play_one(record, quiet=quiet, json=json)
    else:
        hosting.play_many(matches, at_once, record, quiet=quiet, json=json)
