"""A match as it can be followed while it is played."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress

from ggp.match.record import MatchRecord


class Feed:
    """The newest record of a match, and word whenever there is a newer one. For any thread and any event loop.

    Nothing is kept for followers: they look at the record, in which every ply is, and remember how far they have seen.
    One who is slow finds several plies there at once, and costs the match nothing.
    """

    def __init__(self, record: MatchRecord) -> None:
        self._record = record
        self._lock = threading.Lock()
        self._listeners: dict[object, Callable[[], object]] = {}

    @property
    def record(self) -> MatchRecord:
        return self._record

    @property
    def over(self) -> bool:
        return self._record.over

    def publish(self, record: MatchRecord) -> None:
        """There is a newer record. Never waits for those who listen."""
        with self._lock:
            self._record = record
            listeners = list(self._listeners.values())
        for heard in listeners:
            with suppress(RuntimeError):  # an event loop that has ended meanwhile
                heard()

    def listen(self, heard: Callable[[], object]) -> Callable[[], None]:
        """Have something called whenever there is a newer record, in the thread of the match: it must return at once.

        Gives what ends that.
        """
        key = object()
        with self._lock:
            self._listeners[key] = heard

        def stop() -> None:
            with self._lock:
                self._listeners.pop(key, None)

        return stop

    def wait(self, than: MatchRecord | None, seconds: float | None = None) -> MatchRecord:
        """The record as soon as it is not this one any more, for threads. Raises TimeoutError."""
        news = threading.Event()
        stop = self.listen(news.set)
        try:
            if self._record is than and not news.wait(seconds):
                raise TimeoutError
            return self._record
        finally:
            stop()

    async def newer(self, than: MatchRecord | None) -> MatchRecord:
        """The record as soon as it is not this one any more, for event loops. May be cancelled."""
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
        """The record now, and again whenever there is a newer one, until the match is over.

        Those that came while nobody asked are left out: the next one has their plies, too.
        """
        record = None
        while record is None or not record.over:
            record = await self.newer(record)
            yield record
