"""The work of `ggp join` until Ctrl-C: prepare the player, listen, and show events."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from gdl import Reasoner
from gdl.errors import GdlError
from ggp.cli.screen import progress_line
from ggp.cli.views.events import EventView
from ggp.match.isolation.isolated_player import IsolatedPlayer
from ggp.match.isolation.reserve import Reserve
from ggp.network.protocol.joined import Event
from ggp.network.protocol.listener import Listener
from ggp.network.protocol.player_server import NetworkPlayer, NetworkPlayerSettings
from ggp.players import Player, make_player
from ggp.players.simple import LegalPlayer, RandomPlayer
from ggp.rules.shipped_games import find_game

#: A game loaded before the first match, to warm up the reader.
_READ_FIRST: Final = "tic_tac_toe"

#: Seconds that a thread may run before it yields to another.
SWITCH: Final = 0.001


class AddressError(GdlError):
    """The server cannot listen on an address."""

    code = "address"

    def __str__(self) -> str:
        """Return the code and the reason."""
        return f"{self.code}: {self.args[0]}"


def offer(name: str, conduct: NetworkPlayerSettings, host: str, port: int) -> None:
    """Serve the player of this name until interrupted. Raises AddressError, UnknownPlayerError, PlayerLoadError."""
    # Threads that read rules yield sooner to the one that answers messages.
    sys.setswitchinterval(SWITCH)
    # Load the code that reads rules before a clock runs.
    Reasoner.load(find_game(_READ_FIRST))
    if isinstance(make_player(name), (RandomPlayer, LegalPlayer)):  # fast enough without a process of its own
        asyncio.run(_offer(lambda: make_player(name), conduct, host, port))
        return
    with Reserve(name) as reserve:
        with progress_line() as progress:
            progress("getting ready")
            reserve.wait_until_ready()
        asyncio.run(_offer(lambda: IsolatedPlayer(name, reserve), conduct, host, port))


async def _offer(make: Callable[[], Player], conduct: NetworkPlayerSettings, host: str, port: int) -> None:
    loop = asyncio.get_running_loop()
    broken: asyncio.Future[None] = loop.create_future()

    def fail(error: OSError) -> None:
        with suppress(RuntimeError):  # the loop is closed already
            loop.call_soon_threadsafe(broken.set_exception, error)

    view = EventView(fail)
    player = NetworkPlayer(make, conduct, view.show)
    listener = Listener(player, view.show)
    try:
        server = await listener.listen(host, port)
    except OSError as error:
        raise AddressError(f"cannot listen on {host}, port {port}: {_reason(error)}") from None
    places = ", ".join("{}:{}".format(*one.getsockname()) for one in server.sockets)
    view.show(Event("", f"{conduct.name} is listening on {places}; press Ctrl-C to stop"))
    try:
        await broken
    finally:
        server.close()
        await listener.close()
        await player.close()
        await asyncio.to_thread(view.close)


def _reason(error: OSError) -> str:
    """Return the system's message, without the text that asyncio wraps around it."""
    return os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
