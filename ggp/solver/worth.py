"""The values of states: the goal that each role can force, and the outcome that follows from that."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: So many keys of verdicts, times those of one more role, fit into 64 bits.
_KEYS: Final = 2**48

#: In `Sure.rank`: the role cannot force the game to end.
NOTHING: Final = -1


@final
@dataclass(frozen=True, slots=True)
class Sure:
    """The values that a role can force in each state, whatever the others do."""

    #: The role's goal values in ascending order.
    values: tuple[int, ...]
    #: (states,), int16: the index in `values` of the highest value with which it can force an end; NOTHING if none.
    rank: NDArray[np.int16]
    #: (states,), int32: plies until that end, if the role hurries and the others delay without giving more away; -1
    #: if there is none.
    distance: NDArray[np.int32]


@final
@dataclass(frozen=True, slots=True)
class Verdict:
    """The value of a state.

    `goals` are the roles' goals at the end if nobody makes a mistake; None if no role can force an end that suits it,
    or if the roles' interests are not opposed. `driver` is the role that forces the end, within `plies`. `sure` has,
    for each role, the best value with which it can force the end, whatever the others do; None for no end.
    """

    goals: tuple[int, ...] | None
    driver: int | None
    plies: int | None
    sure: tuple[int | None, ...]


@final
@dataclass(frozen=True, slots=True)
class VerdictGroup:
    """The number of states with the same verdict, and the plies that the longest of them takes; None for no end."""

    verdict: Verdict
    states: int
    plies: int | None


@final
@dataclass(frozen=True, slots=True)
class Worth:
    """The values of all states of a game."""

    roles: tuple[str, ...]
    #: The goal values, in the order of the roles, with which the game may end.
    outcomes: tuple[tuple[int, ...], ...]
    #: The highest goal value that each role may have.
    top: tuple[int, ...]
    sure: tuple[Sure, ...]

    @property
    def opposed(self) -> bool:
        """True if there is one role, or if there are two and more for one of them means less for the other."""
        if len(self.roles) != 2:
            return len(self.roles) == 1
        return all(a[0] < b[0] and a[1] > b[1] for a, b in pairwise(sorted(self.outcomes)))

    def verdict(self, state: int) -> Verdict:
        """Return the value of a state, given its number."""
        sure = tuple(None if own.rank[state] < 0 else own.values[own.rank[state]] for own in self.sure)
        goals, driver = self._decision(sure)
        plies = [int(own.distance[state]) for own in self.sure]
        if goals is not None and driver is None:
            driver = plies.index(min(plies))
        return Verdict(goals, driver, None if driver is None else plies[driver], sure)

    def groups(self) -> list[VerdictGroup]:
        """Return all states, grouped by verdict, the largest group first."""
        import numpy as np

        keys, different = np.zeros(len(self.sure[0].rank), np.int64), 1
        for own in self.sure:
            if different > _KEYS:  # with many roles
                found, keys = np.unique(keys, return_inverse=True)
                different = len(found)
            keys = keys * (len(own.values) + 1) + own.rank + 1
            different *= len(own.values) + 1
        groups = []
        for key, example, count in zip(*np.unique(keys, return_index=True, return_counts=True), strict=True):
            verdict = self.verdict(int(example))
            groups.append(VerdictGroup(verdict, int(count), self._longest(keys == key, verdict)))
        return sorted(groups, key=lambda group: (-group.states, [-goal for goal in group.verdict.goals or ()]))

    def _decision(self, sure: tuple[int | None, ...]) -> tuple[tuple[int, ...] | None, int | None]:
        """Return the goals that follow from the values each role can force, and the role that forces them, or None."""
        if not self.opposed:
            return None, None
        for role, value in enumerate(sure):
            # There is no higher value, so the role has no reason to play on for ever.
            if value is not None and value == self.top[role]:
                return next(goals for goals in self.outcomes if goals[role] == value), role
        for goals in self.outcomes:
            if goals == sure:
                return goals, None
        return None, None

    def _longest(self, chosen: NDArray[np.bool_], verdict: Verdict) -> int | None:
        import numpy as np

        goals, driver = self._decision(verdict.sure)
        if goals is None:
            return None
        distances = [own.distance[chosen] for own in self.sure]
        return int((np.minimum.reduce(distances) if driver is None else distances[driver]).max())
