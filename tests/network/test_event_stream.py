"""Event streams: the messages, comments while nothing happens, and readers that go."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest
from aiohttp import ClientSession, web

from ggp.network import event_stream
from ggp.network.event_stream import EventStreams, event
from ggp.network.web_server import start


def test_a_message() -> None:
    assert event({"a": 1}) == b'data: {"a": 1}\n\n'
    assert event({"a": 1}, "state", 3) == b'event: state\nid: 3\ndata: {"a": 1}\n\n'


def test_a_quiet_stream_sends_comments_and_loses_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "HEARTBEAT", 0.02)
    closed = asyncio.Event()

    async def messages() -> AsyncGenerator[bytes]:
        try:
            yield event({"number": 1})
            await asyncio.sleep(0.1)
            yield event({"number": 2})
        finally:
            closed.set()

    text = asyncio.run(read(messages()))
    assert text.startswith('data: {"number": 1}\n\n:\n\n')
    assert text.endswith(':\n\ndata: {"number": 2}\n\n')
    assert closed.is_set()


async def read(messages: AsyncGenerator[bytes]) -> str:
    """The whole of a stream as its reader gets it."""
    streams = EventStreams(most=1)

    async def stream(request: web.Request) -> web.StreamResponse:
        assert not streams.full
        return await streams.answer(request, messages, {"X-Own": "yes"})

    application = web.Application()
    application.add_routes([web.get("/", stream)])
    runner = web.AppRunner(application)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        async with ClientSession() as session, session.get(f"http://{host}:{port}/") as response:
            assert streams.full
            assert response.headers["X-Own"] == "yes"
            assert response.content_type == "text/event-stream"
            text = await response.text()
    finally:
        await runner.cleanup()
    assert not streams.full
    return text


def test_a_reader_that_does_not_read_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its connection is cut, as closing it would wait until it reads."""
    monkeypatch.setattr(event_stream, "PATIENCE", 0.2)
    streams = EventStreams()

    async def messages() -> AsyncGenerator[bytes]:
        while True:
            yield event({"text": "x" * 1_000_000})

    async def stream(request: web.Request) -> web.StreamResponse:
        return await streams.answer(request, messages(), {})

    async def run() -> None:
        application = web.Application()
        application.add_routes([web.get("/", stream)])
        runner = await start(application, "127.0.0.1", 0)
        _, writer = await asyncio.open_connection(*runner.addresses[0][:2])
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert runner.server is not None
        async with asyncio.timeout(10):
            while not streams.open:
                await asyncio.sleep(0.01)
            while streams.open or runner.server.connections:
                await asyncio.sleep(0.01)
        writer.transport.abort()
        await runner.cleanup()

    asyncio.run(run())
