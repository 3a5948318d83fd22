"""`ggp join`: a player for matches on game servers."""

from __future__ import annotations

from typing import Annotated

import typer

from ggp.cli.guard import guarded


@guarded
def join(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to listen; 0 for any free port.")] = 9147,
    bind: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address to listen at; 0.0.0.0 lets in the whole network.")
    ] = "127.0.0.1",
    player: Annotated[str, typer.Option(metavar="NAME", help="Who plays, named as for `ggp play`.")] = "auto",
    name: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What servers are told. Default: ggp_ and the player.")
    ] = None,
    matches: Annotated[int, typer.Option(min=1, help="How many matches it plays at a time; else it is busy.")] = 1,
    margin: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Seconds of each clock that are kept back. Default: what the network was measured to need.",
        ),
    ] = None,
    patience: Annotated[
        float, typer.Option(min=0.0, help="A match is dropped without news for its clock and so many seconds.")
    ] = 10.0,
    seed: Annotated[int | None, typer.Option(help="Repeats what the player does at random. Default: drawn.")] = None,
) -> None:
    """Offer a player to game servers, match after match, until Ctrl-C.

    It answers messages of the GGP protocol: KIF over HTTP. The rules come from the server; they need not be here.
    """
    from gdl.simulator import seeds
    from ggp.cli.joining import offer
    from ggp.network.protocol.player_server import NetworkPlayerSettings
    from ggp.players import make_player

    first = make_player(player)  # that there is no such player is said at once
    conduct = NetworkPlayerSettings(
        name=f"ggp_{first.name}" if name is None else name,
        matches=matches,
        margin=margin,
        patience=patience,
        seed=seeds.draw() if seed is None else seed,
    )
    offer(player, conduct, bind, port)
