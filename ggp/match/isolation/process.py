"""The process of a player, seen from the match."""

from __future__ import annotations

import queue
import subprocess
import threading
from contextlib import suppress
from typing import Final

from gdl.system.childprocess import Child, describe_status, limit_process
from ggp.match.channels import LateError, PlayerError
from ggp.match.isolation.log import Output, PlayerLog
from ggp.match.isolation.wire import MATCH_SIDE, Begin, CallOff, Load, Move, Payload, Prepare, Rehearse, Reply, Request
from ggp.players.clock import Deadline
from ggp.players.player import End

#: Seconds between checks that an answer is still wanted.
_GLANCE: Final = 0.02

#: Seconds that a process has to disappear after it was killed, and after it closed the pipe for its replies.
_GONE: Final = 3.0
_END: Final = 0.5

#: Seconds reserved for sending an answer from one process to the other, and the largest share of the remaining time.
TRANSIT: Final = 0.03
TRANSIT_SHARE: Final = 0.1


class DiedError(PlayerError):
    """A player's process has ended. The text has its exit status or the signal, and its last output."""

    code = "process-died"


class FaultError(PlayerError):
    """A player in a process of its own has raised an error. The text has the error's type, text and place."""

    code = "player-fault"


class PlayerProcess:
    """A child process with a player, seen from the parent. For use from one thread at a time, except for `kill`."""

    def __init__(self, name: str, log: PlayerLog, *, first: Load | Rehearse, memory: int | None = None) -> None:
        """Start the process and send the first request, without waiting for it. `memory` is its limit in bytes."""
        self._child = Child("ggp.match.isolation.child", name, framing=MATCH_SIDE, errors=subprocess.PIPE)
        limit_process(self._child.pid, memory=memory)
        self._output = Output(self._child.output, log, f"process {self._child.pid}")
        self._replies: queue.SimpleQueue[Reply | None] = queue.SimpleQueue()
        #: The numbers of the last request, and of the last one that has been answered.
        self.asked = 0
        self.answered = 0
        self.loaded: Reply | None = None
        threading.Thread(target=self._read, name="player's answers", daemon=True).start()
        self._first = self._send(first)

    @property
    def busy(self) -> bool:
        """True if the process has not answered all requests yet."""
        return self.answered < self.asked

    def wait_until_ready(self, deadline: Deadline) -> bool:
        """Wait until the first request is done; return False if the deadline passes. Raises DiedError, FaultError."""
        if self._first:
            try:
                self.loaded = self._receive(self._first, deadline)
            except FaultError:
                self._first = 0
                raise
            if self.loaded is None:
                return False
            self._first = 0
        return True

    def ask(
        self, payload: Prepare | Begin | Move | End, deadline: Deadline, *, reserved: float = TRANSIT_SHARE
    ) -> Reply:
        """Send a request and return the reply. Raises DiedError, FaultError, and LateError after the deadline.

        The child is told an earlier deadline: by the share `reserved` of the time left, or `TRANSIT` if that is less.
        """
        left = max(0.0, deadline.left())
        room = min(TRANSIT, TRANSIT_SHARE * left) if reserved == TRANSIT_SHARE else reserved * left
        reply = self._receive(self._send(payload, deadline.earlier(room).at), deadline)
        if reply is None:
            self._child.send(Request(self.asked, CallOff()))
            raise LateError("no answer in time")
        return reply

    def send_ahead(self, payload: Prepare) -> None:
        """Send a request without waiting for the reply; its errors are ignored."""
        self._send(payload)

    def describe(self, use: str) -> None:
        """Say in the log what the process is used for."""
        self._output.name(f"{use}, process {self._child.pid}")

    def kill(self) -> None:
        """End the process, even if it hangs."""
        self._child.kill()
        self._output.last()
        self._child.end(_GONE)

    def _send(self, payload: Payload, due: float | None = None) -> int:
        self.asked += 1
        self._child.send(Request(self.asked, payload, due))
        return self.asked

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
                end = self._end()
                output = self._output.last()
                raise DiedError(f"{end}; last output: {output}" if output else end)
            if reply.number == number:
                if reply.error:
                    raise FaultError(reply.error)
                return reply

    def _end(self) -> str:
        """Return the way in which the process ended; end it if it sent something else than a reply."""
        try:
            return describe_status(self._child.wait(_END))
        except subprocess.TimeoutExpired:
            self._child.kill()
            return "not a reply"

    def _read(self) -> None:
        with suppress(EOFError):
            while True:
                reply = self._child.receive()
                self.answered = reply.number
                self._replies.put(reply)
        self._replies.put(None)
