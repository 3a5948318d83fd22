"""Record files, written so that a crash loses at most the current ply.

A file contains one JSON object, the record. While plies are played faster than the whole record can be written, each is
appended to the file as a separate line, until there is time to write the whole record again, at the latest at the end.
A line that is incomplete because the process ended is not read.

The record of a match that is over is synced to the disk, so that it survives a power failure. Plies of a match under
way are synced one by one only on request, because the disk may take longer for that than the players for their moves.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from gdl.system.files import RECORDS, read_input, write_whole
from ggp.match.record.fields import RecordError
from ggp.match.record.json_form import from_json, ply_from_json, ply_to_json, to_json
from ggp.match.record.values import MatchRecord, Result


@dataclass(frozen=True, slots=True)
class ReadRecord:
    """A record read from a file; `lost` describes the part that could not be read, and is empty if there is none."""

    record: MatchRecord
    lost: str = ""


def read_record(path: str | Path) -> MatchRecord:
    """Return the record in a file. Raises `RecordError`, which says what is wrong with it.

    If the file of a running match is cut off, the record contains the complete plies, and the result is `running`.
    """
    return open_record(path).record


def open_record(path: str | Path) -> ReadRecord:
    """Return the record in a file, and what is lost of it. Raises `RecordError`, which says what is wrong with it."""
    file = str(path)
    try:
        text = read_input(path, RECORDS).decode("utf-8-sig")
    except OSError as error:
        raise RecordError(file, error.strerror or str(error)) from None
    except ValueError as error:  # not UTF-8, or a null character in the path
        raise RecordError(file, f"not JSON: {error}") from None
    fields, rest = _first_object(text, file)
    record = from_json(fields, file)
    if record.result is not Result.RUNNING:
        if rest.strip():
            raise RecordError(file, "not JSON: more than one object, though the match is over")
        return ReadRecord(record)
    *lines, partial = rest.split("\n")
    record = _with_plies(record, lines, file)
    ours = "result" in fields  # files of other programs may lack the final newline
    if partial.strip() or (ours and not rest.endswith("\n")):
        return ReadRecord(record, f"the file is cut off: what followed ply {len(record.plies)} is lost")
    return ReadRecord(record)


def write_record(record: MatchRecord, path: str | Path) -> None:
    """Write a record atomically: readers see the old file or the new one. A record of a match that is over is synced.

    Raises `RecordError` if the file cannot be written.
    """
    _write(record, path, fsync=record.over)


def _write(record: MatchRecord, path: str | Path, *, fsync: bool) -> None:
    target = Path(path)
    try:
        target = target.resolve()
        if target.exists() and not target.is_file():
            raise RecordError(str(path), "not a regular file")
        write_whole(target, json.dumps(to_json(record)) + "\n", fsync=fsync)
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a symbolic link loop
        raise RecordError(str(path), _reason(error)) from None


class RecordFile:
    """The file of a match in progress. Methods raise `RecordError` if it cannot be written.

    After `update`, all plies of the record are in the file. Rewriting the whole file after each ply would take time
    quadratic in the length of the match. If it would take more than `SHARE` of the time, only new plies are appended.
    `finish` writes the whole record. With `fsync`, every ply is on the disk before a method returns.
    """

    SHARE: Final = 0.1

    def __init__(self, path: str | Path, *, fsync: bool = False) -> None:
        """Write to this file, from the first update on."""
        self._path = path
        self._fsync = fsync
        self._not_before = 0.0
        self._written: MatchRecord | None = None

    def update(self, record: MatchRecord) -> None:
        """Bring the file up to date by writing the whole record or appending plies."""
        if time.monotonic() >= self._not_before or not self._append(record):
            self.finish(record)

    def finish(self, record: MatchRecord) -> None:
        """Write the whole record."""
        began = time.monotonic()
        _write(record, self._path, fsync=self._fsync or record.over)
        self._written = record
        ended = time.monotonic()
        self._not_before = ended + (ended - began) / self.SHARE

    def _append(self, record: MatchRecord) -> bool:
        """Append the new plies and return True, or return False if more than plies has changed."""
        before = self._written
        if (
            before is None
            or record.result is not Result.RUNNING
            or replace(record, plies=()) != replace(before, plies=())
        ):
            return False
        known = len(before.plies)
        if record.plies[:known] != before.plies:
            return False
        lines = (ply_to_json(number, ply) for number, ply in enumerate(record.plies[known:], known + 1))
        text = "".join(json.dumps(line) + "\n" for line in lines)
        try:
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND)
            try:
                complete = os.write(handle, text.encode()) == len(text)
                if self._fsync:
                    os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise RecordError(str(self._path), _reason(error)) from None
        if complete:
            self._written = record
        return complete


def _first_object(text: str, file: str) -> tuple[dict[str, Any], str]:
    """Return the JSON object at the start of a text, and the rest of the text."""
    begin = len(text) - len(text.lstrip())
    if begin == len(text):
        raise RecordError(file, "not JSON: the file is empty")
    try:
        fields, end = json.JSONDecoder().raw_decode(text, begin)
    except (ValueError, RecursionError) as error:
        if text[begin] == "{" and not text.rstrip().endswith("}"):
            raise RecordError(file, "not JSON: the file is cut off in the middle of the record") from None
        raise RecordError(file, f"not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise RecordError(file, "not a JSON object")
    return fields, text[end:]


def _with_plies(record: MatchRecord, lines: list[str], file: str) -> MatchRecord:
    """Return the record with the plies on the lines after it."""
    plies = list(record.plies)
    for line in filter(str.strip, lines):
        place = f"{file}: the line after ply {len(plies)}"
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise RecordError(place, f"not JSON: {error}") from None
        if not isinstance(fields, dict):
            raise RecordError(place, "not a JSON object")
        plies.append(ply_from_json(fields, len(plies) + 1, len(record.roles), place))
    return replace(record, plies=tuple(plies))


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
