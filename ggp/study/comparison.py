"""Comparisons of two studies: what a change of the rules did to a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot
from typing import Any, final

from ggp.study.figures import Figure
from ggp.study.study import Study


@final
@dataclass(frozen=True, slots=True)
class Change:
    """A figure of two games, and the difference of the second from the first; None if one of them has no value."""

    name: str
    old: Figure | None
    new: Figure | None
    difference: Figure | None

    @property
    def significant(self) -> bool:
        """True if the interval of the difference excludes 0."""
        found = self.difference
        return (
            found is not None and found.low is not None and found.high is not None and not found.low <= 0 <= found.high
        )

    def as_json(self) -> dict[str, Any]:
        """Return the change in its JSON form."""
        found = self.difference
        return {
            "figure": self.name,
            "old": None if self.old is None else self.old.as_json(),
            "new": None if self.new is None else self.new.as_json(),
            "difference": None if found is None else found.value,
            "interval": None if found is None or found.low is None else [found.low, found.high],
            "significant": self.significant,
        }


@final
@dataclass(frozen=True, slots=True)
class Comparison:
    """The studies of two games, and how the figures of random and of strong play differ."""

    old: Study
    new: Study

    @property
    def random(self) -> list[Change]:
        """The changes of the figures of random play."""
        return changes(self.old.random, self.new.random)

    @property
    def strong(self) -> list[Change]:
        """The changes of the figures of strong play."""
        return changes(_strong(self.old), _strong(self.new))


def changes(old: Mapping[str, Figure], new: Mapping[str, Figure]) -> list[Change]:
    """Return the changes of figures, in the order of the old ones, then of those that only the new game has."""
    names = [*old, *(name for name in new if name not in old)]
    return [Change(name, old.get(name), new.get(name), difference(old.get(name), new.get(name))) for name in names]


def difference(old: Figure | None, new: Figure | None) -> Figure | None:
    """Return the difference of two independent figures, with the interval that follows from theirs.

    It is Newcombe's (1998) for shares, and the same for all other figures (Zou and Donner 2008).
    """
    if old is None or new is None or old.value is None or new.value is None:
        return None
    centre = new.value - old.value
    count = min(old.count, new.count)
    if old.low is None or old.high is None or new.low is None or new.high is None:
        return Figure(centre, count=count)
    low = centre - hypot(new.value - new.low, old.high - old.value)
    high = centre + hypot(new.high - new.value, old.value - old.low)
    return Figure(centre, low, high, count)


def _strong(found: Study) -> dict[str, Figure]:
    return {} if found.strong is None else found.strong.figures()
