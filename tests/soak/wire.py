"""Requests as bytes, well formed or not, and short descriptions of the answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

#: Hostile connections come from another address of the loopback interface than honest ones.
STRANGER = ("127.0.0.66", 0)
FRIEND = ("127.0.0.1", 0)

#: Seconds to wait for an answer.
PATIENCE = 45.0

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def request(
    method: str, path: str, body: bytes = b"", port: int = 80, headers: Mapping[str, str | None] | None = None
) -> bytes:
    """Return an HTTP request. A header that is None is left out."""
    fields: dict[str, str | None] = {"Host": f"127.0.0.1:{port}", "Connection": "close"}
    if body or method == "POST":
        fields |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    fields |= dict(headers or {})
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items() if value is not None)]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def post_json(path: str, body: object, port: int, headers: Mapping[str, str | None] | None = None) -> bytes:
    return request("POST", path, json.dumps(body).encode(), port, headers)


def post_message(
    text: str | bytes, port: int, headers: Mapping[str, str | None] | None = None, *, path: str = "/"
) -> bytes:
    """Return a message of the GGP protocol."""
    data = text.encode() if isinstance(text, str) else text
    return request("POST", path, data, port, {"Content-Type": "text/acl", **(headers or {})})


@asynccontextmanager
async def connected(port: int, source: tuple[str, int] = STRANGER) -> AsyncIterator[Streams]:
    """A connection, which is aborted at the end. Raises OSError, TimeoutError."""
    async with asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=source)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def exchange(
    port: int, data: bytes, *, source: tuple[str, int] = STRANGER, patience: float = PATIENCE
) -> tuple[str, str]:
    """Send bytes. Return the status of the answer, or `closed` or `silent`, and the beginning of its text."""
    try:
        async with connected(port, source) as (reader, writer):
            writer.write(data)
            return await answer(reader, patience)
    except TimeoutError:
        return "silent", ""
    except OSError:
        return "closed", ""


async def answer(reader: asyncio.StreamReader, patience: float = PATIENCE) -> tuple[str, str]:
    """Read an answer until the other side closes the connection."""
    received = b""
    try:
        async with asyncio.timeout(patience):
            while len(received) < 1 << 20 and (data := await reader.read(1 << 16)):
                received += data
    except TimeoutError:
        if not received:
            return "silent", ""
    except OSError:
        pass
    return described(received)


def described(received: bytes) -> tuple[str, str]:
    """Return the status and the text of an answer."""
    words = received[:40].split()
    if len(words) < 2 or not words[0].startswith(b"HTTP/"):
        return ("closed" if not received else "no HTTP"), received[:200].decode(errors="replace")
    return words[1].decode(errors="replace"), received.partition(b"\r\n\r\n")[2][:2000].decode(errors="replace")
