"""The matches of a process, those under way and the last that are over."""

from __future__ import annotations

import threading

from ggp.match.record import MatchRecord
from ggp.network.host.feed import Feed


class Hall:
    """Finds matches by their identifiers. For any thread. Of those that are over, the last `keep` are kept."""

    def __init__(self, keep: int = 100) -> None:
        self._keep = keep
        self._lock = threading.Lock()
        self._feeds: dict[str, Feed] = {}

    def open(self, record: MatchRecord) -> Feed:
        """Let a match be followed: whoever plays it publishes to the feed that this gives."""
        feed = Feed(record)
        with self._lock:
            self._feeds[record.match_id] = feed
            over = [match_id for match_id, other in self._feeds.items() if other.over]
            for match_id in over[: max(0, len(over) - self._keep)]:
                del self._feeds[match_id]
        return feed

    def get(self, match_id: str) -> Feed | None:
        """The match of that identifier, if there is one."""
        with self._lock:
            return self._feeds.get(match_id)

    def feeds(self) -> tuple[Feed, ...]:
        """All matches, the newest first."""
        with self._lock:
            return tuple(reversed(self._feeds.values()))
