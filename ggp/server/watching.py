"""Matches that are played elsewhere: followed at a `ggp host`, or read from an uploaded record."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp

from ggp.match.record import MatchRecord, RecordError, from_json, write_record
from ggp.server.files import Lineup
from ggp.server.game_client import GameClientError
from ggp.server.matches import LiveMatch, Matches

#: The largest record in bytes, the seconds that a host may take to send it, and the seconds between requests.
_LARGEST: Final = 32 << 20
_SECONDS: Final = 10.0
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
        """Store a record as a new match. Raises GameClientError if the record does not name the roles."""
        roles = record.roles
        players = record.player_names
        if not roles:
            raise GameClientError("the record does not name the roles (gameRoleNames)")
        title = record.game_name.replace("_", " ").capitalize()[:100] or "A match"
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
        match = self._matches.create(lineup)
        write_record(record, self._matches.files.record_file(match.id))
        match.watched(record)
        return match

    async def follow(self, url: str) -> LiveMatch:
        """Follow the match at an address of a `ggp host`. Raises GameClientError, RecordError."""
        if not _is_match(url):
            raise GameClientError("expected the address of a match: http://HOST:PORT/matches/ID")
        if len(self._tasks) >= _MOST:
            raise GameClientError("too many matches are being followed already")
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_SECONDS)) as session:
            record = await _fetch(session, url)
        if not record.rules:
            raise GameClientError("the host does not publish the rules of this match")
        match = self.kept(record, url)
        if not record.over:
            task = asyncio.create_task(self._follow(match, url))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return match

    async def close(self) -> None:
        """Stop following all matches."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _follow(self, match: LiveMatch, url: str) -> None:
        failures = 0
        seen = -1
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_SECONDS)) as session:
            while failures < _FAILURES:
                await asyncio.sleep(_PAUSE)
                try:
                    record = await _fetch(session, url)
                except (GameClientError, RecordError):
                    failures += 1
                    continue
                failures = 0
                if len(record.plies) != seen or record.over:
                    seen = len(record.plies)
                    await asyncio.to_thread(write_record, record, self._matches.files.record_file(match.id))
                    match.watched(record)
                if record.over:
                    return
        match.unreachable("the host of this match no longer answers")


def _is_match(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.path.startswith("/matches/")
    except ValueError:
        return False


async def _fetch(session: aiohttp.ClientSession, url: str) -> MatchRecord:
    """Request the record at an address. Raises GameClientError, RecordError."""
    try:
        async with session.get(url, allow_redirects=False) as response:
            if response.status != 200:
                raise GameClientError(f"{url} answered with HTTP status {response.status}")
            body = bytearray(await response.content.read(_LARGEST))
            while not response.content.at_eof() and len(body) < _LARGEST:
                body += await response.content.read(_LARGEST - len(body))
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        raise GameClientError(f"{url}: {error or 'no answer'}") from None
    return await asyncio.to_thread(_record, body, url)  # seconds for the largest ones, in which others are answered


def _record(body: bytearray, url: str) -> MatchRecord:
    try:
        fields: Any = json.loads(body)
    except (ValueError, RecursionError):
        raise GameClientError(f"the answer from {url} is not JSON") from None
    if not isinstance(fields, dict):
        raise GameClientError(f"the answer from {url} is not a record")
    return from_json(fields, url)
