"""The socket at which a player is asked: requests in, answers out, and nothing that a server does holds it up."""

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

#: Seconds that a request may take to come in, and an answer to be taken.
READING: Final = 15.0
WRITING: Final = 10.0

#: Seconds that are waited for the other side to close after an answer.
LINGERING: Final = 2.0

#: Connections at a time, for each match; further ones are closed at once.
CONNECTIONS: Final = 64

_PIECE: Final = 1 << 16


class Listener:
    """Listens at an address and lets a player answer; as a context, from its start to the end of all matches."""

    def __init__(
        self, player: NetworkPlayer, report: Callable[[Event], None], *, limit: int = LIMIT, reading: float = READING
    ) -> None:
        """`limit` is in bytes a message, `reading` in seconds."""
        self._player = player
        self._report = report
        self._limit = limit
        self._reading = reading
        self._most = CONNECTIONS * player.matches
        self._open: set[asyncio.Task[None]] = set()

    async def listen(self, host: str, port: int) -> asyncio.Server:
        """Listen from now on. Raises OSError where the address is not to be had."""
        return await asyncio.start_server(self._accept, host, port, backlog=self._most)

    async def close(self) -> None:
        """Break off what is open."""
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
            pass  # who asked has gone, or the listener closes
        except Exception as error:  # whatever one request does, the next is answered
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
            status, reply = HTTPStatus.REQUEST_TIMEOUT, f"not there within {self._reading:g} s"
        except OversizedError as error:
            status, reply = HTTPStatus.REQUEST_ENTITY_TOO_LARGE, str(error)
        except ProtocolError as error:
            status, reply = HTTPStatus.BAD_REQUEST, str(error)
        if status is not HTTPStatus.OK:
            peer = writer.get_extra_info("peername") or ("somebody",)
            self._report(Event("", f"refused from {peer[0]}: {one_line(reply)}", True))
        writer.write(reply_bytes(reply, status))
        async with asyncio.timeout(WRITING):
            await writer.drain()
            if writer.can_write_eof():
                writer.write_eof()
        # Closed with bytes unread, a connection may lose the answer that is on its way.
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
                # Who looks with a browser sees what INFO says.
                return await self._player.answer(head.target or str(Info()), received, trip)
            case "OPTIONS" | "HEAD":
                return ""
        raise ProtocolError(f"no such request: {one_line(head.method)}")


async def _receive(reader: asyncio.StreamReader, incoming: Incoming) -> None:
    while not incoming.complete:
        data = await reader.read(_PIECE)
        if data:
            incoming.feed(data)
        else:
            incoming.end()


def _trip(writer: asyncio.StreamWriter) -> float:
    """Seconds of a round trip to the other side, as the system has measured it; 0 where it does not tell."""
    connection = writer.get_extra_info("socket")
    # Linux: of `struct tcp_info`, after eight small fields and fifteen of 32 bits, microseconds.
    with suppress(AttributeError, OSError, struct.error):
        info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
        return float(struct.unpack_from("8B16I", info)[23]) / 1e6
    return 0.0
