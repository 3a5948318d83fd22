"""What is proved about a state of which not everything is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Forced:
    """A value that can be forced, and within how many plies; None where that is not known."""

    value: int
    plies: int | None


@final
@dataclass(frozen=True, slots=True)
class Bounds:
    """What each role can force, and what it certainly cannot.

    In a game of two roles, both are about the goal of the first one: it wants much, the other wants it to have
    little. In other games each role is on its own, and it is about its own goal.
    """

    roles: tuple[str, ...]
    #: For each role all values, from the worst to the best for it, that the goal which it is about may have.
    values: tuple[tuple[int, ...], ...]
    #: For each role the best value for it that it can force the game to end with; None where none is proved.
    best: tuple[Forced | None, ...]
    #: For each role the place in `values` from which on it certainly cannot force them.
    limit: tuple[int, ...]
    #: Nothing else can be forced within so many plies.
    depth: int = 0

    @property
    def zero_sum(self) -> bool:
        """Whether both roles are about the same goal."""
        return len(self.roles) == 2

    def about(self, role: int) -> tuple[int, bool]:
        """The role whose goal it is about, and whether the role wants that to be low."""
        return (0, role == 1) if self.zero_sum else (role, False)

    @property
    def closed(self) -> bool:
        """Whether nothing is left to be found out."""
        if self.zero_sum and self.least(0) == self.least(1):
            return True
        return all(self.next_value(role) is None for role in range(len(self.roles)))

    def least(self, role: int) -> int:
        """The worst value for a role that it has to expect where the game ends."""
        best = self.best[role]
        return self.values[role][0] if best is None else best.value

    def next_value(self, role: int) -> int | None:
        """The value that is a bit better than what the role is known to force; None where it cannot force that.

        The worst of all is not asked for: it says nothing but that the role can bring the game to an end.
        """
        best = self.best[role]
        place = 1 if best is None else self.values[role].index(best.value) + 1
        return self.values[role][place] if place < self.limit[role] else None

    def forced(self, role: int, value: int, plies: int | None) -> Bounds:
        """The same, and that a role can force a value within so many plies."""
        best = tuple(Forced(value, plies) if i == role else old for i, old in enumerate(self.best))
        return replace(self, best=best)

    def refuted(self, role: int, value: int) -> Bounds:
        """The same, and that the others can force an end with which a role has less than a value."""
        place = self.values[role].index(value)
        bounds = replace(self, limit=tuple(place if i == role else old for i, old in enumerate(self.limit)))
        if not self.zero_sum:
            return bounds
        other, less = 1 - role, self.values[role][place - 1]
        known = self.values[other].index(self.least(other))
        return bounds.forced(other, less, None) if self.values[other].index(less) > known else bounds

    def searched(self, depth: int) -> Bounds:
        """The same, and that nothing else can be forced within so many plies."""
        return replace(self, depth=depth)


def unknown(roles: tuple[str, ...], values: tuple[tuple[int, ...], ...]) -> Bounds:
    """Nothing is known but which values each role's goal may have, in any order.

    Where there is one only, worse and better ones are added: it is to be asked whether the end can be forced.
    """
    ordered = [tuple(sorted(set(own) if len(set(own)) > 1 else {0, *own, 100})) for own in values]
    if len(roles) == 2:
        ordered[1] = ordered[0][::-1]
    return Bounds(roles, tuple(ordered), (None,) * len(roles), tuple(map(len, ordered)))
