"""Records in files, written so that whatever ends the process loses at most the ply under way.

A file is one JSON object: the record. While plies follow each other faster than the whole record can be written, each
is appended to the file as a line of its own, until there is time to write the record whole again, as there is at the
end. What was being appended when the process ended is a line without an end, which is not read.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from ggp.match.record.errors import RecordError
from ggp.match.record.json_form import from_json, ply_from_json, ply_to_json, to_json
from ggp.match.record.values import MatchRecord, Result
from ggp.match.whole_file import write_whole


@dataclass(frozen=True, slots=True)
class ReadRecord:
    """A record as it was found in a file; `lost` says what of it could not be read, and is empty if all could."""

    record: MatchRecord
    lost: str = ""


def read_record(path: str | Path) -> MatchRecord:
    """The record in a file. Raises `RecordError`, naming what is wrong with it.

    Of a match that was under way when its file broke off, what was complete is there; the result is then `running`.
    """
    return open_record(path).record


def open_record(path: str | Path) -> ReadRecord:
    """The record in a file, and what is missing of it. Raises `RecordError`, naming what is wrong with it."""
    file = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RecordError(file, error.strerror or str(error)) from None
    except ValueError as error:  # no UTF-8, or a path with a zero
        raise RecordError(file, f"not JSON: {error}") from None
    fields, rest = _first_object(text, file)
    record = from_json(fields, file)
    if record.result is not Result.RUNNING:
        if rest.strip():
            raise RecordError(file, "not JSON: more than one object, though the match is over")
        return ReadRecord(record)
    *lines, partial = rest.split("\n")
    record = _with_plies(record, lines, file)
    ours = "result" in fields  # other programs need not end their files with a line's end
    if partial.strip() or (ours and not rest.endswith("\n")):
        return ReadRecord(record, f"the file is cut off: what followed ply {len(record.plies)} is lost")
    return ReadRecord(record)


def write_record(record: MatchRecord, path: str | Path) -> None:
    """Write a record, whole or not at all: a reader finds the file as it was before or as it is after.

    Raises `RecordError` where the file cannot be written.
    """
    target = Path(path)
    try:
        target = target.resolve()
        if target.exists() and not target.is_file():
            raise RecordError(str(path), "not a regular file")
        write_whole(target, json.dumps(to_json(record)) + "\n")
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a link that leads to itself
        raise RecordError(str(path), _reason(error)) from None


class RecordFile:
    """The record of a match under way, kept in a file. Raises `RecordError` where that cannot be written.

    After `update` all plies of the record are in the file. To write it whole each time would cost a long match of
    quick players the square of its length: where that would take more than `SHARE` of the time, the new plies alone
    are appended. `finish` writes it whole.
    """

    SHARE: Final = 0.1

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._not_before = 0.0
        self._written: MatchRecord | None = None

    def update(self, record: MatchRecord) -> None:
        if time.monotonic() >= self._not_before or not self._append(record):
            self.finish(record)

    def finish(self, record: MatchRecord) -> None:
        began = time.monotonic()
        write_record(record, self._path)
        self._written = record
        ended = time.monotonic()
        self._not_before = ended + (ended - began) / self.SHARE

    def _append(self, record: MatchRecord) -> bool:
        """Append the plies that the file has not yet, if they are all that is new; else do nothing and say so."""
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
            finally:
                os.close(handle)
        except OSError as error:
            raise RecordError(str(self._path), _reason(error)) from None
        if complete:
            self._written = record
        return complete


def _first_object(text: str, file: str) -> tuple[dict[str, Any], str]:
    """The JSON object that a text begins with, and what follows it."""
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
    """The record with the plies of the lines that follow it."""
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
