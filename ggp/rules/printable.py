"""Make foreign text safe for a screen: rule files, players and expectations may contain anything."""

from __future__ import annotations

import re
from typing import Final

#: Terminal controls and characters that change the writing direction, but neither tabs nor line ends.
_CONTROLS: Final = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")

_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"


def printable(text: str) -> str:
    """Return a line of text with each unprintable character replaced."""
    return text if text.isprintable() else "".join(one if one.isprintable() else _REPLACEMENT for one in text)


def without_controls(text: str) -> str:
    """Return text of any number of lines with each control character replaced.

    Bytes of file names that are not valid text are kept, as the streams of a command escape them.
    """
    return _CONTROLS.sub(_REPLACEMENT, text)
