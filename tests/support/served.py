"""A player at a real socket, and a game server of a few lines to ask it."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from gdl import Reasoner
from ggp.network.protocol.joined import Event
from ggp.network.protocol.listener import READING, Listener
from ggp.network.protocol.messages import Start, rules_line
from ggp.network.protocol.player_server import NetworkPlayer, NetworkPlayerSettings
from ggp.players import Player
from ggp.rules.shipped_games import find_game
from support.threaded_match import ThreadedMatch

#: Nobody waits longer for an answer.
PATIENCE = 60.0

TIC_TAC_TOE = rules_line(Reasoner.load(find_game("tic_tac_toe")).rulesheet.source.text)


@dataclass
class Served:
    """A player that is listening."""

    port: int
    events: list[Event] = field(default_factory=list)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def send(self, data: bytes) -> socket.socket:
        """A connection on which these bytes were sent."""
        connection = self.connect()
        connection.sendall(data)
        return connection

    def begin(self, message: object) -> socket.socket:
        """A connection on which a message was sent."""
        return self.send(post(str(message)))

    def ask(self, message: object) -> str:
        """The body of the answer to a message."""
        return body(self.begin(message))

    def start(self, match_id: str = "m", role: str = "xplayer", clock: float = PATIENCE, rules: str = "") -> str:
        return self.ask(Start(match_id, role, rules or TIC_TAC_TOE, clock, clock))

    def status(self) -> str:
        answer = self.ask("(INFO)")
        return "available" if "available" in answer else "busy" if "busy" in answer else answer

    def told(self, text: str) -> bool:
        """Return True if an event with this text is reported, now or soon."""
        return soon(lambda: any(text in event.text for event in list(self.events)))


def soon(condition: Callable[[], bool]) -> bool:
    """Return True once a condition holds, False if it does not in time."""
    until = time.monotonic() + PATIENCE
    while not (true := condition()) and time.monotonic() < until:
        time.sleep(0.005)
    return true


def post(text: str) -> bytes:
    data = text.encode()
    return b"POST / HTTP/1.0\r\nContent-Type: text/acl\r\nContent-Length: %d\r\n\r\n%s" % (len(data), data)


def whole(connection: socket.socket) -> bytes:
    """All that comes, until the other side closes."""
    with connection:
        return b"".join(iter(lambda: connection.recv(65536), b""))


def body(connection: socket.socket) -> str:
    head, _, text = whole(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.0 200 "), head
    return text.decode()


def status_of(connection: socket.socket) -> int:
    return int(whole(connection).split()[1])


@contextmanager
def served(
    make: Callable[[], Player],
    conduct: NetworkPlayerSettings | None = None,
    *,
    token: str = "",
    limit: int = 1_000_000,
    reading: float = READING,
) -> Iterator[Served]:
    """A player that listens at a free port, in a thread with an event loop of its own."""
    events: list[Event] = []
    ready: list[Served] = []
    running = threading.Event()
    loop = asyncio.new_event_loop()
    ended = asyncio.Event()

    async def run() -> None:
        player = NetworkPlayer(lambda: ThreadedMatch(make), conduct or NetworkPlayerSettings(), events.append)
        listener = Listener(player, events.append, token=token, limit=limit, reading=reading)
        server = await listener.listen("127.0.0.1", 0)
        ready.append(Served(server.sockets[0].getsockname()[1], events))
        running.set()
        await ended.wait()
        server.close()
        await listener.close()
        await player.close()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    try:
        assert running.wait(PATIENCE)
        yield ready[0]
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.close()
