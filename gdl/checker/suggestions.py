"""Suggestions of names that may be meant, for the ends of messages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final, final

from gdl.errors import nearest

#: The similarity above which one name may be a misspelling of another; 1 is equality.
_NEAR: Final = 0.75

#: The number of comparisons of two names after which no more suggestions are made, so that a file with very many
#: unknown names is checked in linear time.
_COMPARISONS: Final = 200_000


def did_you_mean(meant: str | None) -> str:
    """Return a suggestion for the end of a message, or "" if there is none."""
    return f"; did you mean {meant}?" if meant else ""


@final
class Suggestions:
    """Finds known names that are spelled like unknown ones; `spelling` maps keys of names to the spelling shown."""

    def __init__(self, spelling: Mapping[str, str]) -> None:
        """Start with the full number of comparisons."""
        self._spelling = spelling
        self._left = _COMPARISONS

    def nearest(
        self, word: str, known: Callable[[], Collection[str]], keep: Callable[[str, str], bool] | None = None
    ) -> str | None:
        """Return the known word most like this one, as it is spelled in the file; None if none is similar.

        `known` is called unless too many names have been compared before. `keep` decides which of them to consider.
        """
        if self._left <= 0:
            return None
        words = set(known()) - {word}
        self._left -= len(words) + 1
        kept = sorted(words if keep is None else (other for other in words if keep(word, other)))
        near = nearest(word, kept, cutoff=_NEAR)
        return self._spelling.get(near[0], near[0]) if near else None
