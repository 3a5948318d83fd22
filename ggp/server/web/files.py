"""The files of a server's matches: the record, the line-up, the programs' thoughts and the evaluations of each."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from gdl.errors import GdlError
from gdl.system.files import RECORDS, read_input, write_whole
from ggp.match.record import MatchRecord, read_record, write_record
from ggp.server.messages import Json

#: Valid identifiers of matches, which can never be paths.
_IDENTIFIER: Final = re.compile(r"[a-z0-9-]{6,64}")


#: The bytes of all matches after which no further one is kept.
ROOM: Final = 1 << 30

#: What rules need in order to hide something.
_SEES: Final = re.compile("sees", re.IGNORECASE)


class FilesError(GdlError):
    """A match cannot be found or read."""

    code = "match-files"


class FullError(GdlError):
    """A visitor, or all together, may not make the server keep more."""

    code = "full"


@dataclass(frozen=True, slots=True)
class Lineup:
    """The line-up of a match, with its game and settings.

    `players` maps roles to names, and `seats` those roles that only their players can move to secrets. `source` is the
    origin of a match that is only watched, else empty. `hidden` says that roles do not see everything (`sees` rules).
    """

    game: str
    title: str
    rules: str
    wishes: str
    players: Mapping[str, str]
    settings: Mapping[str, Any] = field(default_factory=dict)
    created: float = 0.0
    source: str = ""
    seats: Mapping[str, str] = field(default_factory=dict)
    hidden: bool = False


class MatchFiles:
    """The files of matches in a folder, by the identifiers of the matches."""

    def __init__(self, folder: Path) -> None:
        """Use a folder, which is created with the first match."""
        self._folder = folder

    def identifiers(self) -> list[str]:
        """Return the identifiers of all matches, newest first."""
        if not self._folder.is_dir():
            return []
        found = [path for path in self._folder.glob("*.seats.json") if _IDENTIFIER.fullmatch(_bare(path))]
        return [_bare(path) for path in sorted(found, key=_age)]

    def record_file(self, match: str) -> Path:
        """Return the path of a match's record, which need not exist yet. Raises FilesError."""
        return self._path(match, "record.json")

    def record(self, match: str) -> MatchRecord | None:
        """Return the record of a match, or None if it has none yet. Raises FilesError, RecordError."""
        path = self.record_file(match)
        return read_record(path) if path.exists() else None

    def lineup(self, match: str) -> Lineup:
        """Return the line-up of a match. Raises FilesError, and RecordError if the record has its rules."""
        try:
            lineup = _lineup(json.loads(read_input(self._path(match, "seats.json")).decode()))
        except FileNotFoundError:
            raise FilesError(f"there is no match {match}") from None
        except (OSError, ValueError, TypeError, RecursionError) as error:
            raise FilesError(f"the files of match {match} cannot be read: {error!s:.200}") from None
        if not lineup.rules and (record := self.record(match)) is not None:
            lineup = replace(lineup, rules=record.rules)
        return lineup

    def create(self, match: str, lineup: Lineup, record: MatchRecord | None = None) -> None:
        """Write the line-up of a match, and its record if it has one, which then has the rules alone.

        Raises FullError if there is no room for more, FilesError, RecordError, OSError.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        if sum(entry.stat().st_size for entry in os.scandir(self._folder)) >= ROOM:
            raise FullError(f"the matches fill {ROOM >> 20:,} MiB; delete some in {self._folder}")
        if record is not None:
            write_record(record, self.record_file(match))
            lineup = replace(lineup, rules="")
        write_whole(self._path(match, "seats.json"), json.dumps(asdict(lineup)))

    def remove(self, match: str) -> None:
        """Delete the files of a match. Raises FilesError, OSError."""
        for suffix in ("seats.json", "record.json", "people.json", "thoughts.jsonl", "evaluations.jsonl"):
            self._path(match, suffix).unlink(missing_ok=True)

    def people(self, match: str) -> Json:
        """Return what was kept of the people of a match; nothing if there is nothing to read."""
        try:
            found = json.loads(read_input(self._path(match, "people.json"), RECORDS))
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def keep_people(self, match: str, people: Json) -> None:
        """Keep what is to be known of the people of a match, if there is room on the disk. Raises FilesError."""
        path = self._path(match, "people.json")
        with suppress(OSError):
            write_whole(path, json.dumps(people))

    def thoughts(self, match: str) -> list[Json]:
        """Return the thoughts of programs in the order in which they were added, without unreadable lines."""
        return self._rows(match, "thoughts.jsonl")

    def add_thought(self, match: str, thought: Json) -> None:
        """Append a thought of a program, if there is room on the disk. Raises FilesError."""
        self._append(match, "thoughts.jsonl", thought)

    def evaluations(self, match: str) -> list[Json]:
        """Return the rows of `ggp.server.web.kept_evaluations`, in their order, without unreadable lines."""
        return self._rows(match, "evaluations.jsonl")

    def add_evaluation(self, match: str, row: Json) -> None:
        """Append a row, if there is room on the disk. Raises FilesError."""
        self._append(match, "evaluations.jsonl", row)

    def replace_evaluations(self, match: str, rows: Iterable[Json]) -> None:
        """Write these rows in place of all others. Raises FilesError, OSError."""
        write_whole(self._path(match, "evaluations.jsonl"), "".join(json.dumps(row) + "\n" for row in rows))

    def _rows(self, match: str, suffix: str) -> list[Json]:
        try:
            lines = read_input(self._path(match, suffix), RECORDS).splitlines()
        except OSError:
            return []
        found = []
        for line in lines:
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue  # the process was killed while writing
            if isinstance(row, dict):
                found.append(row)
        return found

    def _append(self, match: str, suffix: str, row: Json) -> None:
        """Append a row. On a full disk it is lost, but neither a match nor an analysis ends because of it."""
        with suppress(OSError), self._path(match, suffix).open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def _path(self, match: str, suffix: str) -> Path:
        if not _IDENTIFIER.fullmatch(match):
            raise FilesError("invalid match identifier")
        return self._folder / f"{match}.{suffix}"


def _lineup(fields: Json) -> Lineup:
    """Return the line-up in a JSON object. Raises TypeError if it is not one."""
    lineup = Lineup(**fields)
    if "hidden" not in fields:  # files of earlier versions; rules without this word hide nothing
        lineup = replace(lineup, hidden=bool(_SEES.search(str(lineup.rules))))
    texts = (lineup.game, lineup.title, lineup.rules, lineup.wishes, lineup.source)
    kinds = (
        (dict, lineup.players),
        (dict, lineup.settings),
        (dict, lineup.seats),
        (int | float, lineup.created),
        (bool, lineup.hidden),
        *((str, one) for one in texts),
    )
    if not all(isinstance(value, kind) for kind, value in kinds):
        raise TypeError("a field has another type than expected")
    if not all(isinstance(name, str) for name in lineup.players.values()):
        raise TypeError("a player is not named by a text")
    if not all(isinstance(secret, str) for secret in lineup.seats.values()):
        raise TypeError("the secret of a seat is not a text")
    return lineup


def _bare(path: Path) -> str:
    return path.name.partition(".")[0]


def _age(path: Path) -> tuple[float, str]:
    try:
        return -path.stat().st_mtime, path.name
    except OSError:
        return 0.0, path.name
