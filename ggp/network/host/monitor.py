"""Play matches side by side, each in a thread of its own."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Final

from gdl.engine import hides_states
from ggp.match.match import Match
from ggp.match.record import MatchRecord
from ggp.match.recorded_play import play_recorded
from ggp.network.host.hosted_matches import HostedMatches

#: Seconds in which matches end: players have one of them for their farewell.
_CLOSING: Final = 2.0


class Monitor:
    """Plays matches and lets spectators follow them. Use it as a context manager, or call `close`.

    The matches should share `deriving`, a lock: then only one match at a time runs its game's rules, and the processor
    stays free for messages. An error in one match does not affect the others.
    """

    def __init__(self, hosted: HostedMatches) -> None:
        """Add each match that is played to `hosted`."""
        self.hosted = hosted
        self.deriving = threading.Lock()
        self._closing = threading.Event()
        self._running: dict[threading.Thread, Match] = {}

    def __enter__(self) -> Monitor:
        """Return the monitor."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Abort the matches under way and wait for them."""
        self.close()

    def play(self, match: Match, file: Path | None = None) -> Future[MatchRecord]:
        """Start a match, and keep its record in a file. The future holds the record once the match is over.

        If the match fails, the future raises its error, such as RecordError for an unwritable file.
        """
        if self._closing.is_set():
            raise RuntimeError("the monitor is closed")
        future: Future[MatchRecord] = Future()
        thread = threading.Thread(
            target=self._play, args=(match, file, future), name=match.record.match_id, daemon=True
        )
        self._running[thread] = match
        thread.start()
        return future

    def close(self) -> None:
        """Abort all matches, and wait for them, but not for players without clocks: these cannot be interrupted."""
        self._closing.set()
        running = list(self._running.items())
        for _, match in running:
            match.break_off()
        until = time.monotonic() + _CLOSING
        for thread, _ in running:
            thread.join(max(0.0, until - time.monotonic()))

    def _play(self, match: Match, file: Path | None, future: Future[MatchRecord]) -> None:
        try:
            feed = self.hosted.open(match.record, hidden=hides_states(match.game))
            with closing(play_recorded(match, file, feed.publish)) as plies:
                for _ in plies:
                    pass
            # Only now is the match closed and its record complete.
            future.set_result(match.record)
        except BaseException as error:
            future.set_exception(error)
        finally:
            self._running.pop(threading.current_thread(), None)
