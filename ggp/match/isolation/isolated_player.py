"""A player in a process of its own, and a reserve of processes for the next matches."""

from __future__ import annotations

import queue
import threading
from contextlib import suppress
from typing import Final

from gdl.childprocess import PICKLES, Child
from gdl.engine import rule_text
from gdl.errors import GdlError
from ggp.match.isolation.wire import Begin, CallOff, Move, Payload, Rehearse, Reply, Request
from ggp.players.clock import Deadline
from ggp.players.player import End, Start, Turn

#: Seconds between checks that an answer is still wanted.
_GLANCE: Final = 0.02

#: Seconds that a player has to finish a match before its process is ended.
FAREWELL: Final = 3.0

#: Seconds reserved for sending an answer from one process to the other, and the largest share of the remaining time.
TRANSIT: Final = 0.03
TRANSIT_SHARE: Final = 0.1

#: The share of a turn's time that is reserved for the move when a process has died and a new one is started.
_AGAIN: Final = 0.5


class DiedError(GdlError):
    """A player's process has ended."""

    code = "process-died"

    def __str__(self) -> str:
        """Return the reason."""
        return str(self.args[0])


class FaultError(GdlError):
    """A player in a process of its own has raised an error."""

    code = "player-fault"

    def __str__(self) -> str:
        """Return the error's type and text, in one line."""
        return str(self.args[0])


class PlayerProcess:
    """A child process with a player, seen from the parent. For use from one thread at a time."""

    def __init__(self, name: str) -> None:
        """Start the process and let it load its code, without waiting for it."""
        self._child = Child("ggp.match.isolation.child", name, framing=PICKLES)
        self._replies: queue.SimpleQueue[Reply | None] = queue.SimpleQueue()
        self._number = 0
        threading.Thread(target=self._read, name="player's answers", daemon=True).start()
        self._ready = self._send(Rehearse())

    def wait_until_ready(self, deadline: Deadline) -> bool:
        """Wait until all code is loaded; return False if the deadline passes first. Raises DiedError, FaultError."""
        if self._ready:
            try:
                if self._receive(self._ready, deadline) is None:
                    return False
            except FaultError:
                self._ready = 0
                raise
            self._ready = 0
        return True

    def ask(self, payload: Begin | Move | End, deadline: Deadline) -> Reply:
        """Send a request and return the reply. Raises DiedError, FaultError, and TimeoutError after the deadline."""
        due = deadline.earlier(min(TRANSIT, TRANSIT_SHARE * max(0.0, deadline.left()))).at
        reply = self._receive(self._send(payload, due), deadline)
        if reply is None:
            self._send(CallOff())
            raise TimeoutError("no answer in time")
        return reply

    def kill(self) -> None:
        """End the process, even if it hangs."""
        self._child.end(FAREWELL)

    def _send(self, payload: Payload, due: float | None = None) -> int:
        self._number += 1
        self._child.send(Request(self._number, payload, due))
        return self._number

    def _receive(self, number: int, deadline: Deadline) -> Reply | None:
        """Return the reply to the request of this number, or None if it does not arrive in time."""
        while True:
            try:
                reply = self._replies.get(timeout=max(0.0, min(_GLANCE, deadline.left())))
            except queue.Empty:
                if deadline.left() <= 0:
                    return None
                continue
            if reply is None:
                self._replies.put(None)  # for the next caller
                status = self._child.wait()
                raise DiedError(f"the player's process ended with status {status}")
            if reply.number == number:
                if reply.error:
                    raise FaultError(reply.error)
                return reply

    def _read(self) -> None:
        with suppress(EOFError):
            while True:
                self._replies.put(self._child.receive())
        self._replies.put(None)


