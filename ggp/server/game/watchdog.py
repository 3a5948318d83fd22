"""A time limit for rules, enforced by ending the process.

Rules may derive facts forever, and a Python thread cannot be stopped from outside. A process can be ended, and each
game has a process of its own.
"""

from __future__ import annotations

import os
import threading
import time
from types import TracebackType

from ggp.server.messages import EXHAUSTED


class Watchdog:
    """A lock that one thread at a time holds to run rules. Holding it for too long ends the process."""

    def __init__(self, seconds: float) -> None:
        """Allow the lock to be held for `seconds` at a time."""
        self._seconds = seconds
        self._lock = threading.RLock()
        self._until: float | None = None
        self._depth = 0
        threading.Thread(target=self._watch, name="watchdog", daemon=True).start()

    def __enter__(self) -> None:
        """Acquire the lock and start the clock; nested calls do not restart it."""
        self._lock.acquire()
        self._depth += 1
        if self._depth == 1:
            self._until = time.monotonic() + self._seconds

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release the lock."""
        self._depth -= 1
        if self._depth == 0:
            self._until = None
        self._lock.release()

    def _watch(self) -> None:
        while True:
            time.sleep(min(0.25, self._seconds / 4))
            until = self._until
            if until is not None and time.monotonic() > until:
                os._exit(EXHAUSTED)
