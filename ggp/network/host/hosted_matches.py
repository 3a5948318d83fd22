"""The matches of a host that it tells about: those under way, the latest finished ones, and announcements."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, final

from ggp.match.record import MatchRecord
from ggp.network.host.feed import Feed


class HostedMatches:
    """Matches by their identifiers, for use from any thread."""

    def __init__(self, keep: int = 100) -> None:
        """Start without matches. Once matches end, only the last `keep` of them stay available."""
        self.keep = keep
        self._lock = threading.Lock()
        self._feeds: dict[str, Feed] = {}

    def open(self, record: MatchRecord, *, hidden: bool = False) -> Feed:
        """Add a match and return its feed, to which the caller publishes newer records.

        `hidden` says that the game has hidden information: spectators see the plies when the match is over.
        """
        feed = Feed(record, hidden=hidden)
        with self._lock:
            self._feeds[record.match_id] = feed
            over = [match_id for match_id, other in self._feeds.items() if other.over]
            for match_id in over[: max(0, len(over) - self.keep)]:
                del self._feeds[match_id]
        return feed

    def get(self, match_id: str) -> Feed | None:
        """Return the feed of a match, or None if the identifier is unknown."""
        with self._lock:
            return self._feeds.get(match_id)

    def feeds(self) -> tuple[Feed, ...]:
        """Return the feeds of all matches, newest first."""
        with self._lock:
            return tuple(reversed(self._feeds.values()))


@final
class Bulletin:
    """The newest announcement, as JSON fields. Any thread may publish and read.

    Every announcement has `title`, `total` (the number of matches), and `over`, which is true once no further match
    will be played. Those of several matches between the same players have their `means`. Those of tournaments also have
    some fields of `ggp tournament --json`, with names of `games` only; `round`, the round that is played; and
    `waiting`, the matches to come, each with its `game` and `players`.
    """

    def __init__(self, title: str, total: int = 1) -> None:
        """Announce that matches have yet to be played."""
        self._news: Mapping[str, Any] = MappingProxyType({"title": title, "total": total, "over": False})

    @property
    def news(self) -> Mapping[str, Any]:
        """The newest announcement."""
        return self._news

    def publish(self, **fields: Any) -> None:
        """Replace some fields of the announcement."""
        self._news = MappingProxyType({**self._news, **fields})
