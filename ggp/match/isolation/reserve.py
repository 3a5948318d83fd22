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
    """Processes for matches, which are used again for later matches. A context manager that ends them all.

    Work that a match leaves behind in its process, such as a game that is still being compiled, continues: the next
    match may need it. With `tidy`, a process with such work is ended instead.
    """

    def __init__(
        self,
        name: str,
        *,
        rehearse: bool = True,
        tidy: bool = False,
        memory: int | None = None,
        log: PlayerLog | None = None,
    ) -> None:
        """Start the first process with the player `name`; others start when there are several matches at a time.

        With `rehearse`, each of them plays some plies, so that all code is loaded. `memory` is the limit of each
        process in bytes. Its output goes to `log`, by default a new one in a temporary folder.
        """
        self._name = name
        self._rehearse = rehearse
        self.tidy = tidy
        self._memory = memory
        self.log = log or PlayerLog(name, LogFolder())
        self._lock = threading.Lock()
        self._waiting: list[PlayerProcess] = []
        self._all: set[PlayerProcess] = set()
        self._closed = False
        with self._lock:
            self._fill()

    def __enter__(self) -> Reserve:
        """Return the reserve."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all processes."""
        self.close()

    def close(self) -> None:
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
        with self._lock:
            self._fill()
            if not self._waiting:
                raise DiedError("the reserve of processes is closed")
            return self._waiting.pop(0)

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

    def _fill(self) -> None:
        """Start a process unless one is idle. Called with the lock held."""
        if not self._waiting and not self._closed:
            first = Rehearse() if self._rehearse else Load()
            process = PlayerProcess(self._name, self.log, first=first, memory=self._memory)
            self._all.add(process)
            self._waiting.append(process)
