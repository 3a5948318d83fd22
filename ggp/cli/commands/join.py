"""`ggp join`: a player for game servers."""

from __future__ import annotations

from typing import Annotated

import typer

from ggp.cli.completion import complete_player
from ggp.cli.guard import guarded
from ggp.cli.options import MEMORY, ThreadsOption, interface, memory_limit, seed_of, threads_of


@guarded
def join(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 for any free port.")] = 9147,
    bind: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", callback=interface, help="The address to listen on; 0.0.0.0 admits the whole network."
        ),
    ] = "127.0.0.1",
    player: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The player, named as for `ggp play`.",
            autocompletion=complete_player,
        ),
    ] = "auto",
    name: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The name sent to servers. Default: ggp_ and the player.")
    ] = None,
    matches: Annotated[int, typer.Option(min=1, help="Maximum number of simultaneous matches.")] = 1,
    margin: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Seconds of each clock to reserve for the network. Default: measured.",
        ),
    ] = None,
    patience: Annotated[
        float, typer.Option(min=0.0, help="Drop a match after its clock and this many seconds without a message.")
    ] = 10.0,
    token: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            envvar="GGP_TOKEN",
            help="Only answer requests to http://HOST:PORT/TEXT; letters, digits and . _ ~ - only.",
        ),
    ] = "",
    memory: Annotated[
        float,
        typer.Option(
            metavar="GB",
            min=0.0,
            help="Maximum memory of each of the processes of a match: one follows the rules, another one is the "
            "player; 0 for no limit.",
        ),
    ] = MEMORY,
    ponder: Annotated[
        bool,
        typer.Option(
            "--ponder/--no-ponder",
            help="Let the player think while others do, too. Turn this off if they share its cores.",
        ),
    ] = True,
    threads: ThreadsOption = None,
    seed: Annotated[
        int | None,
        typer.Option(callback=seed_of, help="Seed of the player's random choices. Default: random."),
    ] = None,
) -> None:
    """Offer a player to game servers.

    It plays match after match, until Ctrl-C. It answers messages of the GGP protocol: KIF over HTTP. The server sends
    the rules; no rule file is needed.
    """
    import re

    from gdl.simulator import seeds
    from ggp.cli.joining import offer
    from ggp.network.protocol.player_server import NetworkPlayerSettings
    from ggp.players import is_foreign, make_player

    if re.sub("[A-Za-z0-9._~-]", "", token):
        raise typer.BadParameter("--token may only have letters, digits and . _ ~ -")
    limit = memory_limit(memory, "--memory")
    if not is_foreign(player):
        make_player(player)  # reports unknown players at once
    conduct = NetworkPlayerSettings(
        name=name or "",
        matches=matches,
        margin=margin,
        patience=patience,
        seed=seeds.draw() if seed is None else seed,
    )
    offer(player, limit, conduct, bind, port, token, ponder=ponder, threads=threads_of(threads, matches))
