"""The socket at which a player receives requests and answers them. No behaviour of others can block it.

Requests that a web page can cause are refused, as browsers mark them (`ggp.network.own_requests`). With a token, only
requests to `/TOKEN` are answered.

There is a limited number of connections. When all places are taken, the connection that has been idle for longest gives
way to a new one, unless it is very young or its request is being answered. Connections from the servers of the matches
under way are the last to go.
"""

from __future__ import annotations

import asyncio
import hmac
import socket
import struct
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from ggp.match.channels import one_line
from ggp.network.own_requests import is_foreign_site, is_loopback, is_named
from ggp.network.protocol.errors import ForbiddenError, OversizedError, ProtocolError, TokenError
from ggp.network.protocol.http import LIMIT, Head, Incoming, reply_bytes
from ggp.network.protocol.joined import Event
from ggp.network.protocol.messages import Info, parse_message
from ggp.network.protocol.player_server import NetworkPlayer

#: Seconds that a request may take to arrive, and an answer to be accepted.
READING: Final = 15.0
WRITING: Final = 10.0

#: Seconds to wait for the other side to close the connection after an answer.
LINGERING: Final = 2.0

#: Open connections allowed per match and altogether, and further ones for young connections, which may need a moment to
#: send their request.
CONNECTIONS: Final = 64
MOST_CONNECTIONS: Final = 256
YOUNG_CONNECTIONS: Final = 256

#: The age in seconds up to which a connection is young.
YOUNG: Final = 0.25

#: Connections that wait to be accepted. In a flood, a real one must not be rejected by the system.
_BACKLOG: Final = 1024

_PIECE: Final = 1 << 16


@dataclass(eq=False, slots=True)
class _Connection:
    """A connection: its task, the other side's address, and the times of its start and of the last byte received.

    `answering` is true while the answer to its request is being worked on.
    """

    task: asyncio.Task[None]
    peer: str
    began: float
    active: float
    answering: bool = False


