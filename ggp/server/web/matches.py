"""The matches of a server: those in memory, and a limit to their processes."""

from __future__ import annotations

import secrets
import time
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

from ggp.match.record import MatchRecord
from ggp.server.messages import Json
from ggp.server.web.files import Lineup, MatchFiles
from ggp.server.web.game_client import GameClientError, GameClients
from ggp.server.web.live_match import Learned, LiveMatch, plain_name

#: The largest number of game processes; the least recently used idle one is ended first.
WORKERS: Final = 12

#: The largest number of matches of one visitor in which programs think at the same time.
_PER_VISITOR: Final = 8

#: The number of matches kept in memory for the next request. Others stay only while something uses them: a process, an
#: event stream, a request.
_RECENT: Final = 100

#: Seconds without use after which the process of a match that waits for people, or is over, may be ended.
_IDLE: Final = 600.0


class BusyError(GameClientError):
    """Too many matches are under way."""


def identifier_of(game: str, ending: str) -> str:
    """Return the identifier of a match of a game. `ending` has lower-case letters, digits and hyphens."""
    words = "".join(c if c.isalnum() and c.isascii() else "-" for c in plain_name(game).lower())[:40].strip("-")
    return f"{words or 'match'}-{ending}"


def _no_file(game: str) -> Path | None:  # noqa: ARG001
    return None


class Matches:
    """All matches in a folder.

    Those that are in use, or were recently, are in memory. At most `workers` of them have a process.
    """

    def __init__(
        self, files: MatchFiles, clients: GameClients, workers: int = WORKERS, learned: Learned = _no_file
    ) -> None:
        """Load no match yet. `learned` finds the files of learned values of games."""
        self.files = files
        self._clients = clients
        self._workers = workers
        self._learned = learned
        self._live: WeakValueDictionary[str, LiveMatch] = WeakValueDictionary()
        self._recent: dict[str, LiveMatch] = {}

    def create(self, lineup: Lineup, ending: str = "", record: MatchRecord | None = None) -> LiveMatch:
        """Create a match, of which there may be a record. Its identifier has this ending, or a random one.

        Raises FullError, RecordError, OSError.
        """
        match = identifier_of(lineup.game, ending or secrets.token_hex(4))
        self.files.create(match, lineup, record)
        return self.get(match)

    def discard(self, match: LiveMatch) -> None:
        """Delete a match, and its files. Raises OSError."""
        match.close()
        self._recent.pop(match.id, None)
        self._live.pop(match.id, None)
        self.files.remove(match.id)

    def get(self, match: str) -> LiveMatch:
        """Return a match by its identifier. Raises FilesError, RecordError."""
        found = self._live.get(match)
        if found is None:
            found = self._live[match] = LiveMatch(match, self.files, self._clients, self._learned)
        self._recent.pop(match, None)
        self._recent[match] = found  # the last one is the most recent
        if len(self._recent) > _RECENT:
            del self._recent[next(iter(self._recent))]
        return found

    def listed(self, most: int = 60) -> list[Json]:
        """Return summaries of the newest matches, without those whose files cannot be read."""
        found = []
        for match in self.files.identifiers()[:most]:
            try:
                found.append(self.get(match).in_short())
            except Exception:  # noqa: S112 - one damaged match must not hide the others; it is reported when opened
                continue
        return sorted(found, key=lambda entry: -entry["created"])

    def make_room(self, wanted: LiveMatch | None = None, visitor: str = "") -> None:
        """Make room for the process of a match, by default a new one of a visitor, by ending idle ones.

        Raises BusyError if programs play in too many matches, all together or of this visitor.
        """
        if wanted is not None and wanted.has_worker:
            return
        now = time.monotonic()
        working = [live for live in self._live.values() if live.has_worker]
        if visitor and sum(live.busy and live.visitor == visitor for live in working) >= _PER_VISITOR:
            raise BusyError(f"programs play in {_PER_VISITOR} of your matches at the moment; end one of them")
        idle = sorted((live for live in working if not live.busy), key=lambda live: live.used)
        for live in idle:
            if now - live.used > _IDLE or len(working) >= self._workers:
                live.close()
                working.remove(live)
        if len(working) >= self._workers:
            raise BusyError("too many matches are being played at the moment")
