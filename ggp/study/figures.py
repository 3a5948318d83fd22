"""Figures: values that are estimated from matches, with their 95% intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any, Final, final

from ggp.tournament.ratings import wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

#: The standard normal distribution has 95% of its mass within this distance of its mean.
_NORMAL: Final = 1.959964


@final
@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its 95% interval, estimated from `count` matches.

    Without an interval, `low` and `high` are None. A figure that does not apply has no value, and a `reason`.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    count: int = 0
    reason: str = ""

    @property
    def error(self) -> float | None:
        """The standard error; None without an interval."""
        if self.low is None or self.high is None:
            return None
        return (self.high - self.low) / 2 / _NORMAL

    def as_json(self) -> dict[str, Any]:
        """Return the figure in its JSON form."""
        interval = None if self.low is None else [self.low, self.high]
        return {"value": self.value, "interval": interval, "matches": self.count, "reason": self.reason or None}


def within(figure: Figure, lowest: float, highest: float) -> Figure:
    """Return a figure whose interval ends at the lowest and highest possible values."""
    if figure.low is None or figure.high is None:
        return figure
    return replace(figure, low=max(lowest, figure.low), high=min(highest, figure.high))


def left_out(reason: str) -> Figure:
    """Return the figure that has no value for a reason."""
    return Figure(None, reason=reason)


def mean(values: Values) -> Figure:
    """Return the mean of a value of each match, with the interval of Student's t-distribution."""
    count = len(values)
    if not count:
        return left_out("no matches")
    centre = float(values.mean())
    if count < 2:
        return Figure(centre, count=count)
    width = student(count - 1) * float(values.std(ddof=1)) / sqrt(count)
    return Figure(centre, centre - width, centre + width, count)


def ratio(parts: Values, wholes: Values) -> Figure:
    """Return the sum of `parts` over the sum of `wholes`, which are values of the same matches.

    The interval treats each match as one draw, as the plies of a match are not independent (delta method).
    """
    count = len(parts)
    if not count or not wholes.sum():
        return left_out("no plies")
    centre = float(parts.sum() / wholes.sum())
    if count < 2:
        return Figure(centre, count=count)
    spread = float((parts - centre * wholes).std(ddof=1))
    width = student(count - 1) * spread / sqrt(count) / float(wholes.mean())
    return Figure(centre, centre - width, centre + width, count)


def share(points: float, count: int) -> Figure:
    """Return the share of points, at most one for each match, with Wilson's interval."""
    if not count:
        return left_out("no matches")
    low, high = wilson(points, count)
    return Figure(points / count, low, high, count)


def student(freedom: int) -> float:
    """Return the 97.5% quantile of Student's t-distribution.

    By the Cornish-Fisher expansion (Abramowitz and Stegun, 26.7.5), which is good to 1% from 3 degrees of freedom on.
    """
    known = {1: 12.7062, 2: 4.3027}
    if freedom in known:
        return known[freedom]
    z = _NORMAL
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / float(freedom) ** (place + 1) for place, term in enumerate(terms))
