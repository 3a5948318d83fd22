"""A thread that makes calls one after another, so that an event loop need not block on them."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar, cast

T = TypeVar("T")


class CallQueue:
    """Makes calls in order, in a daemon thread: a call that never ends blocks nothing but its own queue."""

    def __init__(self, name: str) -> None:
        """Start the thread, which is called `name`."""
        self._calls: queue.SimpleQueue[tuple[Future[object], Callable[[], object]] | None] = queue.SimpleQueue()
        threading.Thread(target=_work, args=(self._calls,), name=name, daemon=True).start()

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Queue a call and return a future of its result or error."""
        future: Future[object] = Future()
        self._calls.put((future, call))
        return cast("Future[T]", future)

    def close(self) -> None:
        """Let the thread end after the queued calls."""
        self._calls.put(None)


def _work(calls: queue.SimpleQueue[tuple[Future[object], Callable[[], object]] | None]) -> None:
    while (entry := calls.get()) is not None:
        future, call = entry
        if not future.set_running_or_notify_cancel():
            continue
        try:
            future.set_result(call())
        except BaseException as error:  # passed on to the caller
            future.set_exception(error)