class Listener:
    """Listens at an address and lets a player answer the requests."""

    def __init__(
        self,
        player: NetworkPlayer,
        report: Callable[[Event], None],
        *,
        token: str = "",
        limit: int = LIMIT,
        reading: float = READING,
    ) -> None:
        """Prepare to listen.

        Requests need the `token` as their path, unless it is empty. `limit` is the largest message in bytes, `reading`
        the time for a request in seconds.
        """
        self._player = player
        self._report = report
        self._token = token
        self._limit = limit
        self._reading = reading
        self._most = min(CONNECTIONS * player.matches, MOST_CONNECTIONS)
        self._open: set[_Connection] = set()
        #: The names that requests may use for this host; None for any, as other machines may know it by any name.
        self._names: frozenset[str] | None = None

    async def listen(self, host: str, port: int) -> asyncio.Server:
        """Start listening. Raises OSError if the address is not available."""
        self._names = frozenset((host.lower(), "localhost")) if is_loopback(host) else None
        return await asyncio.start_server(self._accept, host, port, backlog=_BACKLOG)

    async def close(self) -> None:
        """Close all open connections."""
        tasks = [connection.task for connection in self._open]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        peer = writer.get_extra_info("peername") or ("an unknown address",)
        now = time.monotonic()
        connection = _Connection(task, str(peer[0]), now, now)
        if not self._make_room(connection.peer):
            writer.transport.abort()
            return
        self._open.add(connection)
        try:
            await self._serve(connection, reader, writer)
        except (OSError, EOFError, TimeoutError, asyncio.CancelledError):
            pass  # the other side disconnected, the place is needed, or the listener is closing
        except Exception as error:  # one failing request must not affect the next
            self._report(Event("", f"a request failed: {one_line(f'{type(error).__name__}: {error}')}", True))
        finally:
            self._open.discard(connection)
            writer.transport.abort()

    def _make_room(self, peer: str) -> bool:
        """Close the idlest connections if all places are taken. Return False if there is no place for this peer."""
        referees = self._player.referees
        while len(self._open) >= self._most:
            waiting = [connection for connection in self._open if not connection.answering]
            strangers = [connection for connection in waiting if connection.peer not in referees]
            candidates = strangers or (waiting if peer in referees else [])
            full = len(self._open) >= self._most + YOUNG_CONNECTIONS
            if not full:
                grown = time.monotonic() - YOUNG
                candidates = [connection for connection in candidates if connection.began < grown]
            if not candidates:
                return not full
            idlest = min(candidates, key=lambda connection: connection.active)
            self._open.discard(idlest)
            idlest.task.cancel()
        return True

    async def _serve(self, connection: _Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received = connection.began
        incoming = Incoming(request=True, limit=self._limit)
        status, reply = HTTPStatus.OK, ""
        try:
            async with asyncio.timeout(self._reading):
                await _receive(connection, reader, incoming)
            connection.answering = True
            trip, arrived = _measured(writer)
            reply = await self._reply(connection.peer, incoming, min(received, arrived), trip)
        except TimeoutError:
            status, reply = HTTPStatus.REQUEST_TIMEOUT, f"the request was incomplete after {self._reading:g} s"
        except ProtocolError as error:
            status, reply = _STATUS.get(type(error), HTTPStatus.BAD_REQUEST), str(error)
        connection.answering = False
        if status is not HTTPStatus.OK:
            self._report(Event("", f"refused a request from {connection.peer}: {one_line(reply)}", True))
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

    async def _reply(self, peer: str, incoming: Incoming, received: float, trip: float) -> str:
        head = incoming.head
        assert head is not None
        self._check_origin(head.fields)
        rest = self._check_token(head)
        match head.method:
            case "POST" | "PUT":
                return await self._player.answer(incoming.text, received, trip, peer)
            case "GET":
                # Browsers show the reply to INFO. A link must not be able to do more.
                if rest and not isinstance(parse_message(rest), Info):
                    raise ForbiddenError("only INFO may be sent by GET")
                return await self._player.answer(str(Info()), received, trip, peer)
            case "OPTIONS" | "HEAD":
                return ""
        raise ProtocolError(f"unsupported method: {one_line(head.method)}")

    def _check_origin(self, fields: Mapping[str, str]) -> None:
        """Raise ForbiddenError for requests that a web page has caused. The player has no pages of its own."""
        host = fields.get("host")  # programs may omit it, browsers never do
        if self._names is not None and host and not is_named(host, self._names):
            raise ForbiddenError(f"unknown host name: {one_line(host)}")
        if "origin" in fields or is_foreign_site(fields.get("sec-fetch-site")):
            raise ForbiddenError("web pages may not send requests to a player")

    def _check_token(self, head: Head) -> str:
        """Return the target of a request without the token. Raises TokenError if it is missing or wrong."""
        if not self._token:
            return head.target
        token, _, rest = head.target.partition("/")
        if not hmac.compare_digest(token.encode(errors="replace"), self._token.encode(errors="replace")):
            raise TokenError("the address of this player has another path")
        return rest


#: The statuses of refused requests; for all other errors it is 400.
_STATUS: Final[Mapping[type[ProtocolError], HTTPStatus]] = {
    OversizedError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    ForbiddenError: HTTPStatus.FORBIDDEN,
    TokenError: HTTPStatus.NOT_FOUND,
}


async def _receive(connection: _Connection, reader: asyncio.StreamReader, incoming: Incoming) -> None:
    while not incoming.complete:
        data = await reader.read(_PIECE)
        connection.active = time.monotonic()
        if data:
            incoming.feed(data)
        else:
            incoming.end()


def _measured(writer: asyncio.StreamWriter) -> tuple[float, float]:
    """Return the round-trip time to the other side, and when its complete request arrived, as the system measured them.

    The round-trip time is in seconds, and 0 if it is unknown. The arrival is a value of `time.monotonic()`, or now if
    it is unknown. On a busy core, a request arrives some milliseconds before this process reads it.
    """
    now = time.monotonic()
    if sys.platform == "linux":
        # In `struct tcp_info`, after eight bytes, fields of 32 bits. The time since the last bytes is in milliseconds,
        # and the round-trip time in microseconds.
        with suppress(OSError, struct.error):
            connection = writer.get_extra_info("socket")
            info = struct.unpack_from("8B16I", connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256))
            return info[23] / 1e6, now - info[19] / 1e3
    return 0.0, now
