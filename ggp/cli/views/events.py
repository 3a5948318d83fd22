"""Events of matches elsewhere, line by line on the screen."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Final

from ggp.cli.screen import line, screen
from ggp.cli.views.match import WARNING
from ggp.network.protocol.joined import Event

#: Maximum number of lines waiting to be shown; further events are dropped.
MOST: Final = 10_000

#: Seconds to wait at the end for the remaining lines to be shown.
CLOSING: Final = 1.0


class EventView:
    """A view that prints events in a separate thread, so that a halted terminal or an unread pipe delays no match."""

    def __init__(self, failed: Callable[[OSError], None]) -> None:
        """Start the thread; it calls `failed` when the output can no longer be written."""
        self._failed = failed
        self._events: queue.Queue[tuple[datetime, Event] | None] = queue.Queue(MOST)
        self._thread = threading.Thread(target=self._run, name="screen", daemon=True)
        self._thread.start()

    def show(self, event: Event) -> None:
        """Queue an event to be shown. Never blocks; may be called from any thread."""
        self._put((datetime.now(), event))

    def close(self) -> None:
        """Wait briefly for the remaining events to be shown."""
        self._put(None)
        self._thread.join(CLOSING)

    def _put(self, entry: tuple[datetime, Event] | None) -> None:
        with suppress(queue.Full):
            self._events.put_nowait(entry)

    def _run(self) -> None:
        try:
            while (entry := self._events.get()) is not None:
                when, event = entry
                match = f"{event.match_id}  " if event.match_id else ""
                line(screen(), (f"{when:%H:%M:%S}  {match}", "dim"), (event.text, WARNING if event.warning else ""))
                sys.stdout.flush()
        except OSError as error:
            self._failed(error)
