"""The file of a tournament: an SQLite database, with one transaction per match.

A match that was added survives any crash of the process. The database has two tables:
`settings` (name, value as JSON) and `matches` (number, game, lineup as JSON, and the outcome as JSON).

Each row has a checksum over its other columns, which is compared when the row is read. It reveals accidents: damaged
disks, and rows that were edited or exchanged by mistake. It does not prevent forgery, as anybody can compute it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from json import dumps, loads
from math import inf
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from gdl.errors import NamedFileError
from gdl.simulator.seeds import SEEDS
from ggp.match.record import RecordError
from ggp.match.record.fields import Fields
from ggp.tournament.outcome import Outcome
from ggp.tournament.plan import Fixture

#: Identifies these databases in the file header: "ggpt", and the version of the tables.
_APPLICATION: Final = 0x67677074
_VERSION: Final = 2

_SETTINGS: Final = "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL, checksum TEXT NOT NULL)"
_MATCHES: Final = (
    "CREATE TABLE matches (number INTEGER PRIMARY KEY, game TEXT NOT NULL, lineup TEXT NOT NULL, "
    "outcome TEXT NOT NULL, checksum TEXT NOT NULL)"
)

#: The contents of a database, as SQLite describes them. The key of `settings` has an index.
_SCHEMA: Final = {_SETTINGS, _MATCHES, None}

#: The maximum number of bytes of a row, and of settings.
_LONGEST_ROW: Final = 64 << 20
_MOST_SETTINGS: Final = 100

#: The most entries of a setting that an error lists.
_MOST_SHOWN: Final = 50

#: The first bytes of an SQLite database.
_MAGIC: Final = b"SQLite format 3\0"

#: The errors of SQLite: its messages may quote damaged text, which Python fails to decode.
_ERRORS: Final = (sqlite3.Error, UnicodeDecodeError)

#: The file name of a store without a file.
MEMORY: Final = ":memory:"


class StoreError(NamedFileError):
    """The file of a tournament cannot be used, or belongs to another tournament."""

    code = "tournament-store"
    template = "{code}: {0}: {1}"


class Store:
    """The matches of one tournament, in a file that only one process can have open at a time.

    Raises StoreError if the file is something else, is in use, or cannot be written.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Open the file, or create it; without a path, the matches are kept only in memory."""
        self._file = MEMORY if path is None else str(path)
        if path is not None and path.exists() and not path.is_file() and not path.is_dir():
            raise StoreError(self._file, "not a regular file")
        if path is not None and path.is_file() and not _is_database(path):
            # SQLite takes a file of a few bytes for an empty one, and would write over it.
            raise StoreError(self._file, "not usable as a tournament's file: not a database")
        try:
            self._database = sqlite3.connect(self._file, isolation_level=None, timeout=1.0)
        except _ERRORS as error:
            raise StoreError(self._file, str(error)) from None
        self._database.text_factory = bytes  # text is decoded here, as it may be damaged
        self._database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_ROW)
        try:
            self._open()
        except _ERRORS as error:
            self.close()
            in_use = "locked" in str(error)
            reason = "in use by another process" if in_use else f"not usable as a tournament's file: {error}"
            raise StoreError(self._file, reason) from None
        except StoreError:
            self.close()
            raise

    def __enter__(self) -> Store:
        """Return the store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file."""
        with suppress(sqlite3.Error):
            self._database.close()

    def settings(self) -> Mapping[str, Any] | None:
        """Return the settings of the stored tournament; None if there is none yet. Raises StoreError if damaged."""
        found: dict[str, Any] = {}
        for name, value in self._rows("SELECT name, value, checksum FROM settings", "setting", _MOST_SETTINGS):
            found[name] = self._json(value, f"setting {name}")
        return found or None

    def seed(self, name: str) -> int | None:
        """Return the stored seed, a setting of this name; None if there is none. Raises StoreError if damaged."""
        return Fields(dict(self.settings() or {}), self._file, StoreError).optional(name, int, None, 0, SEEDS - 1)

    def begin(self, settings: Mapping[str, Any]) -> None:
        """Begin a tournament, or continue the stored one. Raises StoreError if that has other settings."""
        kept = self.settings()
        if kept is None:
            rows = [_checked(name, dumps(value)) for name, value in settings.items()]
            try:
                with self._database:
                    self._database.execute("BEGIN")
                    self._database.executemany("INSERT INTO settings VALUES (?, ?, ?)", rows)
            except _ERRORS as error:
                raise StoreError(self._file, str(error)) from None
            return
        for name in dict.fromkeys((*kept, *settings)):
            if kept.get(name) != settings.get(name):
                difference = f"{name} is {_shown(kept.get(name))} there, but {_shown(settings.get(name))} now"
                raise StoreError(self._file, f"contains a tournament with other settings: {difference}")

    def outcomes(self, fixtures: Callable[[Sequence[Outcome]], Sequence[Fixture]]) -> list[Outcome]:
        """Return the outcomes of all finished matches, by number.

        `fixtures` returns all matches that are known after some outcomes. Raises StoreError if a row is damaged, or is
        not about the match that has its number.
        """
        query = "SELECT number, game, lineup, outcome, checksum FROM matches ORDER BY number"
        found: list[Outcome] = []
        known = fixtures(found)
        for number, game, lineup, text in self._rows(query, "match"):
            # Later rounds are only known after the outcomes of earlier ones.
            while isinstance(number, int) and number >= len(known) < len(known := fixtures(found)):
                pass
            found.append(self._outcome(known, number, game, lineup, text))
        return found

    def add(self, fixture: Fixture, outcome: Outcome) -> None:
        """Store a finished match, unless it is stored already. Raises StoreError if it cannot be written."""
        row = _checked(fixture.number, fixture.contest.name, dumps(fixture.lineup), outcome.to_json())
        try:
            self._database.execute("INSERT INTO matches VALUES (?, ?, ?, ?, ?) ON CONFLICT (number) DO NOTHING", row)
        except _ERRORS as error:
            raise StoreError(self._file, str(error)) from None

    def _outcome(self, fixtures: Sequence[Fixture], number: Any, game: Any, lineup: Any, text: Any) -> Outcome:
        row = f"match {number!s:.40}"
        fixture = fixtures[number] if isinstance(number, int) and 0 <= number < len(fixtures) else None
        if fixture is None or (game, self._json(lineup, row)) != (fixture.contest.name, list(fixture.lineup)):
            raise StoreError(self._file, f"{row} is not a match of this tournament")
        try:
            found = Outcome.from_json(text)
        except RecordError as error:
            raise StoreError(self._file, f"{row} cannot be read: {error.reason}") from None
        roles = len(fixture.lineup)
        if found.number != number or len(found.conduct) != roles or len(found.goals) not in (0, roles):
            raise StoreError(self._file, f"{row} has the outcome of another match")
        return found

    def _rows(self, query: str, kind: str, most: float = inf) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query, without their checksums; `most` is their maximum number. Raises StoreError."""
        try:
            for count, cells in enumerate(self._database.execute(query)):
                if count >= most:
                    raise StoreError(self._file, f"damaged: more than {most:,} rows, one for each {kind}")
                yield self._row(cells, kind)
        except _ERRORS as error:
            raise StoreError(self._file, f"damaged: {error}") from None

    def _row(self, cells: tuple[Any, ...], kind: str) -> tuple[Any, ...]:
        """Return the cells of a row without the checksum. Raises StoreError if the row was altered."""
        name = cells[0].decode(errors="replace") if isinstance(cells[0], bytes) else cells[0]
        try:
            row = tuple(cell.decode() if isinstance(cell, bytes) else cell for cell in cells)
        except UnicodeDecodeError:
            raise StoreError(self._file, f"{kind} {name!s:.80} is damaged: not UTF-8") from None
        if row != _checked(*row[:-1]):
            raise StoreError(self._file, f"{kind} {name!s:.80} is damaged: its checksum does not fit")
        return row[:-1]

    def _json(self, text: Any, row: str) -> Any:
        try:
            return loads(text)
        except (ValueError, TypeError, RecursionError) as error:
            raise StoreError(self._file, f"{row} cannot be read: {error!r:.200}") from None

    def _open(self) -> None:
        run = self._database.execute
        run("PRAGMA locking_mode = EXCLUSIVE")
        run("BEGIN EXCLUSIVE")  # held until the file is closed
        (application,) = run("PRAGMA application_id").fetchone()
        (version,) = run("PRAGMA user_version").fetchone()
        (tables,) = run("SELECT count(*) FROM sqlite_master").fetchone()
        if tables == 0 and application == 0:
            run(f"PRAGMA application_id = {_APPLICATION}")
            run(f"PRAGMA user_version = {_VERSION}")
            run(_SETTINGS)
            run(_MATCHES)
        elif application != _APPLICATION:
            raise StoreError(self._file, "not a tournament's database")
        elif version != _VERSION:
            raise StoreError(self._file, f"written by another version of ggp (tables {version}, not {_VERSION})")
        else:
            self._check_tables()
        run("COMMIT")

    def _check_tables(self) -> None:
        """Check the structure of the file, and that it has these tables and nothing else, such as triggers."""
        (found,) = self._database.execute("PRAGMA quick_check(1)").fetchone()
        if found != b"ok":
            raise StoreError(self._file, f"damaged: {found.decode(errors='replace')}")
        schema = self._database.execute("SELECT sql FROM sqlite_master LIMIT 10").fetchall()
        if {sql if sql is None else sql.decode(errors="replace") for (sql,) in schema} != _SCHEMA:
            raise StoreError(self._file, "damaged: other tables than those of a tournament")


def _is_database(path: Path) -> bool:
    """Return True if a file begins as a database does, or is empty; also if it cannot be read, which SQLite reports."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) in (b"", _MAGIC)
    except OSError:
        return True


def _checked(*cells: int | str | None) -> tuple[int | str | None, ...]:
    """Return the cells of a row, followed by their checksum."""
    return (*cells, sha256(dumps(cells).encode()).hexdigest())


def _shown(value: object) -> str:
    """Return a setting as text for an error."""
    if value is None:
        return "not given"
    if isinstance(value, list):
        games = all(isinstance(one, (list, tuple)) and len(one) == 2 for one in value)
        parts = (f"{one[0]!s:.40} ({one[1]!s:.8})" if games else f"{one!s:.40}" for one in value[:_MOST_SHOWN])
        return ",".join(parts) + ",..." * (len(value) > _MOST_SHOWN)
    return f"{value!s:.80}"
