"""A lock between processes that would do the same work: one of them does it, and the others find its result."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

#: Seconds between two looks at a lock that another process holds.
_GLANCE: Final = 0.1


@contextmanager
def locked(path: Path, patience: float, waiting: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Hold the lock of a file or folder until the context is left or this process ends.

    If another process holds it, call `waiting` once, and wait for up to `patience` seconds. After that, and where
    nothing can be locked, the context is entered without the lock: the same work is then done twice, which does no
    harm.
    """
    file = None
    with suppress(OSError):
        file = os.open(path, os.O_RDONLY)
    try:
        if file is not None:
            _lock(file, patience, waiting)
        yield
    finally:
        if file is not None:
            os.close(file)  # which unlocks it


def _lock(file: int, patience: float, waiting: Callable[[], object]) -> None:
    with suppress(ImportError, OSError):  # Windows has no `fcntl`, and not every file system has locks
        import fcntl

        until = time.monotonic() + patience
        told = False
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() >= until:
                    return
            if not told:
                told = True
                waiting()
            time.sleep(_GLANCE)
