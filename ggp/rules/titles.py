"""Titles for people, made of the names of rule files."""

from __future__ import annotations

import re
from typing import Final

#: Where a new word begins: `tic|Tac`, `GDL|Chess`, `6|Disks`, `connect|4`, but not `8x8`, `3p` or `6E`.
_BORDER: Final = re.compile(
    r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[0-9])(?=[A-Z][a-z])|(?<=[A-Za-z]{3})(?=[0-9])"
)

#: The largest number of capitals that are taken for an abbreviation.
_ABBREVIATION: Final = 4


def title_of(name: str) -> str:
    """Return a title for the name or path of a rule file: `classics/connectFour_9x6` becomes `Connect four 9x6`."""
    bare = name.rpartition("/")[2].replace("_", " ")
    words = [_plain(word) for word in _BORDER.sub(" ", bare).split()]
    text = " ".join(words)
    return text[:1].upper() + text[1:]


def _plain(word: str) -> str:
    letters = sum(map(str.isalpha, word))
    return word if word.isupper() and letters <= _ABBREVIATION else word.lower()
