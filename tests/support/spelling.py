"""Rule texts with names spelled at random: the same games, if names are compared regardless of case."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from random import Random
from typing import Final

_STYLES: Final[tuple[Callable[[str], str], ...]] = (str.lower, str.upper, str.swapcase, str.title)
_WORD_OR_COMMENT = re.compile(r";[^\n]*|[^\s();]+")


def recased(text: str, random: Random) -> str:
    """The text with the case of every name and variable chosen at random, each time it occurs."""

    def respelled(word: str) -> str:
        return word if word.startswith(";") else random.choice(_STYLES)(word)

    return _WORD_OR_COMMENT.sub(lambda match: respelled(match[0]), text)


def folded(values: Iterable[object]) -> list[str]:
    """The texts of values regardless of case, sorted."""
    return sorted(str(value).lower() for value in values)
