"""Work done in a thread, so that no clock is missed over it.

work = Background(make_search, "preparation")
search = work.result(deadline)   # None if it is not ready in time
...
search = work.ready()            # later, at a move: at once, None if it is still not ready
work.reason                      # why there is none: one line, "" while there may still be one
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from typing import Final, Generic, TypeVar, final

from ggp.players.clock import NEVER, Deadline
from ggp.rules.engine_choice import FAILURES, one_line

T = TypeVar("T")

#: Seconds before the deadline in which waiting ends: what the caller still has to do needs some of them.
MARGIN: Final = 0.03

#: Seconds that are waited at a time.
_PATIENCE: Final = 0.1

#: While such work is done, threads take turns after so many seconds. (Python's default is 5 ms. Numba and LLVM give the
#: interpreter's lock away so often that they would take six times as long beside a player that thinks.)
_TURN: Final = 1e-4


@final
class Background(Generic[T]):
    """Work done in a daemon thread: its result once there is one, or the reason why there is none.

    An error of the project's own (`GdlError`) or a lack of memory becomes the reason. Any other is a mistake of the
    work itself, and is raised where the result is asked for.
    """

    def __init__(self, work: Callable[[], T], name: str) -> None:
        self._work = work
        self._done = threading.Event()
        self._result: T | None = None
        self._error: BaseException | None = None
        #: Why there is no result, in one line; empty as long as there may be one.
        self.reason = ""
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def ready(self) -> T | None:
        """The result if it is there; never waits."""
        if not self._done.is_set():
            return None
        if self._error is not None:
            raise self._error
        return self._result

    def result(self, deadline: Deadline = NEVER, margin: float = MARGIN) -> T | None:
        """The result, if it comes by so many seconds before the deadline; waits for it, but no longer."""
        left = deadline.left() - margin
        # A long wait would hear neither Ctrl-C, nor that the deadline is called off.
        while not self._done.wait(max(0.0, min(left, _PATIENCE))):
            left = deadline.left() - margin
            if left <= 0:
                return None
        return self.ready()

    @property
    def over(self) -> bool:
        """Whether the work has ended, with a result or without."""
        return self._done.is_set()

    def _run(self) -> None:
        try:
            with _beside_others:
                self._result = self._work()
        except FAILURES as error:
            self.reason = one_line(error)
        except BaseException as error:  # raised where the result is asked for
            self.reason = one_line(error)
            self._error = error
        finally:
            self._done.set()


@final
class _BesideOthers:
    """As long as somebody is inside, threads take short turns, and none waits for Python to look for cycles.

    That takes up to 0.2 s where a circuit has many parts: too long for a move. Whatever is there stays until later.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._usual = 0.0, True

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._usual = sys.getswitchinterval(), gc.isenabled()
                sys.setswitchinterval(min(_TURN, self._usual[0]))
                gc.disable()
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                sys.setswitchinterval(self._usual[0])
                if self._usual[1]:
                    gc.enable()


_beside_others: Final = _BesideOthers()
