"""Find the lines of the entries of an expectation file; TOML values do not know their lines, so search the text.

If an entry is written in a way that the search does not understand, its location is the beginning of its table; the
message still names the entry.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gdl.errors import Location, Source

#: The beginning of a line that starts a table.
_HEADER: Final = r"\[+\s*[A-Za-z_]"


@dataclass(frozen=True, slots=True)
class Entry:
    """A table of the file: its label in messages, and its first and last line."""

    label: str
    first: int
    last: int


class EntryLines:
    """The locations of entries in a TOML text."""

    def __init__(self, source: Source) -> None:
        """Split a text into lines."""
        self._source = source
        self._lines = source.text.split("\n")

    def whole(self) -> Entry:
        """Return the entry for the whole file."""
        return Entry("", 1, len(self._lines))

    def table(self, name: str) -> Entry:
        """Return the entry of the table `[name]`."""
        headers = self._headers(rf"\[\s*{re.escape(name)}\s*\]")
        if not headers:
            return Entry(name, 1, len(self._lines))
        return Entry(name, headers[0], self._line_before(_HEADER, headers[0] + 1))

    def array(self, name: str, labels: Sequence[str]) -> list[Entry]:
        """Return the entries of the tables `[[name]]`, subtables included, each with its label."""
        headers = self._headers(rf"\[\[\s*{re.escape(name)}\s*\]\]")
        if len(headers) != len(labels):
            return [Entry(label, 1, len(self._lines)) for label in labels]
        return [
            Entry(label, header, self._line_before(r"\[\[", header + 1))
            for label, header in zip(labels, headers, strict=True)
        ]

    def find(self, entry: Entry, key: str | None = None, text: str | None = None) -> Location:
        """Return the location of a key in a table, such as `holds` or `legal.wolf`, or of a text in its value."""
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
        """Return the first location of a pattern's group in a table, from the line of `start` on."""
        for number in range(start.line, entry.last + 1):
            line = self._lines[number - 1]
            found = re.match(pattern, line) if anchored else re.search(pattern, line)
            if found:
                return Location(self._source, number, found.start(1) + 1, max(1, len(found[1])))
        return None

    def _headers(self, pattern: str) -> list[int]:
        """Return the numbers of the lines that begin with a pattern."""
        return [number for number, line in enumerate(self._lines, 1) if re.match(rf"\s*{pattern}", line)]

    def _line_before(self, pattern: str, start: int) -> int:
        """Return the last line before the first one from `start` on that begins with a pattern, or the last of all."""
        following = (number for number in self._headers(pattern) if number >= start)
        return max(start, next(following, len(self._lines) + 1) - 1)
