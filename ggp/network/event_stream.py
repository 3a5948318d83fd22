"""Server-sent events: HTTP responses that stay open and carry messages as they happen. Loads aiohttp.

The format is that of the HTML Standard, section "Server-sent events".
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any, Final

from aiohttp import web

_HEADERS: Final = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}

#: Seconds after which a quiet stream sends a comment, so that proxies and browsers keep the connection.
HEARTBEAT: Final = 15.0

#: Seconds that a reader may take to accept a message before it is disconnected.
PATIENCE: Final = 30.0

#: The default limit on open streams; fewer than the connections of a server, so that other requests find room.
MOST: Final = 500


def event(data: Mapping[str, Any], name: str = "", number: int | None = None) -> bytes:
    """Encode one message: its data as JSON, the name of the event, and the identifier for reconnecting readers."""
    head = f"event: {name}\n" if name else ""
    identifier = "" if number is None else f"id: {number}\n"
    return f"{head}{identifier}data: {json.dumps(data)}\n\n".encode()


def last_number(request: web.Request) -> int:
    """Return the identifier of the last message that a reconnecting reader received, or -1."""
    text = request.headers.get("Last-Event-ID", "")
    return int(text) if text.isdecimal() and len(text) < 10 else -1


class EventStreams:
    """The event streams of a server: `open` counts them."""

    def __init__(self, most: int = MOST) -> None:
        """Allow up to `most` streams at a time."""
        self._most = most
        self.open = 0

    @property
    def full(self) -> bool:
        """True while no further stream may be opened."""
        return self.open >= self._most

    async def answer(
        self, request: web.Request, messages: AsyncGenerator[bytes], headers: Mapping[str, str]
    ) -> web.StreamResponse:
        """Send messages until there are no more, or until the reader disconnects or stops reading."""
        self.open += 1
        try:
            response = web.StreamResponse(headers={**headers, **_HEADERS})
            await response.prepare(request)
            try:
                async with aclosing(messages):
                    await _send(response, messages)
            except ConnectionError:
                pass  # the reader disconnected
            except TimeoutError:
                if request.transport is not None:
                    request.transport.abort()  # closing would wait until the reader accepts the rest
            return response
        finally:
            self.open -= 1


async def _send(response: web.StreamResponse, messages: AsyncGenerator[bytes]) -> None:
    while True:
        # A task, because a timeout around the generator itself would end the generator.
        following = asyncio.ensure_future(anext(messages, None))
        try:
            while not (await asyncio.wait([following], timeout=HEARTBEAT))[0]:
                await _write(response, b":\n\n")
        finally:
            if not following.done():
                following.cancel()
                await asyncio.wait([following])
        message = following.result()
        if message is None:
            return
        await _write(response, message)


async def _write(response: web.StreamResponse, data: bytes) -> None:
    async with asyncio.timeout(PATIENCE):
        await response.write(data)
