"""Threads that help with a search, and end with it.

helpers = Helpers("mcts")
helpers.begin([work, work])      # each looks at `helpers.ended` again and again
...                              # the caller's own part of the work
helpers.end(deadline.left())     # waits, but not beyond the deadline
...
helpers.wait()                   # before anything that they work on is changed
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import final

from ggp.players.daemon import DaemonThread, InterpreterEnding


@final
class Helpers:
    """Threads that do the same work as the caller. Use it from one thread."""

    def __init__(self, name: str) -> None:
        """Name the threads; there are none yet."""
        self._name = name
        self._threads: list[DaemonThread] = []
        self._errors: list[BaseException] = []
        #: Set when all are to end: at the end of the caller's part, or because one has failed or found what is wanted.
        self.ended = threading.Event()

    def begin(self, works: Sequence[Callable[[], None]]) -> None:
        """Start a thread for each part of the work, once those of the last work have ended."""
        self.wait()
        self.ended.clear()
        for work in works:
            thread = DaemonThread(partial(self._run, work), name=self._name)
            thread.start()
            self._threads.append(thread)

    def end(self, left: float) -> None:
        """Let all threads end, and wait for them, but no longer than `left` seconds: a busy core may delay them.

        Raises what one of them has raised.
        """
        self.ended.set()
        until = time.monotonic() + max(0.0, left)
        for thread in self._threads:
            thread.join(min(threading.TIMEOUT_MAX, max(0.0, until - time.monotonic())))
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        if self._errors:
            raise self._errors.pop()

    def wait(self) -> None:
        """Wait until all threads have ended. Raises what one of them has raised."""
        if self._threads or self._errors:
            self.end(threading.TIMEOUT_MAX)

    def _run(self, work: Callable[[], None]) -> None:
        try:
            work()
        except InterpreterEnding:
            raise
        except BaseException as error:  # raised again in the caller's thread
            self._errors.append(error)
            self.ended.set()
