"""`ggp serve`: the games in the browser."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from ggp.cli.completion import complete_player
from ggp.cli.guard import guarded, say
from ggp.cli.options import ThreadsOption, interface, threads_of


@guarded
def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 for any free port.")] = 8000,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    rules: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Also offer the rule files in this folder.")
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Also offer this player, such as FILE.onnx or mcts(simulations=1000). May be given several times.",
            autocompletion=complete_player,
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--matches", metavar="FOLDER", help="The folder for matches. Default: ggp in the user's data folder."
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            callback=interface, help="The address to listen on. Anyone who can reach it can play, and start processes."
        ),
    ] = "127.0.0.1",
    threads: ThreadsOption = None,
    allow: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="An additional host name that browsers may use.")
    ] = None,
) -> None:
    """Play, watch and replay games in the browser.

    Matches are saved in files as they are played. A restarted server has all of them, and resumes those that were not
    over. Without --host, the server is reachable only from this machine.
    """
    from contextlib import suppress

    from ggp.cli.interrupts import run_async
    from ggp.players import is_foreign, make_player

    if rules is not None and not rules.is_dir():
        raise typer.BadParameter(f"{rules} is not a folder")
    for name in player or ():
        if is_foreign(name):
            raise typer.BadParameter(f"a class of your own, {name}, is offered by ggp join; name its address")
        make_player(name)  # reports unknown players, and files that cannot be used, at once
    kept = folder or _data_folder()
    with suppress(KeyboardInterrupt):  # by which a server ends
        run_async(
            _serve(kept, rules, player or [], threads_of(threads), host, port, tuple(allow or ()), open_browser=open_)
        )


async def _serve(
    folder: Path,
    rules: Path | None,
    players: list[str],
    threads: int,
    host: str,
    port: int,
    allow: tuple[str, ...],
    *,
    open_browser: bool,
) -> None:
    import asyncio
    import webbrowser

    from ggp.cli.screen import line, screen
    from ggp.network.own_requests import exposure
    from ggp.network.web_server import start, url_of
    from ggp.server.web.app import Site, application

    site = Site(folder, rules, players, threads)
    runner = await start(application(site, ("localhost", host, *allow)), host, port)
    try:
        line(screen(), f"{url_of(runner)}/", f"   matches in {folder}   press Ctrl-C to stop")
        if warning := exposure(address[0] for address in runner.addresses):
            say(warning)
        if open_browser:
            webbrowser.open(f"{url_of(runner)}/")
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


def _data_folder() -> Path:
    """Return the folder for the user's data (XDG Base Directory Specification)."""
    base = os.environ.get("XDG_DATA_HOME", "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".local" / "share") / "ggp"
