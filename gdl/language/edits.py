"""Changes of a text: where expressions stand in it, what is put in their place, and the text after that."""

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
    """The characters from `start` up to `end` of a text (offsets from 0) are replaced by `text`."""

    start: int
    end: int
    text: str


@final
class Offsets:
    """Offsets of places in a source's text, and back."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._starts = [0, *accumulate(len(line) + 1 for line in source.text.split("\n"))]

    def start(self, location: Location) -> int:
        """Where a place begins."""
        return self._starts[location.line - 1] + location.column - 1

    def end(self, location: Location) -> int:
        """Behind its last character."""
        return self.start(location) + location.width

    def span(self, expression: Expression) -> tuple[int, int]:
        """From the first character of an expression to behind its last: a group with both parentheses."""
        last = expression.end if isinstance(expression, Group) else expression.location
        return self.start(expression.location), self.end(last)

    def place(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset, from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def location(self, start: int, end: int) -> Location:
        """The place between two offsets; what lies beyond the end of the line is left out."""
        line, column = self.place(start)
        width = min(end, self._starts[line] - 1) - start if line < len(self._starts) else end - start
        return Location(self._source, line, column, max(1, width))


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text after all edits, whose offsets are those before any of them. Raises ValueError where two overlap."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(set(edits)):
        if edit.start < at:
            raise ValueError(f"two edits change the same text: {edit}")
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:]])
