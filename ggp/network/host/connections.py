"""How messages travel to players elsewhere: one event loop in one thread, for all matches of a process.

Each message has a connection of its own, as in the protocol, and a moment by which all is over. Whatever the other side
does (nothing, a byte at a time, more than anybody wants to read), that moment holds, and what is kept of it is bounded.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from gdl.errors import GdlError
from ggp.network.protocol.errors import ProtocolError
from ggp.network.protocol.http import Incoming, request_bytes
from ggp.network.protocol.messages import DEFAULT_PORT

T = TypeVar("T")

#: Bytes of an answer, header included, that are read: far more than any move, far less than would hurt.
LIMIT: Final = 64 * 1024

_CHUNK: Final = 16 * 1024

#: Seconds that a connection may take to be closed in good order.
_CLOSING: Final = 1.0


class AddressError(GdlError):
    """An address that no player can have."""

    code = "address"

    def __init__(self, address: str, reason: str) -> None:
        self.address = address
        self.reason = reason
        super().__init__(address, reason)

    def __str__(self) -> str:
        hint = f"players are at http://HOST:PORT, or at http://HOST for port {DEFAULT_PORT}"
        return f"{self.code}: {self.address}: {self.reason}; {hint}"


class ExchangeError(GdlError):
    """A message did not get an answer."""

    code = "exchange"

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class Address:
    """Where a player listens."""

    host: str
    port: int = DEFAULT_PORT
    secure: bool = False

    @classmethod
    def parse(cls, text: str) -> Address:
        """The address that `http://HOST:PORT` means. Raises AddressError."""
        try:
            parts = urlsplit(text)
            port = parts.port
        except ValueError as error:
            raise AddressError(text, str(error)) from None
        if parts.scheme not in ("http", "https"):
            raise AddressError(text, "it does not begin with http://")
        if not parts.hostname:
            raise AddressError(text, "it names no host")
        if parts.path not in ("", "/") or parts.query or parts.fragment:
            raise AddressError(text, "there is more behind the host")
        return cls(parts.hostname, DEFAULT_PORT if port is None else port, parts.scheme == "https")

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


class Network:
    """The event loop, in a daemon thread of its own. A context manager, or ended by `close`."""

    def __init__(self, name: str = "network") -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def __enter__(self) -> Network:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Do something in the event loop; to cancel the future breaks it off."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def close(self) -> None:
        """Break off whatever is under way. The second time it does nothing."""
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
    """What a player answers to a message: the body of its reply.

    `until` is a moment of `time.monotonic()`, which is the time of event loops, too. Raises TimeoutError then, and
    ExchangeError where there is no answer, or one that is no HTTP, is too large, or says that something is wrong.
    """
    try:
        async with asyncio.timeout_at(until):
            return await _exchange(address, message, receiver, limit)
    except TimeoutError:
        raise  # also an OSError, but the clock's
    except ConnectionRefusedError:
        raise ExchangeError("connection refused") from None
    except (ConnectionError, asyncio.IncompleteReadError):
        raise ExchangeError("connection lost") from None
    except OSError as error:
        raise ExchangeError(f"no connection: {error.strerror or error}") from None
    except UnicodeError as error:  # a host name that cannot be one
        raise ExchangeError(f"no connection: {error}") from None
    except ProtocolError as error:
        raise ExchangeError(f"{error.code}: {error.reason}") from None


async def _exchange(address: Address, message: str, receiver: str, limit: int) -> str:
    reader, writer = await asyncio.open_connection(
        address.host, address.port, ssl=True if address.secure else None, limit=_CHUNK
    )
    incoming = Incoming(request=False, limit=limit)
    try:
        # Not waited for: whoever answers without reading on has answered all the same.
        writer.write(request_bytes(message, str(address), receiver=receiver))
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
