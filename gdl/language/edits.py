"""Edits of a text, and the conversion between locations and offsets."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import final

from gdl.errors import Location, Source
from gdl.language.syntax import Expression, Group


@final
@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A replacement: the characters from `start` up to `end` (offsets from 0) become `text`."""

    start: int
    end: int
    text: str


@final
class Offsets:
    """Converts the locations of a source to offsets in its text, and back."""

    def __init__(self, source: Source) -> None:
        """Index the line starts of a source."""
        self._source = source
        self._starts = [0, *accumulate(len(line) + 1 for line in source.text.split("\n"))]

    def start(self, location: Location) -> int:
        """Return the offset of the first character of a location."""
        return self._starts[location.line - 1] + location.column - 1

    def end(self, location: Location) -> int:
        """Return the offset after the last character of a location."""
        return self.start(location) + location.width

    def span(self, expression: Expression) -> tuple[int, int]:
        """Return the start and end offsets of an expression; those of a group include both parentheses."""
        last = expression.end if isinstance(expression, Group) else expression.location
        return self.start(expression.location), self.end(last)

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset, counted from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def location(self, start: int, end: int) -> Location:
        """Return the location between two offsets, cut off at the end of the first line."""
        line, column = self.place(start)
        width = min(end, self._starts[line] - 1) - start if line < len(self._starts) else end - start
        return Location(self._source, line, column, max(1, width))


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with all edits applied. Raises ValueError if two of them overlap.

    All offsets refer to the original text.
    """
    pieces: list[str] = []
    at = 0
    for edit in sorted(set(edits)):
        if edit.start < at:
            raise ValueError(f"two edits change the same text: {edit}")
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:]])


def offset_before(edits: Iterable[Edit], offset: int) -> int:
    """Return where a character of the edited text comes from; for one in an inserted text, the start of that edit."""
    grown = 0
    for edit in sorted(set(edits)):
        start = edit.start + grown
        if offset < start:
            break
        if offset < start + len(edit.text):
            return edit.start
        grown += len(edit.text) - (edit.end - edit.start)
    return offset - grown
