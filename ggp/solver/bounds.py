"""Bounds: what is proved about a state that is not solved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Forced:
    """A value that can be forced, and the number of plies needed; None if that is unknown."""

    value: int
    plies: int | None


@final
@dataclass(frozen=True, slots=True)
class Bounds:
    """The values that each role can force, and those that it certainly cannot.

    In a game of two roles, both play for the goal of the first one: the first role wants it to be high, the other wants
    it to be low. In other games, each role plays for its own goal.
    """

    roles: tuple[str, ...]
    #: For each role, all possible values of the goal that it plays for, from the worst to the best for the role.
    values: tuple[tuple[int, ...], ...]
    #: For each role, the best value with which it can force the end of the game; None if none is proved.
    best: tuple[Forced | None, ...]
    #: For each role, the index in `values` from which on it certainly cannot force them.
    limit: tuple[int, ...]
    #: Nothing else can be forced within this number of plies.
    depth: int = 0

    @property
    def zero_sum(self) -> bool:
        """True if both roles play for the same goal."""
        return len(self.roles) == 2

    def about(self, role: int) -> tuple[int, bool]:
        """Return the role whose goal a role plays for, and True if it wants that goal to be low."""
        return (0, role == 1) if self.zero_sum else (role, False)

    @property
    def closed(self) -> bool:
        """True if nothing is left to find out."""
        if self.zero_sum and self.least(0) == self.least(1):
            return True
        return all(self.next_value(role) is None for role in range(len(self.roles)))

    def least(self, role: int) -> int:
        """Return the worst value that a role has to expect if the game ends."""
        best = self.best[role]
        return self.values[role][0] if best is None else best.value

    def next_value(self, role: int) -> int | None:
        """Return the next better value than the one a role is known to force; None if it cannot force that.

        The worst value is skipped, as forcing it only means to bring the game to an end.
        """
        best = self.best[role]
        place = 1 if best is None else self.values[role].index(best.value) + 1
        return self.values[role][place] if place < self.limit[role] else None

    def forced(self, role: int, value: int, plies: int | None) -> Bounds:
        """Return these bounds, with the fact that a role can force a value within `plies` plies."""
        best = tuple(Forced(value, plies) if i == role else old for i, old in enumerate(self.best))
        return replace(self, best=best)

    def refuted(self, role: int, value: int) -> Bounds:
        """Return these bounds, with the fact that the others can force an end below a value of a role."""
        place = self.values[role].index(value)
        bounds = replace(self, limit=tuple(place if i == role else old for i, old in enumerate(self.limit)))
        if not self.zero_sum:
            return bounds
        other, less = 1 - role, self.values[role][place - 1]
        known = self.values[other].index(self.least(other))
        return bounds.forced(other, less, None) if self.values[other].index(less) > known else bounds

    def searched(self, depth: int) -> Bounds:
        """Return these bounds, with the fact that nothing else can be forced within `depth` plies."""
        return replace(self, depth=depth)


def unknown(roles: tuple[str, ...], values: tuple[tuple[int, ...], ...]) -> Bounds:
    """Return the bounds if nothing is known except the possible values of each role's goal, in any order.

    If there is only one, a worse and a better one are added, so that the search asks if the end can be forced.
    """
    ordered = [tuple(sorted(set(own) if len(set(own)) > 1 else {0, *own, 100})) for own in values]
    if len(roles) == 2:
        ordered[1] = ordered[0][::-1]
    return Bounds(roles, tuple(ordered), (None,) * len(roles), tuple(map(len, ordered)))
