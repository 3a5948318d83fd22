"""Ratings and intervals, against values known from elsewhere."""

from __future__ import annotations

from itertools import combinations
from math import log, sqrt

import pytest

from ggp.tournament.ratings import Score, ratings, wilson


def test_three_quarters_of_the_points_are_191_points_of_elo() -> None:
    found = ratings(["a", "b"], [Score("a", "b", 75_000, 100_000)])
    assert found["a"].elo - found["b"].elo == pytest.approx(400 * log(3) / log(10), abs=0.02)  # 190.85
    assert found["a"].elo == pytest.approx(-found["b"].elo)
    # The error of the difference is 1 / sqrt(n p (1 - p)) on the logistic scale; each has half of it.
    error = 400 / log(10) / sqrt(100_000 * 0.75 * 0.25)
    assert found["a"].margin == pytest.approx(1.96 * error / 2, rel=1e-3)


def test_ratings_from_which_points_were_made_are_found_again() -> None:
    true = {"a": 150.0, "b": 40.0, "c": -30.0, "d": -160.0}
    scores = [
        Score(one, other, 1e6 / (1 + 10 ** ((true[other] - true[one]) / 400)), 1e6)
        for one, other in combinations(true, 2)
        if (one, other) != ("a", "d")  # who never met are compared through others
    ]
    found = ratings(list(true), scores)
    assert {player: rating.elo for player, rating in found.items()} == pytest.approx(true, abs=0.01)


def test_one_game_more_is_drawn_against_somebody_rated_0() -> None:
    # a takes x of n + 1: the slope vanishes where n (1 - s(2x)) + 1/2 - s(x) = 0.
    found = ratings(["a", "b"], [Score("a", "b", 10, 10)])
    x = found["a"].elo * log(10) / 400
    assert 10 * (1 - 1 / (1 + 10 ** (-2 * found["a"].elo / 400))) + 0.5 == pytest.approx(
        1 / (1 + 2.718281828459045**-x)
    )
    assert 200 < found["a"].elo < 400


def test_the_order_and_the_side_from_which_points_are_told_do_not_matter() -> None:
    scores = [Score("a", "b", 7, 10), Score("b", "c", 4, 10), Score("c", "a", 2.5, 10)]
    turned = [Score(score.other, score.player, score.games - score.points, score.games) for score in reversed(scores)]
    one, other = ratings(["a", "b", "c"], scores), ratings(["c", "b", "a"], turned)
    for player in "abc":
        assert one[player].elo == pytest.approx(other[player].elo)
        assert one[player].margin == pytest.approx(other[player].margin)


def test_draws_only_and_no_games() -> None:
    assert [rating.elo for rating in ratings(["a", "b"], [Score("a", "b", 5, 10)]).values()] == [0, 0]
    alone = ratings(["a"], [])["a"]
    assert (alone.elo, alone.margin) == (0, 0)
    wide = ratings(["a", "b"], [])
    assert wide["a"].elo == 0
    assert wide["a"].margin > ratings(["a", "b"], [Score("a", "b", 5, 10)])["a"].margin


def test_many_games_won_by_all_lead_to_finite_ratings() -> None:
    players = [str(n) for n in range(12)]
    found = ratings(players, [Score(one, other, 1000, 1000) for one, other in combinations(players, 2)])
    elos = [found[player].elo for player in players]
    assert elos == sorted(elos, reverse=True)
    assert max(elos) < 10_000


@pytest.mark.parametrize(
    ("points", "games", "low", "high"),
    # Newcombe 1998, table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals(points: float, games: float, low: float, high: float) -> None:
    assert wilson(points, games) == pytest.approx((low, high), abs=6e-5)
    assert wilson(games - points, games) == pytest.approx((1 - high, 1 - low), abs=6e-5)


def test_a_share_of_no_games_is_unknown() -> None:
    assert wilson(0, 0) == (0, 1)
