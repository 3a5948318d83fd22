"""Start web applications, with deadlines for clients that are slow or silent. Loads aiohttp."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.typedefs import Handler, Middleware

from ggp.network.host.connections import Address

#: Seconds that open responses have to finish when a server is closed.
_CLOSING: Final = 1.0


@final
@dataclass(frozen=True, slots=True)
class Patience:
    """The limits for clients of a server.

    `reading` is the time in seconds for the body of a request. `idle` is that for the head of the next request, and for
    accepting any part of an answer. If there are more `connections`, the idlest are closed.
    """

    reading: float = 15.0
    idle: float = 30.0
    connections: int = 600


PATIENCE: Final = Patience()


async def start(application: web.Application, host: str, port: int, patience: Patience = PATIENCE) -> web.AppRunner:
    """Serve an application at an address until `cleanup()` of the returned runner. Port 0 picks any free port.

    Bodies of requests are read before the handlers run. Raises OSError.
    """
    connections = _Connections(patience)
    application.middlewares.append(connections.middleware())
    application.cleanup_ctx.append(connections.watching)
    log = logging.getLogger(__name__)
    log.addFilter(_is_our_fault)
    runner = web.AppRunner(
        application,
        access_log=None,
        logger=log,
        handle_signals=False,
        shutdown_timeout=_CLOSING,
        # Bodies are small, and a few compressed bytes may hold gigabytes.
        auto_decompress=False,
        keepalive_timeout=patience.idle,
        lingering_time=patience.reading,
    )
    await runner.setup()
    connections.server = runner.server
    try:
        await web.TCPSite(runner, host, port).start()
    except BaseException:
        await runner.cleanup()
        raise
    return runner


def url_of(runner: web.AppRunner) -> str:
    """Return the address at which an application is served, as `http://HOST:PORT`."""
    host, port = runner.addresses[0][:2]
    return f"http://{Address(host, port)}"


def _is_our_fault(record: logging.LogRecord) -> bool:
    """Return False for errors of clients: requests that are not HTTP, and connections that were closed."""
    error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
    return not isinstance(error, HttpProcessingError | web.RequestPayloadError | ConnectionError)


@dataclass(slots=True)
class _Rest:
    """The time since which nothing has happened on a connection, and the number of bytes it has yet to accept."""

    since: float
    unsent: int = 0


class _Connections:
    """The connections of a server: reads bodies of requests, and closes connections on which nothing happens.

    aiohttp has no deadlines for bodies and for answers.
    """

    def __init__(self, patience: Patience) -> None:
        self.server: web.Server | None = None
        self._patience = patience
        self._resting: dict[object, _Rest] = {}
        #: The connections with a request that is being answered; handlers have their own deadlines.
        self._busy: set[object] = set()

    async def watching(self, application: web.Application) -> AsyncIterator[None]:  # noqa: ARG002
        """Watch the connections for as long as the application runs."""
        task = asyncio.create_task(self._watch())
        yield
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    def middleware(self) -> Middleware:
        """Return the middleware that reads bodies, and knows which connections are being answered."""

        @web.middleware
        async def read(request: web.Request, handler: Handler) -> web.StreamResponse:
            connection = request.protocol
            self._busy.add(connection)
            try:
                return await self._refusal(request) or await handler(request)
            finally:
                self._busy.discard(connection)
                self._resting.pop(connection, None)  # counted from the next look on

        return read

    async def _refusal(self, request: web.Request) -> web.Response | None:
        """Read the body of a request. Return the answer if that fails."""
        if request.headers.get("Content-Encoding", "identity").lower() != "identity":
            return _refused(415, "compressed requests are not supported")
        try:
            async with asyncio.timeout(self._patience.reading):
                await request.read()
        except TimeoutError:
            return _refused(408, f"the request was incomplete after {self._patience.reading:g} s")
        except web.HTTPRequestEntityTooLarge:
            return _refused(413, f"more than {request.client_max_size >> 20} MiB")
        except (web.RequestPayloadError, HttpProcessingError, ConnectionError):
            return _refused(400, "the body of the request is incomplete or not HTTP")
        return None

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(min(1.0, self._patience.idle / 4))
            if self.server is not None:
                self._look(self.server.connections)

    def _look(self, connections: list[web.RequestHandler]) -> None:
        """Close the connections that have rested for too long, and the idlest if there are too many."""
        now = time.monotonic()
        resting: dict[object, _Rest] = {}
        for connection in connections:
            if connection in self._busy or connection.transport is None:
                continue
            unsent = connection.transport.get_write_buffer_size()
            rest = self._resting.get(connection)
            if rest is None or unsent != rest.unsent:
                rest = _Rest(now, unsent)
            resting[connection] = rest
        self._resting = resting
        idlest = sorted((one for one in connections if one in resting), key=lambda one: resting[one].since)
        excess = len(connections) - self._patience.connections
        for place, connection in enumerate(idlest):
            overdue = now - resting[connection].since > self._patience.idle
            if (overdue or place < excess) and connection.transport is not None:
                connection.transport.abort()  # without waiting until the rest is sent


def _refused(status: int, reason: str) -> web.Response:
    response = web.json_response({"error": reason}, status=status)
    response.force_close()
    return response