class Reserve:
    """Idle processes for matches, one more than there are matches. A context manager that ends them all.

    The additional process serves a match that starts while the previous match's process is still finishing. Work that a
    match leaves behind in its process, such as a game that is still being compiled, continues: the next match may need
    it.
    """

    def __init__(self, name: str) -> None:
        """Start the first two processes, each with the player `name`."""
        self._name = name
        self._lock = threading.Lock()
        self._waiting: list[PlayerProcess] = []
        self._all: set[PlayerProcess] = set()
        self._closed = False
        self._fill(2)

    def __enter__(self) -> Reserve:
        """Return the reserve."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all processes."""
        with self._lock:
            self._closed = True
            processes = list(self._all)
        for process in processes:
            process.kill()

    def wait_until_ready(self) -> None:
        """Wait until the idle processes are ready. Raises DiedError, FaultError if they cannot play."""
        for process in self._waiting:
            process.wait_until_ready(Deadline())

    def take(self) -> PlayerProcess:
        """Return a process for a match. Raises DiedError if the reserve is closed."""
        self._fill(1)
        with self._lock:
            if not self._waiting:
                raise DiedError("the reserve of processes is closed")
            taken = self._waiting.pop(0)
        self._fill(1)
        return taken

    def give_back(self, process: PlayerProcess) -> None:
        """Return a process that has played its match and may play again."""
        with self._lock:
            self._waiting.insert(0, process)

    def discard(self, process: PlayerProcess) -> None:
        """End a process that cannot be used again."""
        with self._lock:
            self._all.discard(process)
        process.kill()
        self._fill(1)

    def _fill(self, least: int) -> None:
        """Start processes until at least `least` are idle."""
        with self._lock:
            while len(self._waiting) < least and not self._closed:
                process = PlayerProcess(self._name)
                self._all.add(process)
                self._waiting.append(process)


class IsolatedPlayer:
    """A player that runs in a process of its own, where it may crash, hang or hold Python's lock."""

    def __init__(self, name: str, reserve: Reserve) -> None:
        """Take a process from the reserve for each match."""
        self.name = name
        self._reserve = reserve
        self._process: PlayerProcess | None = None
        self._begin: Begin | None = None

    def start(self, start: Start, deadline: Deadline) -> None:
        """Start the match in a process. Raises FaultError, DiedError, TimeoutError."""
        self._begin = Begin(
            match_id=start.match_id,
            role=start.role,
            seed=start.seed,
            start_clock=start.start_clock,
            play_clock=start.play_clock,
            rules=start.rules or rule_text(start.game),
        )
        self._start_process(self._begin, deadline)

    def move(self, turn: Turn) -> str:
        """Return the player's move as text. Raises FaultError, DiedError, TimeoutError."""
        if self._begin is None:
            raise RuntimeError("move() called before start()")
        if self._process is None:
            # It died. A new process may be ready in time for this move, and should be for the next.
            self._start_process(self._begin, turn.deadline.earlier(_AGAIN * max(0.0, turn.deadline.left())))
        assert self._process is not None
        facts = None if turn.state is None else tuple(turn.state)
        move = Move(turn.ply, facts, turn.legal, turn.moves, turn.own_move, turn.percepts)
        try:
            return self._process.ask(move, turn.deadline).move
        except DiedError:
            self._drop()
            raise

    def stop(self, end: End) -> None:
        """End the match and give the process back. Raises FaultError, DiedError, TimeoutError."""
        process, self._process, self._begin = self._process, None, None
        if process is None:
            return
        try:
            process.ask(end, Deadline.after(FAREWELL))
        except (DiedError, TimeoutError):
            self._reserve.discard(process)
            raise
        except FaultError:
            self._reserve.give_back(process)
            raise
        self._reserve.give_back(process)

    def _start_process(self, begin: Begin, deadline: Deadline) -> None:
        self._process = self._reserve.take()
        try:
            self._process.wait_until_ready(deadline)
            self._process.ask(begin, deadline)
        except DiedError:
            self._drop()
            raise

    def _drop(self) -> None:
        if self._process is not None:
            self._reserve.discard(self._process)
            self._process = None
