"""Measures of how matches develop, from curves of evaluations: what the players expected at each ply.

The measures are those of Browne (2008), in the form in which Ludii computes them from evaluations by tree search; but
leads have a margin. docs/guides/study.md has their formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Final, final

import numpy as np

from ggp.study.figures import Figure, left_out, mean, within

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

#: Evaluations that differ by less are equal.
_EQUAL: Final = 1e-9

#: A player leads if it is ahead by more than this. The error of the difference of two expectations that add up to 1 has
#: a standard deviation of up to 0.03 after 1024 simulations; without a margin, such errors would count as lead changes.
_MARGIN: Final = 0.05


@final
@dataclass(frozen=True, slots=True)
class Curve:
    """The evaluations of a match.

    `values` has a row for each ply and a column for each player: its expected goal before the ply, from 0 to 1.
    `winners` are the numbers of the players with the highest goal at the end; none if the match has no goals.
    """

    values: Array
    winners: tuple[int, ...]

    @property
    def decided(self) -> bool:
        """True if not all players have the highest goal."""
        return 0 < len(self.winners) < int(self.values.shape[1])


def curve_of(expected: Sequence[Sequence[float | None]], goals: Sequence[int | None], total: int | None) -> Curve:
    """Return the curve of a match from the goals, 0 to 100, that players expected at each ply, None if unsaid.

    The last expectation of a player holds until the next. If the two players' goals add up to a constant `total`, what
    one expects also says something about the other, and the mean of both views counts: a search sees its own chances a
    little brighter than those of the opponent, so the view of the role to move alone would swing to and fro. Plies at
    which a player's chances are unknown are left out.
    """
    known: list[float | None] = [None] * len(goals)
    rows = []
    for row in expected:
        known = [before if value is None else value for before, value in zip(known, row, strict=True)]
        views = _both_views(known, total) if total is not None and len(known) == 2 else known
        if None not in views:
            rows.append([value / 100 for value in views if value is not None])
    final = [goal for goal in goals if goal is not None]
    best = max(final) if len(final) == len(goals) else None
    winners = tuple(place for place, goal in enumerate(goals) if best is not None and goal == best)
    return Curve(np.array(rows, np.float64).reshape(len(rows), len(goals)), winners)


def _both_views(known: Sequence[float | None], total: int) -> list[float | None]:
    """Return the goals of two players as both see them on average; None if neither has said anything."""
    one, other = known
    views = [view for view in (one, None if other is None else total - other) if view is not None]
    return [fmean(views), total - fmean(views)] if views else [None, None]


def leaders(curve: Curve) -> list[int | None]:
    """Return the player in the lead before each ply, None before there was any.

    A player takes the lead by being ahead of the one who had it, or at first of all others, by more than a margin.
    """
    found: list[int | None] = []
    leader: int | None = None
    for row in curve.values:
        best = int(row.argmax())
        others = np.delete(row, best) if leader is None else row[[leader]]
        if (row[best] - others > _MARGIN).all():
            leader = best
        found.append(leader)
    return found


def drama(curve: Curve) -> float:
    """Return the mean distance by which the winners' evaluations were behind the highest one."""
    behind = curve.values.max(axis=1, keepdims=True) - curve.values[:, list(curve.winners)]
    return float(behind.mean())


def lead_changes(curve: Curve) -> float:
    """Return the share of plies, from the second on, before which the lead has passed from one player to another."""
    passed = [before is not None and before != after for before, after in pairwise(leaders(curve))]
    return sum(passed) / len(passed)


def decisiveness(curve: Curve) -> float:
    """Return the share of plies left when a winner's evaluation first exceeds all that any loser ever has."""
    losers = [place for place in range(curve.values.shape[1]) if place not in curve.winners]
    threshold = curve.values[:, losers].max()
    above = (curve.values[:, list(curve.winners)] > threshold + _EQUAL).any(axis=1)
    return float((len(above) - above.argmax()) / len(above)) if above.any() else 0.0


def stability(curve: Curve) -> float:
    """Return the variance of a player's evaluations over the match, as a mean over the players."""
    return float(curve.values.var(axis=0).mean())


def uncertainty(curve: Curve) -> float:
    """Return one less the mean distance between the two highest evaluations."""
    ordered = np.sort(curve.values, axis=1)
    return float(1 - (ordered[:, -1] - ordered[:, -2]).mean())


def turning_point(curve: Curve) -> int | None:
    """Return the row before whose ply a winner took the lead for good; None without a winner, or if it never led."""
    if not curve.decided:
        return None
    leads = np.array([leader in curve.winners for leader in leaders(curve)])
    if not len(leads) or not leads[-1]:
        return None
    behind = np.flatnonzero(~leads)
    return int(behind[-1]) + 1 if len(behind) else 0


def curve_figures(curves: Sequence[Curve]) -> dict[str, Figure]:
    """Return the figures of some matches' curves, by name."""
    names = ("drama", "lead changes", "decisiveness", "stability", "uncertainty")
    if curves and curves[0].values.shape[1] < 2:
        return dict.fromkeys(names, left_out("the game has one player"))
    told = [curve for curve in curves if len(curve.values) > 1]
    if not told:
        return dict.fromkeys(names, left_out("the players did not evaluate two plies of a match"))
    decided = [curve for curve in told if curve.decided]
    undecided = left_out("no match had a winner")
    measures = {"lead changes": lead_changes, "stability": stability, "uncertainty": uncertainty}
    of_winners = {"drama": drama, "decisiveness": decisiveness}
    found = {name: _mean(measure, told) for name, measure in measures.items()}
    found |= {name: _mean(measure, decided) if decided else undecided for name, measure in of_winners.items()}
    if any(len(curve.winners) > 1 for curve in decided):
        found["uncertainty"] = left_out("several players can win together, so two may be level and a third behind")
    return {name: found[name] for name in names}


def _mean(measure: Callable[[Curve], float], curves: Sequence[Curve]) -> Figure:
    return within(mean(np.array([measure(curve) for curve in curves])), 0, 1)
