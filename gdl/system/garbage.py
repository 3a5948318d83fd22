"""Pause Python's collection of cyclic garbage."""

from __future__ import annotations

import gc
import threading
from typing import Final, final


@final
class _Pause:
    """A context in which cyclic garbage is not collected. Several threads may be in it at the same time.

    It is for work that makes very many objects and hardly any cycles: collections look at all of them again and again,
    and other threads wait meanwhile. Cycles are collected later. If collection is off already, it stays off.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._usual = True

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._usual = gc.isenabled()
                gc.disable()
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside and self._usual:
                gc.enable()


collection_paused: Final = _Pause()
