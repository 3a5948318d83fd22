"""Players behind real sockets, that do what a test says; and a game in which every move is always legal."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

from ggp.network.protocol.http import Incoming, reply_bytes

#: Two roles, two moves each, at every one of four plies. Nobody wins.
DUEL: Final = """\
(role left)
(role right)
(init (step 1))
(legal left a) (legal left b)
(legal right a) (legal right b)
(successor 1 2) (successor 2 3) (successor 3 4) (successor 4 5)
(<= (next (step ?n)) (true (step ?m)) (successor ?m ?n))
(<= (next (did ?role ?move)) (does ?role ?move))
(<= terminal (true (step 5)))
(goal left 50)
(goal right 50)
"""

#: What a player does with a message, on its connection, after which that is closed.
Behaviour = Callable[["Conversation"], None]


class Conversation:
    """One message, and the connection on which to answer it."""

    def __init__(self, connection: socket.socket, message: str, stopping: threading.Event) -> None:
        self.connection = connection
        self.message = message
        self.stopping = stopping

    @property
    def kind(self) -> str:
        return self.message.split()[0].strip("()").upper()

    def say(self, reply: str) -> None:
        self.send(reply_bytes(reply))

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def sleep(self, seconds: float) -> None:
        self.stopping.wait(seconds)

    def wait(self) -> None:
        """Until the test is over, or the other side has gone."""
        with contextlib.suppress(OSError):
            self.connection.settimeout(0.05)
            while not self.stopping.is_set():
                with contextlib.suppress(TimeoutError):
                    if not self.connection.recv(1):
                        return

    def reset(self) -> None:
        """Cut the connection so that the other side is told of a reset."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()


class Server:
    """Listens, and answers each message in a thread of its own. `heard` has the messages."""

    def __init__(self, behaviour: Behaviour, port: int = 0) -> None:
        self._behaviour = behaviour
        self._stopping = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", port))
        self.heard: list[str] = []
        self.moments: list[float] = []
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._stopping.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            incoming = Incoming(request=True)
            while not incoming.complete:
                data = connection.recv(65536)
                if not data:
                    return
                incoming.feed(data)
            self.heard.append(incoming.text)
            self.moments.append(time.monotonic())
            self._behaviour(Conversation(connection, incoming.text, self._stopping))


def honest(conversation: Conversation) -> None:
    """Does as the protocol says, and always moves `a`."""
    answers = {"INFO": "((name honest) (status available))", "START": "ready", "PLAY": "a", "STOP": "done"}
    conversation.say(answers.get(conversation.kind, "aborted"))


def in_play(behaviour: Behaviour) -> Behaviour:
    """Honest until asked for a move, and then this."""
    return lambda conversation: (behaviour if conversation.kind == "PLAY" else honest)(conversation)


@contextlib.contextmanager
def server(behaviour: Behaviour = honest) -> Iterator[Server]:
    serving = Server(behaviour)
    try:
        yield serving
    finally:
        serving.close()


def unused_port() -> int:
    """A port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port
