"""Hostile requests: malformed, unfinished, slow, forged and expensive ones."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import os
import socket
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from random import Random

from soak.ledger import Ledger
from soak.processes import Service
from soak.rules import HOSTILE
from soak.wire import answer, connected, exchange, post_json, post_message, request

#: Silent connections at a time: more than `ggp join` keeps open for one match.
SILENT = 80

REFUSED = ("4xx", "closed")
ANY = ("200", "4xx", "501", "505", "closed", "no HTTP")

Sent = tuple[str, bytes, tuple[str, ...]]


def malformed(port: int, random: Random) -> list[Sent]:
    """Return requests that no HTTP server should understand, or that end too early."""
    host = f"Host: 127.0.0.1:{port}\r\n".encode()
    return [
        ("garbage", random.randbytes(200) + b"\r\n\r\n", (*ANY,)),
        ("unknown method", b"BREW / HTTP/1.1\r\n" + host + b"\r\n", ANY),
        ("huge header", b"GET / HTTP/1.1\r\n" + host + b"X: " + b"a" * 200_000 + b"\r\n\r\n", ANY),
        ("many headers", b"GET / HTTP/1.1\r\n" + host + b"X: 1\r\n" * 20_000 + b"\r\n", ANY),
        ("bad version", b"GET / HTTP/9.9\r\n" + host + b"\r\n", ANY),
        ("negative length", b"POST / HTTP/1.1\r\n" + host + b"Content-Length: -5\r\n\r\nabc", ANY),
        ("two lengths", b"POST / HTTP/1.1\r\n" + host + b"Content-Length: 3\r\nContent-Length: 5\r\n\r\nabcde", ANY),
        ("huge length", b"POST / HTTP/1.1\r\n" + host + b"Content-Length: 999999999999\r\n\r\n", (*ANY, "silent")),
        (
            "bad chunks",
            b"POST / HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
            ANY,
        ),
        ("null in the path", b"GET /\0/a HTTP/1.1\r\n" + host + b"\r\n", ANY),
        ("broken escapes", b"GET /%zz%ff%c0%af HTTP/1.1\r\n" + host + b"\r\n", ANY),
        ("bytes above 127", b"GET /\xff\xfe HTTP/1.1\r\n" + host + b"\r\n", ANY),
        ("header without name", b"GET / HTTP/1.1\r\n" + host + b": x\r\n\r\n", ANY),
        ("two requests in one", 2 * (b"GET / HTTP/1.1\r\n" + host + b"Connection: close\r\n\r\n"), ANY),
    ]


def for_serve(port: int, random: Random) -> list[Sent]:
    """Return hostile requests for the browser's server."""
    games, evil = "/api/games", {"name": "evil", "text": "(role r)"}
    match = "/api/matches/no-such-match"

    def post(kind: str, body: bytes, expected: tuple[str, ...] = REFUSED, **headers: str) -> Sent:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return kind, request("POST", games, body, port, named), expected

    surrogates = b'{"name": "evil", "text": "(role \\ud800)"}'
    return [
        post("bad JSON", b'{"name": '),
        post("no object", b"[1, 2]"),
        post("deep JSON", b"[" * 100_000),
        post("huge number", b'{"name": 1' + b"0" * 5000 + b"}"),
        post("unknown charset", json.dumps(evil).encode(), Content_Type="application/json; charset=foo"),
        post("false gzip", b"no gzip", Content_Encoding="gzip"),
        post("gzip bomb", gzip.compress(b"0" * 30_000_000), Content_Encoding="gzip"),
        post("body over the limit", b'{"name": "' + b"x" * 5_000_000 + b'"}'),
        post("surrogates in rules", surrogates),
        post("surrogates in a name", b'{"name": "\\ud800", "text": "(role r)"}'),
        post("no UTF-8", b'{"name": "\xff\xfe"}'),
        post("form", b"name=evil", Content_Type="application/x-www-form-urlencoded"),
        post("forged host", json.dumps(evil).encode(), Host="evil.example"),
        post("forged origin", json.dumps(evil).encode(), Origin="http://evil.example"),
        post("cross-site", json.dumps(evil).encode(), Sec_Fetch_Site="cross-site"),
        ("path as a name", post_json(games, {"name": "../../evil", "text": "(role r)"}, port), REFUSED),
        ("deep parentheses", post_json(games, {"name": "deep", "text": "(" * 100_000}, port), REFUSED),
        ("broken rules", post_json(games, {"name": "evil", "text": "(role" * 500}, port), REFUSED),
        ("code as a player", post_json("/api/matches", _match("x.py:Evil"), port), REFUSED),
        ("bad clocks", post_json("/api/matches", {**_match("random"), "play_clock": -1}, port), REFUSED),
        ("unknown match", request("GET", match, b"", port), REFUSED),
        ("huge ply", request("GET", f"{match}/plies/{'9' * 400}", b"", port), REFUSED),
        ("path traversal", request("GET", "/static/..%2f..%2fapp.py", b"", port), REFUSED),
        ("path traversal", request("GET", "/api/matches/..%2f..%2fetc%2fpasswd/record", b"", port), REFUSED),
        ("damaged record", request("POST", "/api/records", damaged(random), port), (*REFUSED, "200")),
        (
            "watch another service",
            post_json("/api/watch", {"url": f"http://127.0.0.1:{port}/api/games"}, port),
            REFUSED,
        ),
        ("watch a file", post_json("/api/watch", {"url": "file:///etc/passwd"}, port), REFUSED),
    ]


