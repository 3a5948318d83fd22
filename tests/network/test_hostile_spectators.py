"""Requests of every kind to the server for spectators."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Iterator

import pytest
from hypothesis import given
from support.profiles import examples
from support.records import RECORD
from support.requests import requests

from ggp.network.host import HostedMatches, Network
from ggp.network.host.spectators import serve

PATHS = ["/matches", "/matches/*", "/matches/MATCH", "/matches/MATCH/events", "/matches/*/events", "/*", "*"]


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    hosted = HostedMatches()
    hosted.open(RECORD)
    with Network("spectators") as network:
        runner, _ = network.start(serve(hosted, "127.0.0.1", 0)).result(30)
        yield runner.addresses[0][1]
        network.start(runner.cleanup()).result(30)


@examples(25, thorough=400)
@given(request=requests(PATHS, {}))
def test_no_request_breaks_the_server(request: tuple[bytes, bool], port: int) -> None:
    data, complete = request
    found: list[logging.LogRecord] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = found.append  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=0.5 if complete else 0.02) as connection:
            connection.sendall(data.replace(b"MATCH", RECORD.match_id.encode()))
            answer = connection.recv(1 << 16)
    except (TimeoutError, ConnectionError):
        answer = b""
    finally:
        logging.getLogger().removeHandler(handler)
    assert not answer or int(answer.split()[1]) < 500
    assert found == []


def test_compressed_and_endless_requests(port: int) -> None:
    async def ask(head: str) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET /matches HTTP/1.1\r\nHost: x\r\n{head}\r\n\r\n".encode())
        answer = await reader.readline()
        writer.close()
        return answer

    assert b" 415 " in asyncio.run(ask("Content-Encoding: gzip"))
    assert b" 413 " in asyncio.run(ask("Content-Length: 3000000\r\n\r\n" + "x" * 3_000_000))
