"""Idle processes of one player, ready for the next matches."""

from __future__ import annotations

import threading
from typing import Final, final

from ggp.match.isolation.log import LogFolder, PlayerLog
from ggp.match.isolation.process import DiedError, PlayerProcess
from ggp.match.isolation.wire import Load, Rehearse, Reply
from ggp.players.clock import Deadline

#: A deadline for work that has none.
_ANY_TIME: Final = Deadline()


@final
class Reserve:
    """Idle processes for matches, `spare` more than there are matches. A context manager that ends them all.

    A spare process serves a match that starts while the previous match's process is still finishing. Work that a match
    leaves behind in its process, such as a game that is still being compiled, continues: the next match may need it.
    With `tidy`, a process with such work is replaced instead.
    """

    def __init__(
        self,
        name: str,
        *,
        spare: int = 1,
        rehearse: bool = True,
        tidy: bool = False,
        memory: int | None = None,
        log: PlayerLog | None = None,
    ) -> None:
        """Start the first processes, each with the player `name`.

        With `rehearse`, each of them plays some plies, so that all code is loaded. `memory` is the limit of each
        process in bytes. Its output goes to `log`, by default a new one in a temporary folder.
        """
        self._name = name
        self._spare = spare
        self._rehearse = rehearse
        self.tidy = tidy
        self._memory = memory
        self.log = log or PlayerLog(name, LogFolder())
        self._lock = threading.Lock()
        self._waiting: list[PlayerProcess] = []
        self._all: set[PlayerProcess] = set()
        self._closed = False
        self._fill(1 + spare)

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
        self.log.close()

    def wait_until_ready(self, deadline: Deadline = _ANY_TIME) -> Reply | None:
        """Wait until the idle processes are ready, and return the first reply of one of them.

        Returns None if the deadline passes or none is idle. Raises DiedError, FaultError if they cannot play.
        """
        ready = [process for process in self._waiting if process.wait_until_ready(deadline)]
        return ready[0].loaded if ready else None

    def take(self) -> PlayerProcess:
        """Return a process for a match. Raises DiedError if the reserve is closed."""
        self._fill(1)
        with self._lock:
            if not self._waiting:
                raise DiedError("the reserve of processes is closed")
            taken = self._waiting.pop(0)
        self._fill(self._spare)
        return taken

    def give_back(self, process: PlayerProcess, *, busy: bool = False) -> None:
        """Return a process that has played its match and may play again. `busy` if it left work behind."""
        if busy and self.tidy:
            self.discard(process)
            return
        with self._lock:
            self._waiting.insert(0, process)

    def discard(self, process: PlayerProcess) -> None:
        """End a process that cannot be used again."""
        with self._lock:
            self._all.discard(process)
        process.kill()
        self._fill(self._spare)

    def _fill(self, least: int) -> None:
        """Start processes until at least `least` are idle."""
        first = Rehearse() if self._rehearse else Load()
        with self._lock:
            while len(self._waiting) < least and not self._closed:
                process = PlayerProcess(self._name, self.log, first=first, memory=self._memory)
                self._all.add(process)
                self._waiting.append(process)
