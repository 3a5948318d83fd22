"""A budget for rules: whoever runs them longer than that at a time ends the process.

Rules can go on deriving for ever, and nothing stops a thread of Python from outside; but a process can be ended, and
the server has another one for every game.
"""

from __future__ import annotations

import os
import threading
import time
from types import TracebackType
from typing import Final

#: The exit status of a process that ran out of its budget.
EXHAUSTED: Final = 75


class Watchdog:
    """A lock under which rules are run, by one thread at a time, for at most so many seconds at a time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = threading.RLock()
        self._until: float | None = None
        self._depth = 0
        threading.Thread(target=self._watch, name="watchdog", daemon=True).start()

    def __enter__(self) -> None:
        self._lock.acquire()
        self._depth += 1
        if self._depth == 1:
            self._until = time.monotonic() + self._seconds

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
