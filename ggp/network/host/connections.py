"""Connections to remote players: one event loop in one thread, for all matches of a process.

Each message has a connection of its own, as the protocol requires, and a time limit. The limit holds and memory stays
bounded whatever the other side does: if it sends nothing, a byte at a time, or far too much.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from gdl.errors import GdlError
from ggp.network.pasted import plain_address, with_scheme
from ggp.network.protocol.errors import ProtocolError
from ggp.network.protocol.http import Incoming, request_bytes
from ggp.network.protocol.messages import DEFAULT_PORT

T = TypeVar("T")

#: The largest answer that is read, in bytes, header included: far more than any move, far too little to do harm.
LIMIT: Final = 64 * 1024

_CHUNK: Final = 16 * 1024

#: Paths that can be sent without quoting.
_PATH: Final = re.compile(r"[A-Za-z0-9._~-]*")

#: Seconds that cancelled tasks have to finish when the network is closed.
_CLOSING: Final = 1.0


class AddressError(GdlError):
    """An address is invalid for a player."""

    code = "address"

    def __init__(self, address: str, reason: str) -> None:
        """Keep the address as it was given, and the reason."""
        self.address = address
        self.reason = reason
        super().__init__(address, reason)

    def __str__(self) -> str:
        """Return the error with a hint on valid addresses."""
        hint = (
            "players are at http://HOST:PORT, as `ggp join` prints it, "
            f"or at http://HOST for port {DEFAULT_PORT}; /TOKEN may follow"
        )
        return f"{self.code}: {self.address}: {self.reason}; {hint}"


class ExchangeError(GdlError):
    """A message got no valid answer."""

    code = "exchange"


class UnreachedError(ExchangeError):
    """Nobody listens at an address, or there is no way to it."""


@dataclass(frozen=True, slots=True)
class Address:
    """The address at which a player listens. `path` is what follows the slash, such as the player's token."""

    host: str
    port: int = DEFAULT_PORT
    secure: bool = False
    path: str = ""

    @classmethod
    def parse(cls, text: str) -> Address:
        """Parse an address: `http://HOST:PORT/TOKEN`, `HOST:PORT`, `remote(HOST:PORT)`. Raises AddressError."""
        try:
            parts = urlsplit(with_scheme(plain_address(text)))
            port = parts.port
        except ValueError as error:
            raise AddressError(text, str(error)) from None
        if parts.scheme not in ("http", "https"):
            raise AddressError(text, "it does not begin with http:// or https://")
        if not parts.hostname:
            raise AddressError(text, "it names no host")
        path = parts.path.removeprefix("/")
        if path == "matches" or path.startswith("matches/"):
            raise AddressError(text, "this is the page of a host, not a player")
        if not _PATH.fullmatch(path) or parts.query or parts.fragment:
            raise AddressError(text, "there is text after the host that is no token")
        return cls(parts.hostname, DEFAULT_PORT if port is None else port, parts.scheme == "https", path)

    def __str__(self) -> str:
        """Return the address as `HOST:PORT`, with brackets around an IPv6 host, and without the path."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


class Network:
    """An event loop in a daemon thread of its own. Use it as a context manager, or call `close`."""

    def __init__(self, name: str = "network") -> None:
        """Start the thread, which is called `name`."""
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def __enter__(self) -> Network:
        """Return the running network."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the network."""
        self.close()

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine in the event loop. Cancelling the returned future cancels the coroutine."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def close(self) -> None:
        """Cancel all running tasks and stop the thread. Further calls do nothing."""
        if self._thread.is_alive():
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._thread.join(timeout=10)

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            self.loop.run_forever()
            left = asyncio.all_tasks(self.loop)
            for task in left:
                task.cancel()
            if left:
                self.loop.run_until_complete(asyncio.wait(left, timeout=_CLOSING))
            self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        finally:
            self.loop.close()


async def exchange(address: Address, message: str, *, receiver: str, until: float | None, limit: int = LIMIT) -> str:
    """Send a message to a player and return the body of its reply.

    `until` is a `time.monotonic()` value, as in event loops; None waits without limit. Raises TimeoutError
    when that time has passed, and ExchangeError if there is no reply, or if it is not HTTP, too large, or an error.
    """
    try:
        async with asyncio.timeout_at(until):
            return await _exchange(address, message, receiver, limit)
    except TimeoutError:
        raise  # it is an OSError too, but comes from the clock
    except ConnectionRefusedError:
        raise UnreachedError("connection refused") from None
    except (ConnectionError, asyncio.IncompleteReadError):
        raise ExchangeError("connection lost") from None
    except OSError as error:
        raise UnreachedError(f"no connection: {error.strerror or error}") from None
    except UnicodeError as error:  # an invalid host name
        raise ExchangeError(f"no connection: {error}") from None
    except ProtocolError as error:
        raise ExchangeError(f"{error.code}: {error.reason}") from None


async def _exchange(address: Address, message: str, receiver: str, limit: int) -> str:
    reader, writer = await asyncio.open_connection(
        address.host, address.port, ssl=True if address.secure else None, limit=_CHUNK
    )
    incoming = Incoming(request=False, limit=limit)
    try:
        # Not awaited: an answer counts even if the player did not read the whole request.
        writer.write(request_bytes(message, str(address), address.path, receiver=receiver))
        while not incoming.complete:
            data = await reader.read(_CHUNK)
            if data:
                incoming.feed(data)
            else:
                incoming.end()
    finally:
        if incoming.complete:
            writer.close()
        else:
            writer.transport.abort()
    assert incoming.head is not None
    if incoming.head.status != 200:
        said = incoming.text.strip().splitlines() or [" ".join(incoming.head.first[2:])]
        raise ExchangeError(f"HTTP status {incoming.head.status}: {said[0][:200]}")
    return incoming.text
