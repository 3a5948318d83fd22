"""How strong players are, from whom they beat: Bradley-Terry ratings on the scale of Elo, and intervals for shares.

Player i is expected to take the share 1 / (1 + 10 ** ((r_j - r_i) / 400)) of the points against j; a draw is half a
point (Bradley and Terry 1952, Elo 1978). The ratings are those of highest likelihood, with one drawn game more for
every player against somebody rated 0: without it, who has won all games would have no finite rating, and players that
never met could not be compared. What 100 games say is hardly changed by that.

The interval of a rating is 1.96 standard errors wide to both sides, from the curvature of the likelihood. Counting
draws as half points makes it rather too wide, never too narrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

#: Standard errors to both sides, for 95 of 100.
_WIDTH: Final = 1.959964

#: Points of Elo's scale for a unit of the logistic one.
_ELO: Final = 400 / log(10)

#: Games that everybody has drawn against somebody rated 0.
_PRIOR: Final = 1.0

#: Newton's method ends after so small a step, in units of the logistic scale.
_EXACT: Final = 1e-10
_STEPS: Final = 200


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating relative to the mean of all, in points of Elo, and half the width of its 95% interval."""

    elo: float
    margin: float


@dataclass(frozen=True, slots=True)
class Score:
    """What one player took from another: `points` of `games`, 1 for a win and half for a draw."""

    player: str
    other: str
    points: float
    games: float


def ratings(players: Sequence[str], scores: Iterable[Score]) -> dict[str, Rating]:
    """The ratings of the players; each pair's games may be told once, from either side, or in parts."""
    place = {player: number for number, player in enumerate(players)}
    count = len(players)
    games = np.zeros((count, count))
    points = np.zeros((count, count))
    for score in scores:
        one, other = place[score.player], place[score.other]
        games[one, other] += score.games
        games[other, one] += score.games
        points[one, other] += score.points
        points[other, one] += score.games - score.points
    strengths = _most_likely(games, points)
    centred = np.eye(count) - 1 / count
    covariance = centred @ np.linalg.inv(_curvature(games, strengths)) @ centred
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    mean = strengths.mean()
    return {
        player: Rating(_ELO * float(strength - mean), _ELO * _WIDTH * float(error))
        for player, strength, error in zip(players, strengths, errors, strict=True)
    }


def wilson(points: float, games: float) -> tuple[float, float]:
    """The 95% interval for a share, given so many points of so many games (Wilson 1927)."""
    if not games:
        return 0.0, 1.0
    share, weight = points / games, _WIDTH**2 / games
    centre = (share + weight / 2) / (1 + weight)
    width = _WIDTH * sqrt(share * (1 - share) / games + weight / (4 * games)) / (1 + weight)
    return max(0.0, centre - width), min(1.0, centre + width)


def _most_likely(games: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The strengths, on the logistic scale, at which the likelihood is highest: by Newton's method, halving steps."""
    strengths = np.zeros(len(games))
    value = _likelihood(points, strengths)
    for _ in range(_STEPS):
        slope = (points - games * _shares(strengths)).sum(axis=1) + _PRIOR * (0.5 - _logistic(strengths))
        step = np.linalg.solve(_curvature(games, strengths), slope)
        if float(np.abs(step).max(initial=0.0)) < _EXACT:
            break
        while (better := _likelihood(points, strengths + step)) < value and float(np.abs(step).max()) > _EXACT:
            step /= 2
        strengths, value = strengths + step, better
    return strengths


def _likelihood(points: NDArray[np.float64], strengths: NDArray[np.float64]) -> float:
    """The logarithm of the likelihood."""
    difference = strengths[:, None] - strengths[None, :]
    prior = np.logaddexp(0, -strengths) + np.logaddexp(0, strengths)
    return -float((points * np.logaddexp(0, -difference)).sum() + _PRIOR / 2 * prior.sum())


def _curvature(games: NDArray[np.float64], strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """The negative second derivatives of the likelihood's logarithm."""
    shares = _shares(strengths)
    weights = games * shares * (1 - shares)
    own = _logistic(strengths)
    curvature: NDArray[np.float64] = np.diag(weights.sum(axis=1) + _PRIOR * own * (1 - own)) - weights
    return curvature


def _shares(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """What each is expected to take from each other."""
    return _logistic(strengths[:, None] - strengths[None, :])


def _logistic(x: NDArray[np.float64]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = np.exp(-np.logaddexp(0, -x))
    return result
