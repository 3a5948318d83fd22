"""Plays matches side by side, each in a thread of its own."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from types import TracebackType

from ggp.match.match import Match
from ggp.match.record import MatchRecord
from ggp.match.recording import play_recorded
from ggp.network.host.hall import Hall


class Monitor:
    """Plays what it is given, and lets it be followed in a hall. A context manager, or ended by `close`.

    Matches that are played here should share `deriving`: one at a time asks its game, and the others leave the
    processor to the messages. What goes wrong in one match leaves the others alone.
    """

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.deriving = threading.Lock()
        self._closing = threading.Event()
        self._running: set[threading.Thread] = set()

    def __enter__(self) -> Monitor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def play(self, match: Match, file: Path | None = None) -> Future[MatchRecord]:
        """Begin to play a match, and keep its record in a file. The future has the record once it is over.

        It raises what ended the match otherwise: RecordError where the file cannot be written.
        """
        if self._closing.is_set():
            raise RuntimeError("the monitor is closed")
        future: Future[MatchRecord] = Future()
        thread = threading.Thread(
            target=self._play, args=(match, file, future), name=match.record.match_id, daemon=True
        )
        self._running.add(thread)
        thread.start()
        return future

    def close(self) -> None:
        """End all matches after their ply under way, as aborted, and wait for them."""
        self._closing.set()
        for thread in list(self._running):
            thread.join()

    def _play(self, match: Match, file: Path | None, future: Future[MatchRecord]) -> None:
        feed = self.hall.open(match.record)
        try:
            with closing(play_recorded(match, file, feed.publish)) as plies:
                for _ in plies:
                    if self._closing.is_set():
                        break
            # Not before the match is closed, and its record complete.
            future.set_result(match.record)
        except BaseException as error:
            future.set_exception(error)
        finally:
            self._running.discard(threading.current_thread())