def _match(player: str) -> dict[str, object]:
    return {"game": "classics/tic_tac_toe", "players": {"xplayer": player}}


def damaged(random: Random) -> bytes:
    """Return the record of a match, with some bytes replaced."""
    record = {
        "matchId": "m", "gameName": "g", "gameRoleNames": ["r"], "startTime": 0,
        "gameRulesheet": "(role r)(legal r go)",
        "states": ["((x))", "((x))"], "moves": [["go"]], "errors": [[""], [""]], "isCompleted": True, "goalValues": [0],
    }  # fmt: skip
    data = bytearray(json.dumps(record).encode())
    for _ in range(random.randint(1, 6)):
        data[random.randrange(len(data))] = random.choice(b'"[]{}:,()0x9\xff')
    return bytes(data)


def for_join(port: int, random: Random, path: str) -> list[Sent]:
    """Return hostile messages for a player."""
    noise = random.randbytes(500)
    messages: list[tuple[str, str | bytes]] = [
        ("no message", "hello"),
        ("unbalanced", "(PLAY m (a b"),
        ("deep parentheses", "(" * 50_000 + ")" * 50_000),
        ("noise", noise),
        ("unknown match", "(PLAY nobodys-match NIL)"),
        ("ABORT of an unknown match", "(ABORT nobodys-match)"),
        ("STOP of an unknown match", "(STOP nobodys-match ((a) (b)))"),
        ("START without rules", "(START m r)"),
        ("START with broken rules", "(START broken r ((role r) (<= (legal r ?x))) 2 1)"),
        ("START for no role", "(START norole nobody ((role r) (init x) (legal r go) (goal r 0)) 2 1)"),
        ("START with strange clocks", "(START clocks r ((role r) (legal r go)) -1 1e999)"),
        ("long message", "(START long r (" + "(f a) " * 400_000),
    ]
    sent: list[Sent] = [(kind, post_message(text, port, path=path), ANY) for kind, text in messages]
    origin = {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}
    if path != "/":
        sent += [
            (f"wrong token {wrong}", post_message("(INFO)", port, path=wrong), REFUSED) for wrong in ("/", "/soak")
        ]
    return [
        *sent,
        ("forged origin", post_message("(INFO)", port, origin, path=path), REFUSED),
        ("forged host", post_message("(INFO)", port, {"Host": "evil.example"}, path=path), REFUSED),
    ]


