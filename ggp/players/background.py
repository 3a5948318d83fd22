"""Work done in a background thread, so that no deadline is missed because of it.

work = Background(make_search, "preparation")
search = work.result(deadline)   # None if it is not ready in time
...
search = work.ready()            # later, without waiting: None if it is still not ready
work.reason                      # why the work failed, in one line; "" if it has not failed
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Final, Generic, TypeVar, final

from gdl.system.garbage import collection_paused
from ggp.players.clock import NEVER, Deadline
from ggp.players.daemon import DaemonThread
from ggp.rules.engine_choice import FAILURES, one_line

T = TypeVar("T")

#: Waiting ends this many seconds before the deadline, so that the caller has time for its remaining work.
MARGIN: Final = 0.03

#: The longest single wait, in seconds.
_PATIENCE: Final = 0.1

#: The switch interval of threads, in seconds, while work is under way. Python's default is 5 ms. Numba and LLVM release
#: the interpreter lock so often that, with the default, they would take six times as long beside a thinking player.
_TURN: Final = 1e-4


@final
class Background(Generic[T]):
    """Work done in a daemon thread: its result when it succeeds, the reason when it fails.

    A `GdlError` or a lack of memory becomes the reason. Any other exception is a bug in the work, and is raised again
    by `ready` and `result`.
    """

    def __init__(self, work: Callable[[], T], name: str) -> None:
        """Start the work in a thread of this name."""
        self._work = work
        self._done = threading.Event()
        self._result: T | None = None
        self._error: BaseException | None = None
        #: Why the work failed, in one line; empty if it has not failed.
        self.reason = ""
        DaemonThread(self._run, name=name).start()

    def ready(self) -> T | None:
        """Return the result, or None if the work has not finished or has failed; never wait."""
        if not self._done.is_set():
            return None
        if self._error is not None:
            raise self._error
        return self._result

    def result(self, deadline: Deadline = NEVER, margin: float = MARGIN) -> T | None:
        """Wait for the result until `margin` seconds before the deadline, and return it, or None if there is none."""
        left = deadline.left() - margin
        # During one long wait, neither Ctrl-C nor a deadline that is called off would be noticed.
        while not self._done.wait(max(0.0, min(left, _PATIENCE))):
            left = deadline.left() - margin
            if left <= 0:
                return None
        return self.ready()

    @property
    def over(self) -> bool:
        """True once the work has ended, with or without a result."""
        return self._done.is_set()

    def _run(self) -> None:
        try:
            # A collection takes up to 0.2 s while a circuit has many parts, which is too long during a move.
            with _short_turns, collection_paused:
                self._result = self._work()
        except FAILURES as error:
            self.reason = one_line(error)
        except BaseException as error:  # raised again by ready() and result()
            self.reason = one_line(error)
            self._error = error
        finally:
            self._done.set()


@final
class _ShortTurns:
    """A context in which threads take short turns. Several threads may be in the context at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._usual = 0.0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._usual = sys.getswitchinterval()
                sys.setswitchinterval(min(_TURN, self._usual))
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                sys.setswitchinterval(self._usual)


_short_turns: Final = _ShortTurns()
