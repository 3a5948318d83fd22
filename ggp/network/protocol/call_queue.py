"""A thread that makes calls one after another, for an event loop that must not wait for them."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar, cast

T = TypeVar("T")


class CallQueue:
    """Calls are made in their order. The thread is a daemon: a call that never ends holds up nothing but its queue."""

    def __init__(self, name: str) -> None:
        self._calls: queue.SimpleQueue[tuple[Future[object], Callable[[], object]] | None] = queue.SimpleQueue()
        threading.Thread(target=_work, args=(self._calls,), name=name, daemon=True).start()

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """The result, or the error, of a call that is made as soon as those before it are over."""
        future: Future[object] = Future()
        self._calls.put((future, call))
        return cast("Future[T]", future)

    def close(self) -> None:
        """No more calls will come: the thread ends after those that are there."""
        self._calls.put(None)


def _work(calls: queue.SimpleQueue[tuple[Future[object], Callable[[], object]] | None]) -> None:
    while (entry := calls.get()) is not None:
        future, call = entry
        if not future.set_running_or_notify_cancel():
            continue
        try:
            future.set_result(call())
        except BaseException as error:  # whoever waits is told
            future.set_exception(error)
