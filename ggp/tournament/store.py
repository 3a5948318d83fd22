"""The file of a tournament: an SQLite database, with one transaction per match.

A match that was added survives any crash of the process. The database has two tables:
`settings` (name, value as JSON) and `matches` (number, game, seats as JSON, and the outcome as JSON).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from json import dumps, loads
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from gdl.errors import GdlError
from ggp.tournament.outcome import Outcome
from ggp.tournament.plan import Fixture

#: Identifies these databases in the file header: "ggpt", and the version of the tables.
_APPLICATION: Final = 0x67677074
_VERSION: Final = 1

#: The file name of a store without a file.
MEMORY: Final = ":memory:"


class StoreError(GdlError):
    """The file of a tournament cannot be used, or belongs to another tournament."""

    code = "tournament-store"

    def __init__(self, file: str, reason: str) -> None:
        """Store the file and the reason."""
        self.file = file
        self.reason = reason
        super().__init__(file, reason)

    def __str__(self) -> str:
        """Return the code, the file and the reason."""
        return f"{self.code}: {self.file}: {self.reason}"


class Store:
    """The matches of one tournament, in a file that only one process can have open at a time.

    Raises StoreError if the file is something else, is in use, or cannot be written.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Open the file, or create it; without a path, the matches are kept only in memory."""
        self._file = MEMORY if path is None else str(path)
        if path is not None and path.exists() and not path.is_file():
            raise StoreError(self._file, "not a regular file")
        try:
            self._database = sqlite3.connect(self._file, isolation_level=None, timeout=1.0)
        except sqlite3.Error as error:
            raise StoreError(self._file, str(error)) from None
        try:
            self._open()
        except sqlite3.Error as error:
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
        """Return the settings of the stored tournament; None if there is none yet."""
        rows = self._database.execute("SELECT name, value FROM settings").fetchall()
        return {name: loads(value) for name, value in rows} or None

    def begin(self, settings: Mapping[str, Any]) -> None:
        """Begin a tournament, or continue the stored one. Raises StoreError if that has other settings."""
        kept = self.settings()
        if kept is None:
            with self._database:
                self._database.execute("BEGIN")
                rows = [(name, dumps(value)) for name, value in settings.items()]
                self._database.executemany("INSERT INTO settings VALUES (?, ?)", rows)
            return
        for name in dict.fromkeys((*kept, *settings)):
            if kept.get(name) != settings.get(name):
                difference = f"{name} is {_shown(kept.get(name))} there, but {_shown(settings.get(name))} now"
                raise StoreError(self._file, f"contains a tournament with other settings: {difference}")

    def outcomes(self) -> list[Outcome]:
        """Return the outcomes of all finished matches, by number."""
        rows = self._database.execute("SELECT outcome FROM matches ORDER BY number").fetchall()
        try:
            return [Outcome.from_json(text) for (text,) in rows]
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(self._file, f"contains a match that cannot be read: {error!r}") from None

    def add(self, fixture: Fixture, outcome: Outcome) -> None:
        """Store a finished match. Raises StoreError if it cannot be written."""
        row = (fixture.number, fixture.contest.name, dumps(fixture.lineup), outcome.to_json())
        try:
            self._database.execute("INSERT INTO matches VALUES (?, ?, ?, ?)", row)
        except sqlite3.Error as error:
            raise StoreError(self._file, str(error)) from None

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
            run("CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
            run(
                "CREATE TABLE matches (number INTEGER PRIMARY KEY, game TEXT NOT NULL, seats TEXT NOT NULL, "
                "outcome TEXT NOT NULL)"
            )
        elif application != _APPLICATION:
            raise StoreError(self._file, "not a tournament's database")
        elif version != _VERSION:
            raise StoreError(self._file, f"written by another version of ggp (tables {version}, not {_VERSION})")
        run("COMMIT")


def _shown(value: object) -> str:
    """Return a setting as text for an error."""
    if value is None:
        return "not given"
    if isinstance(value, list):
        return ",".join(f"{one[0]} ({one[1][:8]})" if isinstance(one, list) else str(one) for one in value)
    return str(value)
