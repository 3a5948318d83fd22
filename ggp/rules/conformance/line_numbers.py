"""Where the entries of an expectation file stand. TOML values do not know their lines, so the text is searched.

Where an entry is written in a way that the search does not know, the place is the beginning of its table, and the
message still names the entry.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gdl.errors import Location, Source

#: The line that begins a table.
_HEADER: Final = r"\[+\s*[A-Za-z_]"


@dataclass(frozen=True, slots=True)
class Entry:
    """A table of the file: what it is called in messages, and its first and last line."""

    label: str
    first: int
    last: int


class EntryLines:
    """The lines of a TOML text."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines = source.text.split("\n")

    def whole(self) -> Entry:
        """All of the file."""
        return Entry("", 1, len(self._lines))

    def table(self, name: str) -> Entry:
        """The table `[name]`."""
        headers = self._headers(rf"\[\s*{re.escape(name)}\s*\]")
        if not headers:
            return Entry(name, 1, len(self._lines))
        return Entry(name, headers[0], self._line_before(_HEADER, headers[0] + 1))

    def array(self, name: str, labels: Sequence[str]) -> list[Entry]:
        """The tables `[[name]]` with all that belongs to them, each with its label."""
        headers = self._headers(rf"\[\[\s*{re.escape(name)}\s*\]\]")
        if len(headers) != len(labels):
            return [Entry(label, 1, len(self._lines)) for label in labels]
        return [
            Entry(label, header, self._line_before(r"\[\[", header + 1))
            for label, header in zip(labels, headers, strict=True)
        ]

    def find(self, entry: Entry, key: str | None = None, text: str | None = None) -> Location:
        """The place of a key of a table such as `holds` or `legal.wolf`, or of a text in its value."""
        place = Location(self._source, entry.first, 1)
        if key is not None:
            outer, _, inner = key.partition(".")
            whole = rf"\s*({re.escape(outer)}\s*\.\s*{re.escape(inner)})\b"
            place = (
                (self._search(entry, place, whole, anchored=True) if inner else None)
                or self._search(entry, place, rf"\s*(?:\[+\s*(?:\w+\.)?)?({re.escape(outer)})\b", anchored=True)
                or place
            )
            if inner:
                place = self._search(entry, place, rf"(?<![\w-])({re.escape(inner)})(?![\w-])") or place
        if text is not None:
            text = re.escape(text)
            place = (
                self._search(entry, place, rf"""["']({text})["']""")
                or self._search(entry, place, rf"({text})")
                or place
            )
        return place

    def _search(self, entry: Entry, start: Location, pattern: str, *, anchored: bool = False) -> Location | None:
        """Where the group of a pattern first stands in a table, not before the line of `start`."""
        for number in range(start.line, entry.last + 1):
            line = self._lines[number - 1]
            found = re.match(pattern, line) if anchored else re.search(pattern, line)
            if found:
                return Location(self._source, number, found.start(1) + 1, max(1, len(found[1])))
        return None

    def _headers(self, pattern: str) -> list[int]:
        """The numbers of the lines that begin with a pattern."""
        return [number for number, line in enumerate(self._lines, 1) if re.match(rf"\s*{pattern}", line)]

    def _line_before(self, pattern: str, start: int) -> int:
        """The line before the first one from `start` on that begins with a pattern; the last line if none does."""
        following = (number for number in self._headers(pattern) if number >= start)
        return max(start, next(following, len(self._lines) + 1) - 1)
