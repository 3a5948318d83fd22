"""Ratings of players: Bradley-Terry ratings on the Elo scale, and confidence intervals for shares.

Player i is expected to take the share 1 / (1 + 10 ** ((r_j - r_i) / 400)) of the points against j; a draw is half a
point (Bradley and Terry 1952, Elo 1978). Ratings maximize the likelihood, with one additional drawn game of every
player against an opponent rated 0. Without that game, a player that has won every game would have no finite rating, and
players that never met could not be compared. It hardly affects the result of 100 games.

The interval of a rating extends 1.96 standard errors to both sides, computed from the curvature of the likelihood.
Counting draws as half points can make it too wide, but never too narrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

#: Standard errors to either side of a 95% interval.
_WIDTH: Final = 1.959964

#: Elo points per unit of the logistic scale.
_ELO: Final = 400 / log(10)

#: Additional drawn games of every player against an opponent rated 0.
_PRIOR: Final = 1.0

#: Newton's method ends after a step smaller than this, in units of the logistic scale.
_EXACT: Final = 1e-10
_STEPS: Final = 200


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating in Elo points relative to the mean, and half the width of its 95% interval."""

    elo: float
    margin: float


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one player against another: `points` of `games`, 1 for a win and half for a draw."""

    player: str
    other: str
    points: float
    games: float


def ratings(players: Sequence[str], scores: Iterable[Score]) -> dict[str, Rating]:
    """Return the ratings of the players. Each game must occur in exactly one score, from either player's side."""
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
    """Return the 95% interval for the share of points in a number of games (Wilson 1927)."""
    if not games:
        return 0.0, 1.0
    share, weight = points / games, _WIDTH**2 / games
    centre = (share + weight / 2) / (1 + weight)
    width = _WIDTH * sqrt(share * (1 - share) / games + weight / (4 * games)) / (1 + weight)
    return max(0.0, centre - width), min(1.0, centre + width)


def _most_likely(games: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the strengths of maximum likelihood, on the logistic scale, by Newton's method with step halving."""
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
    """Return the logarithm of the likelihood."""
    difference = strengths[:, None] - strengths[None, :]
    prior = np.logaddexp(0, -strengths) + np.logaddexp(0, strengths)
    return -float((points * np.logaddexp(0, -difference)).sum() + _PRIOR / 2 * prior.sum())


def _curvature(games: NDArray[np.float64], strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the negative second derivatives of the log-likelihood."""
    shares = _shares(strengths)
    weights = games * shares * (1 - shares)
    own = _logistic(strengths)
    curvature: NDArray[np.float64] = np.diag(weights.sum(axis=1) + _PRIOR * own * (1 - own)) - weights
    return curvature


def _shares(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the expected share of each player against each other."""
    return _logistic(strengths[:, None] - strengths[None, :])


def _logistic(x: NDArray[np.float64]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = np.exp(-np.logaddexp(0, -x))
    return result
