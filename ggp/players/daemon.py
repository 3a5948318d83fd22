"""Daemon threads that leave machine code before the interpreter ends.

Python ends as if there were no daemon threads. One that is in machine code then, such as a matrix product, goes on
while the libraries under it are taken down, and the process may crash or hang. So these threads are interrupted first.
The `ggp` command and child processes end at once, without taking anything down, and need no such care.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from ctypes import c_ulong, py_object, pythonapi
from typing import Final, final

#: The longest time, in seconds, that the end of the interpreter waits for all threads. Few calls of machine code take
#: longer. A thread that waits for something, such as a player that hangs, cannot be interrupted.
PATIENCE: Final = 0.25


@final
class InterpreterEnding(BaseException):
    """Raised in a daemon thread when the interpreter ends."""


@final
class DaemonThread(threading.Thread):
    """A daemon thread in which `InterpreterEnding` is raised when the interpreter ends."""

    def __init__(self, target: Callable[..., None], *arguments: object, name: str) -> None:
        """Prepare a thread that calls `target`."""
        super().__init__(target=target, args=arguments, name=name, daemon=True)

    def run(self) -> None:
        """Call `target`."""
        with suppress(InterpreterEnding):
            super().run()


@atexit.register
def _interrupt() -> None:
    """Interrupt all daemon threads, and wait for them to end, but no longer than `PATIENCE`."""
    threads = [thread for thread in threading.enumerate() if isinstance(thread, DaemonThread)]
    for thread in threads:
        assert thread.ident is not None
        pythonapi.PyThreadState_SetAsyncExc(c_ulong(thread.ident), py_object(InterpreterEnding))
    until = time.monotonic() + PATIENCE
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
