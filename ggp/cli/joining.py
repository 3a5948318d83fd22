"""The work of `ggp join` until Ctrl-C: prepare the player, listen, and show events."""

from __future__ import annotations

import asyncio
import os
import queue
import sys
import threading
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from datetime import datetime
from typing import Final

from gdl.codegen.ahead import compiled_ahead
from gdl.errors import GdlError
from ggp.cli.interrupts import run_async
from ggp.cli.screen import line, progress_line, screen
from ggp.cli.views.match import WARNING
from ggp.match.isolation.log import temporary_logs
from ggp.network.host.connections import Address
from ggp.network.own_requests import exposure
from ggp.network.protocol.joined import Event
from ggp.network.protocol.listener import Listener
from ggp.network.protocol.match_process import MatchLostError, MatchProcesses, ProcessSettings
from ggp.network.protocol.player_server import NetworkPlayer, NetworkPlayerSettings
from ggp.players import PlayerLoadError, functions_of

#: Maximum number of lines waiting to be shown; further events are dropped.
MOST: Final = 10_000

#: Seconds to wait at the end for the remaining lines to be shown.
CLOSING: Final = 1.0


class EventView:
    """A view that prints events in a separate thread, so that a halted terminal or an unread pipe delays no match."""

    def __init__(self, failed: Callable[[OSError], None]) -> None:
        """Start the thread; it calls `failed` when the output can no longer be written."""
        self._failed = failed
        self._events: queue.Queue[tuple[datetime, Event] | None] = queue.Queue(MOST)
        self._thread = threading.Thread(target=self._run, name="screen", daemon=True)
        self._thread.start()

    def show(self, event: Event) -> None:
        """Queue an event to be shown. Never blocks; may be called from any thread."""
        self._put((datetime.now(), event))

    def close(self) -> None:
        """Wait briefly for the remaining events to be shown."""
        self._put(None)
        self._thread.join(CLOSING)

    def _put(self, entry: tuple[datetime, Event] | None) -> None:
        with suppress(queue.Full):
            self._events.put_nowait(entry)

    def _run(self) -> None:
        try:
            while (entry := self._events.get()) is not None:
                when, event = entry
                match = f"{event.match_id}  " if event.match_id else ""
                line(screen(), (f"{when:%H:%M:%S}  {match}", "dim"), (event.text, WARNING if event.warning else ""))
                sys.stdout.flush()
        except OSError as error:
            self._failed(error)


class AddressError(GdlError):
    """The server cannot listen on an address."""

    code = "address"
    template = "{code}: {0}"


def offer(
    player: str,
    memory: int | None,
    conduct: NetworkPlayerSettings,
    host: str,
    port: int,
    token: str = "",
    *,
    ponder: bool = True,
    threads: int = 1,
) -> None:
    """Serve the player of this name until interrupted. Raises AddressError, PlayerLoadError.

    `memory` is the limit of each process of a match in bytes. An empty name in `conduct` stands for the player's own.
    Requests need the `token`, if there is one. With `ponder`, the player thinks while others do, too. Its
    search uses `threads` threads.
    """
    with temporary_logs(lambda note: line(screen(sys.stderr), note)) as logs:
        run_async(_offer(ProcessSettings(player, logs, memory, ponder, threads), conduct, host, port, token))


async def _offer(settings: ProcessSettings, conduct: NetworkPlayerSettings, host: str, port: int, token: str) -> None:
    loop = asyncio.get_running_loop()
    broken: asyncio.Future[None] = loop.create_future()

    def fail(error: OSError) -> None:
        with suppress(RuntimeError):  # the loop is closed already
            loop.call_soon_threadsafe(broken.set_exception, error)

    view = EventView(fail)
    async with AsyncExitStack() as closing:
        # The process of a match may end before it has compiled a function.
        closing.enter_context(compiled_ahead(functions_of(settings.player)))
        closing.push_async_callback(asyncio.to_thread, view.close)
        processes = MatchProcesses(settings)
        closing.push_async_callback(processes.close)
        try:
            with progress_line() as progress:
                progress("getting ready")
                name = await processes.prepare()
        except MatchLostError as error:
            raise PlayerLoadError(settings.player, str(error)) from None
        conduct = replace(conduct, name=conduct.name or f"ggp_{name}")
        player = NetworkPlayer(processes.take, conduct, view.show)
        closing.push_async_callback(player.close)
        listener = Listener(player, view.show, token=token)
        closing.push_async_callback(listener.close)
        try:
            server = await listener.listen(host, port)
        except OSError as error:
            raise AddressError(f"cannot listen on {host}, port {port}: {_reason(error)}") from None
        closing.callback(server.close)
        # As others may paste it: with the token, without which requests are refused.
        suffix = f"/{token}" if token else ""
        addresses = [Address(*one.getsockname()[:2]) for one in server.sockets]
        places = ", ".join(f"http://{address}{suffix}" for address in addresses)
        threads = "searches have one thread" if settings.threads == 1 else f"searches have {settings.threads} threads"
        view.show(Event("", f"{conduct.name} is listening on {places}; {threads}; press Ctrl-C to stop"))
        if not token and (warning := exposure(one.getsockname()[0] for one in server.sockets)):
            view.show(Event("", f"{warning}; see --token", True))
        await broken


def _reason(error: OSError) -> str:
    """Return the system's message, without the text that asyncio wraps around it."""
    return os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
