"""What a host announces about its matches as a whole, such as their number, standings, and matches to come."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, final


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
