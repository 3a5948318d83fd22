"""Servers and clients that are slow, silent, or do not speak HTTP."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

import pytest
from aiohttp import web

from ggp.network.web_server import Patience, start

#: Short limits, as the tests wait for them.
SHORT = Patience(reading=0.2, idle=0.4, connections=5)

#: Bytes that no system accepts for a connection whose other side does not read.
LARGE = 32 << 20


async def _echo(request: web.Request) -> web.Response:
    return web.Response(text=f"{len(await request.read())}")


async def _large(request: web.Request) -> web.Response:  # noqa: ARG001
    return web.Response(body=bytes(LARGE))


async def _slow(request: web.Request) -> web.Response:  # noqa: ARG001
    await asyncio.sleep(3 * SHORT.idle)
    return web.Response(text="done")


Open = Callable[[bytes], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]


def visited(visit: Callable[[Open], Awaitable[None]]) -> None:
    """Run a server, and visit it with a function that opens a connection and sends bytes."""

    async def run() -> None:
        application = web.Application(client_max_size=1 << 20)
        application.add_routes([web.route("*", "/echo", _echo), web.get("/large", _large), web.get("/slow", _slow)])
        runner = await start(application, "127.0.0.1", 0, SHORT)
        writers = []

        async def connect(data: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
            reader, writer = await asyncio.open_connection(*runner.addresses[0][:2], limit=1 << 20)
            writers.append(writer)
            writer.write(data)
            return reader, writer

        try:
            async with asyncio.timeout(30):
                await visit(connect)
        finally:
            for writer in writers:
                writer.transport.abort()
            await runner.cleanup()

    asyncio.run(run())


def request(body: bytes = b"", *headers: str, method: str = "POST", length: int | None = None) -> bytes:
    count = len(body) if length is None else length
    head = [f"{method} /echo HTTP/1.1", "Host: localhost", f"Content-Length: {count}", *headers]
    return "".join(f"{one}\r\n" for one in head).encode() + b"\r\n" + body


async def _closed(reader: asyncio.StreamReader) -> bytes:
    """Everything until the server closes the connection."""
    data = b""
    try:
        while more := await reader.read(1 << 16):
            data += more
    except ConnectionError:
        pass
    return data


@pytest.mark.parametrize(
    "data", [b"", b"GET / HT", b"GET /echo HTTP/1.1\r\nHost: x\r\n", b"GET /echo HTTP/1.1\r\nA: b"]
)
def test_connections_without_a_request_are_closed(data: bytes) -> None:
    async def visit(connect: Open) -> None:
        reader, _ = await connect(data)
        assert await _closed(reader) == b""

    visited(visit)


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
def test_bodies_that_do_not_end(method: str) -> None:
    async def visit(connect: Open) -> None:
        reader, _ = await connect(request(b"abc", method=method, length=100))
        answer = await _closed(reader)
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert answer.endswith(b'{"error": "the request was incomplete after 0.2 s"}')

    visited(visit)


def test_bytes_one_by_one_gain_no_time() -> None:
    async def visit(connect: Open) -> None:
        reader, writer = await connect(b"")

        async def drip() -> None:
            for byte in request(bytes(1000)):
                writer.write(bytes([byte]))
                await asyncio.sleep(0.01)

        task = asyncio.create_task(drip())
        await _closed(reader)
        assert not task.done()
        task.cancel()

    visited(visit)


@pytest.mark.slow
def test_answers_that_nobody_reads_are_given_up() -> None:
    async def visit(connect: Open) -> None:
        reader, _ = await connect(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await asyncio.sleep(4 * SHORT.idle)
        assert len(await _closed(reader)) < LARGE

    visited(visit)


def test_those_who_keep_reading_get_everything() -> None:
    async def visit(connect: Open) -> None:
        reader, _ = await connect(b"GET /large HTTP/1.0\r\nHost: localhost\r\n\r\n")
        count = 0
        while data := await reader.read(1 << 22):
            count += len(data)
            await asyncio.sleep(0.06)
        assert count > LARGE

    visited(visit)


@pytest.mark.slow
def test_handlers_may_take_their_time() -> None:
    async def visit(connect: Open) -> None:
        reader, _ = await connect(b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert (await _closed(reader)).endswith(b"done")

    visited(visit)


def test_the_idlest_connections_are_closed_first() -> None:
    async def visit(connect: Open) -> None:
        busy = [await connect(b"GET /slow HTTP/1.0\r\nHost: localhost\r\n\r\n") for _ in range(4)]
        silent = [await connect(b"") for _ in range(4)]
        started = asyncio.get_running_loop().time()
        await asyncio.gather(*(_closed(reader) for reader, _ in silent[:3]))
        assert asyncio.get_running_loop().time() - started < SHORT.idle
        for reader, _ in busy:
            assert (await _closed(reader)).endswith(b"done")

    visited(visit)


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (request(b"{}", "Content-Encoding: gzip"), b"415"),
        (request(b"{}", "Content-Encoding: br"), b"415"),
        (request(b"{}", "Content-Encoding: identity"), b"200"),
        (request(b"{}", "Content-Type: application/json; charset=foo"), b"200"),
        (request(bytes(2 << 20)), b"413"),
        (b"GET / HTTP/9.9\r\n\r\n", b"400"),
        (b"GET /echo HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n", b"400"),
        (b"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"400"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", b"400"),
    ],
)
def test_wrong_requests_are_no_errors_of_the_server(
    data: bytes, status: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async def visit(connect: Open) -> None:
        reader, _ = await connect(data)
        assert (await reader.readline()).split()[1] == status

    with caplog.at_level(logging.WARNING):
        visited(visit)
    assert caplog.records == []


def test_clients_that_leave_are_no_errors_of_the_server(caplog: pytest.LogCaptureFixture) -> None:
    async def visit(connect: Open) -> None:
        for _ in range(3):
            _, writer = await connect(request(b"abc", length=100))
            await asyncio.sleep(0.05)
            writer.transport.abort()
        await asyncio.sleep(0.1)

    with caplog.at_level(logging.WARNING):
        visited(visit)
    assert caplog.records == []


def test_errors_of_the_server_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(request: web.Request) -> web.Response:  # noqa: ARG001
        raise RuntimeError("mistake")

    async def run() -> None:
        application = web.Application()
        application.add_routes([web.get("/", fail)])
        runner = await start(application, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*runner.addresses[0][:2])
        writer.write(b"GET / HTTP/1.0\r\n\r\n")
        assert b" 500 " in await reader.readline()
        writer.close()
        await runner.cleanup()

    with caplog.at_level(logging.WARNING):
        asyncio.run(run())
    assert "mistake" in caplog.text
