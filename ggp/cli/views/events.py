"""What happens in matches elsewhere, line by line on the screen."""

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

#: Lines that wait to be shown; what happens beyond that is not shown.
MOST: Final = 10_000

#: Seconds that are waited at the end for lines to be shown.
CLOSING: Final = 1.0


class EventView:
    """Shows events in a thread of its own: a terminal that is halted, a pipe that nobody reads holds up no match."""

    def __init__(self, failed: Callable[[OSError], None]) -> None:
        """`failed` is called, by that thread, where the output cannot be written any more."""
        self._failed = failed
        self._events: queue.Queue[tuple[datetime, Event] | None] = queue.Queue(MOST)
        self._thread = threading.Thread(target=self._run, name="screen", daemon=True)
        self._thread.start()

    def show(self, event: Event) -> None:
        """Show an event some time soon. Never waits; may be called by any thread."""
        self._put((datetime.now(), event))

    def close(self) -> None:
        """Wait for what is still to be shown, but not for long."""
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
