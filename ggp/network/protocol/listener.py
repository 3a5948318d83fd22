"""The socket at which a player receives requests and answers them. No behaviour of a server can block it."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Final

from ggp.match.channels import one_line
from ggp.network.protocol.errors import OversizedError, ProtocolError
from ggp.network.protocol.http import LIMIT, Incoming, reply_bytes
from ggp.network.protocol.joined import Event
from ggp.network.protocol.messages import Info
from ggp.network.protocol.player_server import NetworkPlayer

#: Seconds that a request may take to arrive, and an answer to be accepted.
READING: Final = 15.0
WRITING: Final = 10.0

#: Seconds to wait for the other side to close the connection after an answer.
LINGERING: Final = 2.0

#: Open connections allowed per match; further ones are closed at once.
CONNECTIONS: Final = 64

_PIECE: Final = 1 << 16


class Listener:
    """Listens at an address and lets a player answer the requests."""

    def __init__(
        self, player: NetworkPlayer, report: Callable[[Event], None], *, limit: int = LIMIT, reading: float = READING
    ) -> None:
        """Prepare to listen. `limit` is the largest message in bytes, `reading` the time for a request in seconds."""
        self._player = player
        self._report = report
        self._limit = limit
        self._reading = reading
        self._most = CONNECTIONS * player.matches
        self._open: set[asyncio.Task[None]] = set()

    async def listen(self, host: str, port: int) -> asyncio.Server:
        """Start listening. Raises OSError if the address is not available."""
        return await asyncio.start_server(self._accept, host, port, backlog=self._most)

    async def close(self) -> None:
        """Close all open connections."""
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received = time.monotonic()
        task = asyncio.current_task()
        assert task is not None
        if len(self._open) >= self._most:
            writer.transport.abort()
            return
        self._open.add(task)
        try:
            await self._serve(reader, writer, received)
        except (OSError, EOFError, TimeoutError, asyncio.CancelledError):
            pass  # the other side disconnected, or the listener is closing
        except Exception as error:  # one failing request must not affect the next
            self._report(Event("", f"a request failed: {one_line(f'{type(error).__name__}: {error}')}", True))
        finally:
            self._open.discard(task)
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, received: float) -> None:
        incoming = Incoming(request=True, limit=self._limit)
        status, reply = HTTPStatus.OK, ""
        try:
            async with asyncio.timeout(self._reading):
                await _receive(reader, incoming)
            reply = await self._reply(incoming, received, _trip(writer))
        except TimeoutError:
            status, reply = HTTPStatus.REQUEST_TIMEOUT, f"the request was incomplete after {self._reading:g} s"
        except OversizedError as error:
            status, reply = HTTPStatus.REQUEST_ENTITY_TOO_LARGE, str(error)
        except ProtocolError as error:
            status, reply = HTTPStatus.BAD_REQUEST, str(error)
        if status is not HTTPStatus.OK:
            peer = writer.get_extra_info("peername") or ("an unknown address",)
            self._report(Event("", f"refused a request from {peer[0]}: {one_line(reply)}", True))
        writer.write(reply_bytes(reply, status))
        async with asyncio.timeout(WRITING):
            await writer.drain()
            if writer.can_write_eof():
                writer.write_eof()
        # Closing a connection with unread bytes may discard the answer in transit.
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGERING):
                left = self._limit
                while left > 0 and (data := await reader.read(_PIECE)):
                    left -= len(data)

    async def _reply(self, incoming: Incoming, received: float, trip: float) -> str:
        head = incoming.head
        assert head is not None
        match head.method:
            case "POST" | "PUT":
                return await self._player.answer(incoming.text, received, trip)
            case "GET":
                # Browsers show the reply to INFO.
                return await self._player.answer(head.target or str(Info()), received, trip)
            case "OPTIONS" | "HEAD":
                return ""
        raise ProtocolError(f"unsupported method: {one_line(head.method)}")


async def _receive(reader: asyncio.StreamReader, incoming: Incoming) -> None:
    while not incoming.complete:
        data = await reader.read(_PIECE)
        if data:
            incoming.feed(data)
        else:
            incoming.end()


def _trip(writer: asyncio.StreamWriter) -> float:
    """Return the round-trip time to the other side in seconds, as measured by the system; 0 if it is unknown."""
    connection = writer.get_extra_info("socket")
    # Linux: in `struct tcp_info`, after eight bytes and fifteen fields of 32 bits, in microseconds.
    with suppress(AttributeError, OSError, struct.error):
        info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
        return float(struct.unpack_from("8B16I", info)[23]) / 1e6
    return 0.0
