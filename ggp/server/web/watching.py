"""Matches that are played elsewhere: followed at a `ggp host`, or read from an uploaded record."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from ggp.match.record import MatchRecord, RecordError, write_record
from ggp.network.host_client import HostError, fetch_record, find_match, parse_page, session
from ggp.network.pasted import HostPage
from ggp.rules.titles import title_of
from ggp.server.web.files import Lineup
from ggp.server.web.game_client import GameClientError
from ggp.server.web.live_match import LiveMatch
from ggp.server.web.matches import Matches

#: The seconds between requests for a record.
_PAUSE: Final = 1.0

#: The largest number of matches that are followed at a time.
_MOST: Final = 20

#: Consecutive failures after which a match is no longer followed.
_FAILURES: Final = 5


class Watching:
    """Follows matches of hosts and stores their records."""

    def __init__(self, matches: Matches) -> None:
        """Follow no match yet."""
        self._matches = matches
        self._tasks: set[asyncio.Task[None]] = set()

    def kept(self, record: MatchRecord, source: str) -> LiveMatch:
        """Store a record as a new match. Raises GameClientError if the record names no roles, FullError."""
        roles = record.roles
        players = record.player_names
        if not roles:
            raise GameClientError("the record does not name the roles (gameRoleNames)")
        title = title_of(record.game_name)[:100] or "A match"
        names = dict(zip(roles, players, strict=True))
        # A match with a source is never continued here, so an uploaded record needs one, too.
        lineup = Lineup(
            (record.game_name or "match")[:100],
            title,
            record.rules,
            "",
            names,
            {"start_clock": record.start_clock, "play_clock": record.play_clock, "seed": record.seed},
            time.time(),
            source or "a record",
        )
        return self._matches.create(lineup, record=record)

    async def follow(self, address: str) -> LiveMatch:
        """Follow a match of a `ggp host`, by the address of any of its pages. Raises HostError, RecordError.

        An address that names no match stands for the newest one under way.
        """
        page = parse_page(address)
        if len(self._tasks) >= _MOST:
            raise GameClientError("too many matches are being followed already")
        async with session() as requests:
            page = await find_match(requests, page)
            record = await fetch_record(requests, page)
        if not record.rules:
            raise GameClientError("the host does not publish the rules of this match")
        match = self.kept(record, page.record())
        if not record.over:
            task = asyncio.create_task(self._follow(match, page))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return match

    async def close(self) -> None:
        """Stop following all matches."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _follow(self, match: LiveMatch, page: HostPage) -> None:
        failures = 0
        seen = -1
        async with session() as requests:
            while failures < _FAILURES:
                await asyncio.sleep(_PAUSE)
                try:
                    record = await fetch_record(requests, page)
                except (HostError, RecordError):
                    failures += 1
                    continue
                failures = 0
                if len(record.plies) != seen or record.over:
                    seen = len(record.plies)
                    try:
                        await asyncio.to_thread(write_record, record, self._matches.files.record_file(match.id))
                    except RecordError as error:
                        match.unreachable(f"the record cannot be stored: {error}")
                        return
                    match.watched(record)
                if record.over:
                    return
        match.unreachable("the host of this match no longer answers")