@dataclass
class Hostile:
    """Sends hostile requests until it is cancelled."""

    ledger: Ledger
    serve: Service
    host: Service
    joins: dict[str, Service]
    random: Random
    counter: int = 0
    #: Expensive requests at a time: they take all the processor time that they can get.
    expensive: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(max(1, (os.cpu_count() or 1) // 2)))

    def activities(self) -> list[Callable[[], Awaitable[None]]]:
        """Return what is done again and again, all at the same time."""
        targets = {"serve": self.serve, "host": self.host, **{f"join-{name}": one for name, one in self.joins.items()}}
        doing: list[Callable[[], Awaitable[None]]] = [self._bounded(self.expensive_upload), self.flood]
        for name, service in targets.items():
            doing += [self._bound(self.short, name, service), self._bound(self.slow, name, service)]
        matches = [self._bound(self.expensive_match, f"join-{name}", one) for name, one in self.joins.items()]
        return doing + [self._bounded(match) for match in matches]

    def _bounded(self, what: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        async def bounded() -> None:
            async with self.expensive:
                await what()

        return bounded

    @staticmethod
    def _bound(
        what: Callable[[str, Service], Awaitable[None]], name: str, service: Service
    ) -> Callable[[], Awaitable[None]]:
        return lambda: what(name, service)

    async def short(self, name: str, service: Service) -> None:
        """Send one malformed or forged request, or disconnect early."""
        kinds = malformed(service.port, self.random)
        if name == "serve":
            kinds += for_serve(service.port, self.random)
        elif name.startswith("join"):
            kinds += for_join(service.port, self.random, service.path)
        kind, data, expected = self.random.choice(kinds)
        way = self.random.random()
        if way < 0.15:
            await self.disconnect(name, service, data)
        else:
            status, text = await exchange(service.port, data)
            self.ledger.answered(name, kind, status, expected, text)
        await asyncio.sleep(self.random.uniform(0.2, 0.8))

    async def disconnect(self, name: str, service: Service, data: bytes) -> None:
        """Send a part of a request, and reset the connection."""
        with contextlib.suppress(OSError, TimeoutError):
            async with connected(service.port) as (_, writer):
                writer.write(data[: self.random.randrange(len(data))])
                await asyncio.sleep(self.random.uniform(0, 0.3))
                reset = writer.get_extra_info("socket")
                reset.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.ledger.answered(name, "disconnected", "-", ("-",))

    async def slow(self, name: str, service: Service) -> None:
        """Send a request that never becomes complete, or arrives byte by byte. The service must close it."""
        kind = self.random.choice(("unfinished body", "unfinished header", "byte by byte", "nothing"))
        text = post_message("(INFO)", service.port, {"Content-Length": "1000"}, path=service.path)
        data = {"unfinished header": text[:40], "nothing": b""}.get(kind, text)
        try:
            async with connected(service.port) as (reader, writer):
                if kind == "byte by byte":
                    trickling = asyncio.ensure_future(_trickle(writer, data))
                    try:
                        status, found = await answer(reader, 60)
                    finally:
                        trickling.cancel()
                else:
                    writer.write(data)
                    status, found = await answer(reader, 60)
        except (OSError, TimeoutError):
            status, found = "closed", ""
        # A player reads a message as soon as its parentheses are balanced, whatever its length should be.
        complete = ("200",) if name.startswith("join") and kind in ("unfinished body", "byte by byte") else ()
        self.ledger.answered(name, kind, status, (*REFUSED, *complete), found)
        await asyncio.sleep(1)

    async def flood(self) -> None:
        """Hold many silent connections at one player."""
        name = self.random.choice(sorted(self.joins))
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(SILENT):
                with contextlib.suppress(OSError, TimeoutError):
                    await stack.enter_async_context(connected(self.joins[name].port))
            await asyncio.sleep(10)
        self.ledger.answered(f"join-{name}", f"{SILENT} silent connections", "-", ("-",))
        await asyncio.sleep(15)

    async def expensive_match(self, name: str, service: Service) -> None:
        """Begin a match with expensive rules, ask for a move, and abort it, or leave it to itself."""
        kind = self.random.choice(sorted(HOSTILE))
        self.counter += 1
        match = f"evil{self.counter}"
        rules = " ".join(HOSTILE[kind].split())
        expected = ("200", "4xx", "silent", "closed")

        def sending(text: str) -> asyncio.Future[tuple[str, str]]:
            message = post_message(text, service.port, path=service.path)
            return asyncio.ensure_future(exchange(service.port, message))

        started = sending(f"(START {match} r ({rules}) 2 1)")
        if self.random.random() < 0.5:
            status, text = await started  # else in the middle of START
            self.ledger.answered(name, f"START with {kind}", status, expected, text)
        await asyncio.sleep(self.random.uniform(0, 1))
        playing = sending(f"(PLAY {match} NIL)")
        await asyncio.sleep(self.random.uniform(0, 4))
        if self.random.random() < 0.7:
            status, text = await sending(f"(ABORT {match})")
            self.ledger.answered(name, "ABORT in the middle", status, expected, text)
        for sent in (started, playing):
            sent.cancel()  # disconnects
        await asyncio.gather(started, playing, return_exceptions=True)
        await asyncio.sleep(self.random.uniform(14, 20))  # until the player has dropped it

    async def expensive_upload(self) -> None:
        """Upload expensive rules, and ask for a preview and a match if they are accepted."""
        kind = self.random.choice(sorted(HOSTILE))
        port = self.serve.port
        expected = ("200", "4xx", "503")
        sent = {"name": "expensive", "text": HOSTILE[kind]}
        status, text = await exchange(port, post_json("/api/games", sent, port), patience=90)
        self.ledger.answered("serve", f"rules with {kind}", status, expected, text)
        if status == "200" and (name := _name(text)):
            status, text = await exchange(
                port, post_json("/api/matches", {"game": name, "players": {}}, port), patience=90
            )
            self.ledger.answered("serve", f"match with {kind}", status, expected, text)
            if match := _name(text, "id"):
                await asyncio.sleep(10)
                status, text = await exchange(port, post_json(f"/api/matches/{match}/end", {}, port))
                self.ledger.answered("serve", f"end of {kind}", status, expected, text)
        await asyncio.sleep(15)


async def _trickle(writer: asyncio.StreamWriter, data: bytes) -> None:
    with contextlib.suppress(OSError):
        for byte in data:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.5)


def _name(text: str, field: str = "name") -> str:
    try:
        found = json.loads(text)
    except ValueError:
        return ""
    return str(found.get(field, "")) if isinstance(found, dict) else ""
