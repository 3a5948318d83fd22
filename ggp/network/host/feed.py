"""A match that can be followed while it is played."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress

from ggp.match.record import MatchRecord, Result


class Feed:
    """The newest record of a match, with notification of newer ones. For any thread and any event loop.

    Nothing is queued for followers: the record holds every ply, and each follower remembers how many plies it has
    seen. A slow follower finds several new plies at once, and never delays the match.
    """

    def __init__(self, record: MatchRecord, *, hidden: bool = False) -> None:
        """Start with the record of a match that begins or goes on; `hidden` if roles do not see everything."""
        self._record = record
        self._hidden = hidden
        self._lock = threading.Lock()
        self._listeners: dict[object, Callable[[], object]] = {}

    @property
    def record(self) -> MatchRecord:
        """The newest record."""
        return self._record

    def public(self, record: MatchRecord) -> MatchRecord:
        """Return one of the records of this match as spectators may see it, who may know the players.

        In a game with hidden information, the plies are not public before the end. An aborted match has none yet: it
        may be resumed.
        """
        ended = record.over and record.result is not Result.ABORTED
        return record if ended or not self._hidden else record.concealed()

    @property
    def over(self) -> bool:
        """True once the match is over."""
        return self._record.over

    def publish(self, record: MatchRecord) -> None:
        """Replace the record and notify the listeners, without waiting for any of them."""
        with self._lock:
            self._record = record
            listeners = list(self._listeners.values())
        for heard in listeners:
            with suppress(RuntimeError):  # the listener's event loop has been closed
                heard()

    def listen(self, heard: Callable[[], object]) -> Callable[[], None]:
        """Call `heard` in the match's thread whenever there is a newer record; it must return at once.

        Returns a function that ends the subscription.
        """
        key = object()
        with self._lock:
            self._listeners[key] = heard

        def stop() -> None:
            with self._lock:
                self._listeners.pop(key, None)

        return stop

    def wait(self, than: MatchRecord | None, seconds: float | None = None) -> MatchRecord:
        """Block until the record is no longer `than`, and return it. Raises TimeoutError after `seconds`."""
        news = threading.Event()
        stop = self.listen(news.set)
        try:
            if self._record is than and not news.wait(seconds):
                raise TimeoutError
            return self._record
        finally:
            stop()

    async def newer(self, than: MatchRecord | None) -> MatchRecord:
        """Wait in an event loop until the record is no longer `than`, and return it. May be cancelled."""
        loop = asyncio.get_running_loop()
        news = asyncio.Event()
        stop = self.listen(lambda: loop.call_soon_threadsafe(news.set))
        try:
            while self._record is than:
                await news.wait()
                news.clear()
            return self._record
        finally:
            stop()

    async def records(self) -> AsyncGenerator[MatchRecord]:
        """Yield the current record, then each newer one until the match is over.

        Records published while the consumer is busy are skipped: the next one contains their plies, too.
        """
        record = None
        while record is None or not record.over:
            record = await self.newer(record)
            yield record
