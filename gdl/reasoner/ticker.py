"""A thread that asks for checks at intervals, as long as anybody carries them out."""

from __future__ import annotations

import os
import threading
import time
from typing import Final, Protocol, final
from weakref import WeakSet

#: The name of the thread.
THREAD: Final = "derivation ticker"

#: Seconds between two checks.
TICK: Final = 0.05

#: The number of ticks after which a meter that has not been checked is left alone; its next check calls for more.
PATIENCE: Final = 20


class _Checked(Protocol):
    """An object with checks to carry out. It makes `due` False with each of them."""

    @property
    def due(self) -> bool: ...

    def set_due(self, due: bool) -> None: ...


@final
class Ticker:
    """Makes checks of the objects that it serves due. Its thread runs only while checks are carried out."""

    def __init__(self) -> None:
        """Serve nobody yet."""
        self._served: WeakSet[_Checked] = WeakSet()
        self._lock = threading.Lock()
        self._running = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._restart)

    def serve(self, checked: _Checked) -> None:
        """Make checks of an object due at intervals, until it no longer carries them out."""
        if self._running and checked in self._served:
            return
        with self._lock:
            self._served.add(checked)
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, name=THREAD, daemon=True).start()

    def _run(self) -> None:
        idle = 0
        while True:
            time.sleep(TICK)
            with self._lock:
                waiting = [checked for checked in self._served if not checked.due]
                for checked in waiting:
                    checked.set_due(True)
                idle = 0 if waiting else idle + 1
                if idle > PATIENCE:
                    self._served.clear()
                    self._running = False
                    return

    def _restart(self) -> None:
        """Forget the thread, which does not exist in a forked process, and make all checks due."""
        self._lock = threading.Lock()
        self._running = False
        for checked in list(self._served):
            checked.set_due(True)
