"""Requests of every kind to the server of the browser interface: clear refusals, and nothing left behind."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import examples
from support.requests import TEXTS, requests

from ggp.network.web_server import Patience, start
from ggp.server.web.app import Site, application

RULES = "(role r) (init a) (legal r go) (legal r stay) (<= (next a) (true a)) (<= terminal (true b)) (goal r 0)"

PATHS = [
    "/", "/*", "/new/*", "/match/MATCH", "/match/*", "/board.css", "/static/*", "/static/style.css", "/favicon.ico",
    "/qr.svg", "/qr.svg?text=*",
    "/api/games", "/api/games/*", "/api/games/tic_tac_toe", "/api/games/*/board.svg", "/api/matches", "/api/records",
    "/api/watch", "/api/matches/MATCH", "/api/matches/*", "/api/matches/MATCH/plies/0", "/api/matches/MATCH/plies/*",
    "/api/matches/MATCH/moves", "/api/matches/MATCH/thoughts", "/api/matches/MATCH/record", "/api/matches/MATCH/events",
    "/api/matches/*/events", "/api/matches/MATCH/move", "/api/matches/MATCH/back", "/api/matches/MATCH/explain",
    "/analyse", "/analyse/*", "/api/analyses", "/api/analyses/MATCH", "/api/analyses/*", "/api/analyses/MATCH/position",
    "/api/analyses/MATCH/explain", "/api/analyses/MATCH/variations", "/api/analyses/MATCH/evaluate",
    "/api/analyses/MATCH/stop", "/api/analyses/MATCH/value", "/api/matches/MATCH/values/0",
    "/api/matches/MATCH/values/*",
    "/api/matches/*/end", "/api/matches/MATCH/draw", "/api/matches/MATCH/rematch", "/api/matches/MATCH/decline",
    "/api/matches/MATCH/after", "/api/matches/MATCH/how", "/api/matches/MATCH/reason",
    "/api/games/*/how.json", "/edit", "/api/edit/*", "/api/edit/findings", "/api/edit/hover", "/api/edit/position",
    "/api/edit/explain", "/api/edit/test", "/api/edit/expect", "/api/templates",
    "/static/vendor/*", "//", "/./api/games", "http://localhost/api/games", "*",
]  # fmt: skip

#: Fields of all requests, with values that are right.
FIELDS: dict[str, st.SearchStrategy[object]] = {
    "name": TEXTS,
    "text": st.just(RULES) | TEXTS,
    "aspects": st.just(["legal"]) | st.lists(TEXTS, max_size=2),
    "desk": st.just("desk"),
    "at": st.integers(-1, 200),
    "expectations": TEXTS,
    "game": TEXTS,
    "players": st.dictionaries(TEXTS, TEXTS, max_size=2),
    "start_clock": st.floats(),
    "max_plies": st.integers(),
    "seed": st.integers(),
    "url": st.sampled_from(
        ["http://[::1", "http:///matches/", "ftp://x/matches/1", "http://localhost:99999/matches/1"]
    ),
    "role": st.just("r"),
    "seat": TEXTS,
    "seats": st.booleans() | TEXTS,
    "ply": st.integers(-1, 2),
    "move": st.just("go") | TEXTS,
    "atom": st.just("terminal") | TEXTS,
    "matchId": TEXTS,
    "gameRulesheet": st.just(RULES) | TEXTS,
    "gameRoleNames": st.just(["r"]),
    "states": st.just(["((a))"]),
    "moves": st.just([]) | st.just([["go"]]) | st.lists(st.lists(TEXTS)),
    "plies": st.just(["x"]) | st.lists(st.integers(2)),
    "seconds": st.floats(),
    "position": st.just("(true a)") | TEXTS,
    "match": TEXTS,
    "variations": st.just([{}, {"after": 0, "moves": ["go"]}]) | st.lists(TEXTS),
    "stateTimes": st.just([0]),
    "startTime": st.integers(),
    "isCompleted": st.booleans(),
}


class Server:
    """A server in a thread with an event loop of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.site = Site(folder)
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever)
        self._thread.start()
        self.runner = self.run(start(application(self.site), "127.0.0.1", 0, Patience(reading=0.3, idle=5.0)))
        self.port = int(self.runner.addresses[0][1])
        self.match = str(self.run(self._begin()))

    def run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(120)

    def close(self) -> None:
        self.run(self.runner.cleanup())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    def ask(self, data: bytes, *, complete: bool) -> int:
        """The status of the answer; 0 if the request is not complete, and so has none yet."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60 if complete else 0.05) as connection:
            try:
                connection.sendall(data)
                answer = connection.recv(1 << 16)
            except (TimeoutError, ConnectionError):
                assert not complete
                return 0
            return int(answer.split()[1]) if answer else 0

    async def _begin(self) -> str:
        async with ClientSession(f"http://127.0.0.1:{self.port}") as session:
            async with session.post("/api/games", json={"name": "toy", "text": RULES}) as answer:
                game = (await answer.json())["name"]
            async with session.post("/api/matches", json={"game": game, "players": {"r": "human"}}) as answer:
                return str((await answer.json())["id"])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    found = Server(tmp_path_factory.mktemp("hostile"))
    try:
        yield found
    finally:
        found.close()


@pytest.fixture(scope="module")
def complaints() -> Iterator[list[str]]:
    """Everything that is logged as a warning or an error."""
    found: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(self.format(record))

    handler = Handler(logging.WARNING)
    logging.getLogger().addHandler(handler)
    yield found
    logging.getLogger().removeHandler(handler)


def post(path: str, body: bytes, *headers: str) -> bytes:
    kind = () if any("Content-Type" in one for one in headers) else ("Content-Type: application/json",)
    head = [f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}", *kind, *headers]
    return "".join(f"{one}\r\n" for one in head).encode() + b"\r\n" + body


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (post("/api/games", b"{}", "Content-Type: application/json; charset=foo"), 400),
        (post("/api/games", b"{}", "Content-Encoding: gzip"), 415),
        (post("/api/games", json.dumps({"name": "odd", "text": RULES + " ; \ud800"}).encode()), 400),
        (post("/api/games", json.dumps({"name": "odd\ud800", "text": RULES}).encode()), 400),
        (post("/api/games", b"{}", "Origin: http://["), 403),
        (post("/api/watch", b'{"url": "http://[::1/matches/1"}'), 400),
        (post("/api/matches", b'{"game": "tic_tac_toe", "players": {}, "start_clock": NaN}'), 400),
        (b"HEAD /api/matches/MATCH/events HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
    ],
)
def test_refusals(data: bytes, status: int, server: Server, complaints: list[str]) -> None:
    assert server.ask(data.replace(b"MATCH", server.match.encode()), complete=True) == status
    assert complaints == []
    assert [path.name for path in (server.folder / "rules").iterdir()] == ["toy.kif"]


@examples(60, thorough=400)
@given(request=requests(PATHS, FIELDS))
def test_no_request_breaks_the_server(request: tuple[bytes, bool], server: Server, complaints: list[str]) -> None:
    data, complete = request
    status = server.ask(data.replace(b"MATCH", server.match.encode()), complete=complete)
    assert status not in (500, 502, 504)
    assert complaints == []
    for path in server.folder.rglob("*"):
        assert not path.name.startswith(".")
        assert path.is_dir() or path.stat().st_size
