"""The file in which a tournament keeps its matches: an SQLite database, one transaction a match.

Whatever happens to the process, a match that was added is there afterwards, whole. The database has two tables:
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

#: In the head of the file, so that no other database is taken for one: "ggpt", and the version of the tables.
_APPLICATION: Final = 0x67677074
_VERSION: Final = 1

#: What stores the name of the file as long as there is none.
MEMORY: Final = ":memory:"


class StoreError(GdlError):
    """A tournament's file cannot be used, or is one of another tournament."""

    code = "tournament-store"

    def __init__(self, file: str, reason: str) -> None:
        self.file = file
        self.reason = reason
        super().__init__(file, reason)

    def __str__(self) -> str:
        return f"{self.code}: {self.file}: {self.reason}"


class Store:
    """The matches of one tournament; only one process has it open at a time.

    Raises StoreError where the file is something else, in use, or cannot be written.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Open the file, made if there is none; without a path nothing is kept beyond the process."""
        self._file = MEMORY if path is None else str(path)
        try:
            self._database = sqlite3.connect(self._file, isolation_level=None, timeout=1.0)
        except sqlite3.Error as error:
            raise StoreError(self._file, str(error)) from None
        try:
            self._open()
        except sqlite3.Error as error:
            self.close()
            in_use = "locked" in str(error)
            reason = "in use by another process" if in_use else f"no tournament can be kept there: {error}"
            raise StoreError(self._file, reason) from None
        except StoreError:
            self.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._database.close()

    def settings(self) -> Mapping[str, Any] | None:
        """The settings of the tournament that is kept here; None while there is none."""
        rows = self._database.execute("SELECT name, value FROM settings").fetchall()
        return {name: loads(value) for name, value in rows} or None

    def begin(self, settings: Mapping[str, Any]) -> None:
        """Begin a tournament with these settings, or go on with it. Raises StoreError if they are others."""
        kept = self.settings()
        if kept is None:
            with self._database:
                self._database.execute("BEGIN")
                rows = [(name, dumps(value)) for name, value in settings.items()]
                self._database.executemany("INSERT INTO settings VALUES (?, ?)", rows)
            return
        for name in dict.fromkeys((*kept, *settings)):
            if kept.get(name) != settings.get(name):
                difference = f"{name} {_shown(kept.get(name))} there, {_shown(settings.get(name))} now"
                raise StoreError(self._file, f"keeps a tournament with other settings: {difference}")

    def outcomes(self) -> list[Outcome]:
        """All matches that were finished, by number."""
        rows = self._database.execute("SELECT outcome FROM matches ORDER BY number").fetchall()
        try:
            return [Outcome.from_json(text) for (text,) in rows]
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(self._file, f"a match in it cannot be read: {error!r}") from None

    def add(self, fixture: Fixture, outcome: Outcome) -> None:
        """Keep a finished match. Raises StoreError where that cannot be written."""
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
            raise StoreError(self._file, "a database of something else")
        elif version != _VERSION:
            raise StoreError(self._file, f"written by another version of ggp (tables {version}, not {_VERSION})")
        run("COMMIT")


def _shown(value: object) -> str:
    """A setting as an error shows it."""
    if value is None:
        return "not given"
    if isinstance(value, list):
        return ",".join(f"{one[0]} ({one[1][:8]})" if isinstance(one, list) else str(one) for one in value)
    return str(value)
