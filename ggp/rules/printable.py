"""Text of somebody else's making on its way to a screen: rule files, players and expectations may hold anything."""

from __future__ import annotations

import re
from typing import Final

#: Codes for terminals and what turns the direction of writing, but neither tabs nor ends of lines.
_CONTROLS: Final = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")

_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"


def printable(text: str) -> str:
    """Text of one line, with a replacement for each character that is not printable."""
    return text if text.isprintable() else "".join(one if one.isprintable() else _REPLACEMENT for one in text)


def without_controls(text: str) -> str:
    """Text of any number of lines, with a replacement for each control character.

    Bytes of a file name that are no text stay, as the streams of a command escape them.
    """
    return _CONTROLS.sub(_REPLACEMENT, text)
