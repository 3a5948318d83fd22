"""Convert between offsets in characters, as Python counts them, and in UTF-16 code units, as JavaScript does."""

from __future__ import annotations

from bisect import bisect_left
from typing import final


@final
class CodeUnits:
    """The offsets of one text."""

    def __init__(self, text: str) -> None:
        """Find the characters of a text that take two code units."""
        wide = [] if text.isascii() else [offset for offset, character in enumerate(text) if ord(character) > 0xFFFF]
        self._length = len(text)
        self._wide = wide
        self._wide_units = [offset + before for before, offset in enumerate(wide)]

    def units(self, offset: int) -> int:
        """Return the number of code units before an offset in characters; one behind the end becomes the end."""
        offset = min(offset, self._length)
        return offset + bisect_left(self._wide, offset)

    def characters(self, units: int) -> int:
        """Return the number of characters before an offset in code units; one behind the end becomes the end."""
        return min(units - bisect_left(self._wide_units, units), self._length)
