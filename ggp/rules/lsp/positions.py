"""Convert between positions of editors, from 0 in units agreed upon, and ours, from 1 in characters."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import final

from lsprotocol import types as lsp

from gdl.errors import Location


@final
class Positions:
    """The positions of one text. `units` counts the editor's units in a string (UTF-16 code units for most)."""

    def __init__(self, lines: Sequence[str], units: Callable[[str], int]) -> None:
        """Index the lines of a text."""
        self._lines = lines
        self._units = units
        self._starts = [0, *accumulate(len(line) + 1 for line in lines)]

    def position(self, line: int, column: int) -> lsp.Position:
        """Return the editor's position for a line and column; positions behind the end become the end."""
        if line > len(self._lines):
            line, column = len(self._lines), len(self._lines[-1]) + 1
        return lsp.Position(line - 1, self._units(self._lines[line - 1][: column - 1]))

    def place(self, position: lsp.Position) -> tuple[int, int]:
        """Return the line and column of an editor's position."""
        if position.line >= len(self._lines):
            return len(self._lines), len(self._lines[-1]) + 1
        ends = list(accumulate(map(self._units, self._lines[position.line])))
        return position.line + 1, bisect_right(ends, position.character) + 1

    def range(self, location: Location) -> lsp.Range:
        """Return the range of a location."""
        start = self.position(location.line, location.column)
        return lsp.Range(start, self.position(location.line, location.column + location.width))

    def between(self, start: int, end: int) -> lsp.Range:
        """Return the range between two offsets."""
        return lsp.Range(self._at(start), self._at(end))

    def _at(self, offset: int) -> lsp.Position:
        line = bisect_right(self._starts, offset, hi=len(self._lines))
        return self.position(line, offset - self._starts[line - 1] + 1)
