"""Waiting that Ctrl-C always ends."""

from __future__ import annotations

import queue
from collections.abc import Callable
from math import inf
from time import monotonic
from typing import Final, TypeVar

T = TypeVar("T")

#: The longest single wait, in seconds. A signal that arrives just before a wait begins is handled only when it ends.
_GLANCE: Final = 0.1


class StoppedError(Exception):
    """Nobody waits any longer."""


def take(entries: queue.SimpleQueue[T], until: float = inf, stopped: Callable[[], bool] = lambda: False) -> T:
    """Return the next entry of a queue.

    Raises queue.Empty at `until`, a time of `time.monotonic()`, and StoppedError soon after `stopped` returns True.
    """
    while True:
        if stopped():
            raise StoppedError
        left = until - monotonic()
        try:
            return entries.get(timeout=max(0.0, min(_GLANCE, left)))
        except queue.Empty:
            if left <= _GLANCE:
                raise
