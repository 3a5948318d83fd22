"""The matches of one kind of play, in arrays, and the figures that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Final, final

import numpy as np

from ggp.study.figures import Figure, left_out, mean, ratio, share, within

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The goal value of a role without one.
NO_GOAL: Final = -1


@final
@dataclass(frozen=True, slots=True)
class Sample:
    """Matches of a game; each array has an element, or a row, for each match.

    `roles` are the roles of players. `finished` matches ended before the limit of plies; only their `goals` (a column
    for each role) count. `choices` sums the numbers of the players' joint moves over the plies of a match, and
    `decisions` is the number of plies in which a player has more than one move.
    """

    roles: tuple[str, ...]
    plies: NDArray[np.float64]
    finished: NDArray[np.bool_]
    goals: NDArray[np.int64]
    choices: NDArray[np.float64]
    decisions: NDArray[np.float64]

    def __len__(self) -> int:
        """Return the number of matches."""
        return len(self.plies)

    @property
    def results(self) -> NDArray[np.int64]:
        """The goals of the finished matches in which every player has one."""
        found: NDArray[np.int64] = self.goals[self.finished & (self.goals != NO_GOAL).all(axis=1)]
        return found


def join(samples: Sequence[Sample]) -> Sample:
    """Return several samples of the same game as one."""
    return Sample(
        samples[0].roles,
        *(
            np.concatenate([getattr(one, name) for one in samples])
            for name in ("plies", "finished", "goals", "choices", "decisions")
        ),
    )


def points(goals: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the points of each role: one for the highest goal of a match, shared by those who have it."""
    best = goals == goals.max(axis=1, keepdims=True)
    shared: NDArray[np.float64] = best / best.sum(axis=1, keepdims=True)
    return shared


def figures_of(sample: Sample) -> dict[str, Figure]:
    """Return the figures of a sample, by name."""
    results = sample.results
    finished = sample.finished
    drawn = (results == results[:, :1]).all(axis=1)
    found = {
        "length": within(mean(sample.plies[finished]), 0, inf)
        if finished.any()
        else left_out("no match ended before the limit"),
        "branching factor": within(ratio(sample.choices, sample.plies), 1, inf),
        "decisions": within(ratio(sample.decisions, sample.plies), 0, 1),
        "completion": share(float(finished.sum()), len(sample)),
    }
    if len(sample.roles) < 2:
        found["draws"] = left_out("the game has one player")
    elif not len(results):
        found["draws"] = left_out("no match ended with goals")
    else:
        found["draws"] = share(float(drawn.sum()), len(results))
    for place, role in enumerate(sample.roles):
        names = ["wins", "share", "goal"] if len(sample.roles) > 1 else ["goal"]
        if not len(results):
            found.update({f"{name} of {role}": left_out("no match ended with goals") for name in names})
            continue
        if len(sample.roles) > 1:
            own = points(results)[:, place]
            found[f"wins of {role}"] = share(float(((own > 0) & ~drawn).sum()), len(results))
            found[f"share of {role}"] = share(float(own.sum()), len(results))
        found[f"goal of {role}"] = within(mean(results[:, place].astype(np.float64)), 0, 100)
    return found
