"""A player in a process of its own, and processes that are kept ready for the next match."""

from __future__ import annotations

import queue
import threading
from contextlib import suppress
from typing import Final

from gdl.childprocess import PICKLES, Child
from gdl.engine import rule_text
from gdl.errors import GdlError
from ggp.network.isolation.wire import Begin, CallOff, Move, Rehearse, Reply, Request, What
from ggp.players.clock import Deadline
from ggp.players.player import End, Start, Turn

#: Seconds after which whoever waits for an answer looks whether anybody still waits for it.
_GLANCE: Final = 0.02

#: Seconds that a player has to come to an end with a match, before its process is ended.
FAREWELL: Final = 3.0

#: Seconds that an answer may take from one process to the other, and the largest share of its time.
TRANSIT: Final = 0.03
TRANSIT_SHARE: Final = 0.1

#: Of a turn's time, so large a share goes into starting over when a process has died.
_AGAIN: Final = 0.5


class DiedError(GdlError):
    """A player's process has ended."""

    code = "process-died"

    def __str__(self) -> str:
        return str(self.args[0])


class FaultError(GdlError):
    """A player in a process of its own has failed: what it says of that."""

    code = "player-fault"

    def __str__(self) -> str:
        return str(self.args[0])


class PlayerProcess:
    """A process with a player, as who started it sees it; for one thread at a time."""

    def __init__(self, name: str) -> None:
        self._child = Child("ggp.network.isolation.child", name, framing=PICKLES)
        self._replies: queue.SimpleQueue[Reply | None] = queue.SimpleQueue()
        self._number = 0
        threading.Thread(target=self._read, name="player's answers", daemon=True).start()
        self._ready = self._send(Rehearse())

    def wait_until_ready(self, deadline: Deadline) -> bool:
        """Whether all is loaded by the deadline. Raises DiedError, FaultError."""
        if self._ready:
            try:
                if self._receive(self._ready, deadline) is None:
                    return False
            except FaultError:
                self._ready = 0
                raise
            self._ready = 0
        return True

    def ask(self, what: Begin | Move | End, deadline: Deadline) -> Reply:
        """The reply to a question. Raises DiedError, FaultError, and TimeoutError where it does not come in time."""
        due = deadline.earlier(min(TRANSIT, TRANSIT_SHARE * max(0.0, deadline.left()))).at
        reply = self._receive(self._send(what, due), deadline)
        if reply is None:
            self._send(CallOff())
            raise TimeoutError("no answer in time")
        return reply

    def kill(self) -> None:
        """End the process, whatever it does."""
        self._child.end(FAREWELL)

    def _send(self, what: What, due: float | None = None) -> int:
        self._number += 1
        self._child.send(Request(self._number, what, due))
        return self._number

    def _receive(self, number: int, deadline: Deadline) -> Reply | None:
        """The reply to the question of this number, None if it is not there in time."""
        while True:
            try:
                reply = self._replies.get(timeout=max(0.0, min(_GLANCE, deadline.left())))
            except queue.Empty:
                if deadline.left() <= 0:
                    return None
                continue
            if reply is None:
                self._replies.put(None)  # for whoever asks next
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
    """Processes that wait for a match, one more than there are matches; a context that leaves none behind.

    So there is one when a match begins while the process of the last is still busy with its end. What a match leaves at
    work in its process, as a game that is still compiled, goes on there: the next match may need it.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._waiting: list[PlayerProcess] = []
        self._all: set[PlayerProcess] = set()
        self._closed = False
        self._fill(2)

    def __enter__(self) -> Reserve:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._closed = True
            processes = list(self._all)
        for process in processes:
            process.kill()

    def wait_until_ready(self) -> None:
        """Wait for the first processes. Raises DiedError, FaultError where they cannot play."""
        for process in self._waiting:
            process.wait_until_ready(Deadline())

    def take(self) -> PlayerProcess:
        """A process for a match. Raises DiedError when closed."""
        self._fill(1)
        with self._lock:
            if not self._waiting:
                raise DiedError("no more matches are played")
            taken = self._waiting.pop(0)
        self._fill(1)
        return taken

    def give_back(self, process: PlayerProcess) -> None:
        """The process has played its match, and may play again."""
        with self._lock:
            self._waiting.insert(0, process)

    def discard(self, process: PlayerProcess) -> None:
        """The process is of no use any more."""
        with self._lock:
            self._all.discard(process)
        process.kill()
        self._fill(1)

    def _fill(self, least: int) -> None:
        """Have at least so many processes that wait."""
        with self._lock:
            while len(self._waiting) < least and not self._closed:
                process = PlayerProcess(self._name)
                self._all.add(process)
                self._waiting.append(process)


class ApartPlayer:
    """A player that thinks in a process of its own. It can crash there, hang, or keep Python to itself."""

    def __init__(self, name: str, reserve: Reserve) -> None:
        self.name = name
        self._reserve = reserve
        self._process: PlayerProcess | None = None
        self._begin: Begin | None = None

    def start(self, start: Start, deadline: Deadline) -> None:
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
        """Raises FaultError, DiedError, TimeoutError."""
        if self._begin is None:
            raise RuntimeError("move() called before start()")
        if self._process is None:
            # It died. Another may still have time for this move, and surely for the next.
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
