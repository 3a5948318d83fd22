"""Measures of evaluation curves, on curves made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ggp.study.curves import (
    Curve,
    curve_figures,
    curve_of,
    decisiveness,
    drama,
    lead_changes,
    stability,
    turning_point,
    uncertainty,
)


def curve(*first: float, winner: int | None = 0) -> Curve:
    """The curve of a match of two, from what the first player expects."""
    values = np.array([[value, 1 - value] for value in first])
    return Curve(values, (0, 1) if winner is None else (winner,))


COMEBACK = curve(0.5, 0.3, 0.2, 0.6, 0.9)


def test_a_comeback() -> None:
    # Behind by 0.4 and 0.6 at two of five plies.
    assert drama(COMEBACK) == pytest.approx(0.2)
    # From the second player to the first; at the start, nobody led.
    assert lead_changes(COMEBACK) == pytest.approx(1 / 4)
    # The loser's best is 0.8: only the last ply is beyond.
    assert decisiveness(COMEBACK) == pytest.approx(1 / 5)
    assert turning_point(COMEBACK) == 3
    assert uncertainty(COMEBACK) == pytest.approx(1 - (0 + 0.4 + 0.6 + 0.2 + 0.8) / 5)
    assert stability(COMEBACK) == pytest.approx(np.var([0.5, 0.3, 0.2, 0.6, 0.9]))


def test_a_walkover() -> None:
    found = curve(0.6, 0.8, 1.0)
    assert drama(found) == lead_changes(found) == 0
    assert decisiveness(found) == 1
    assert turning_point(found) == 0


def test_small_differences_are_errors_of_the_evaluation() -> None:
    found = curve(0.51, 0.49, 0.515, 0.48, 0.5, 0.7)
    assert lead_changes(found) == 0
    assert turning_point(found) == 5
    # Who leads does so until somebody else is ahead by more than the margin.
    assert lead_changes(curve(0.6, 0.49, 0.6, 0.47, 0.49)) == pytest.approx(1 / 4)
    assert turning_point(curve(0.51)) is None


def test_a_winner_who_never_saw_it_coming() -> None:
    found = curve(0.4, 0.3, winner=0)
    assert turning_point(found) is None
    assert decisiveness(found) == 0
    assert drama(found) == pytest.approx(0.3)


def test_draws_have_no_drama() -> None:
    figures = curve_figures([curve(0.5, 0.6, winner=None)])
    assert figures["drama"].reason == figures["decisiveness"].reason == "no match had a winner"
    assert figures["uncertainty"].value == pytest.approx(0.9)


def test_three_players() -> None:
    values = np.array([[0.5, 0.3, 0.1], [0.2, 0.6, 0.1], [0.1, 0.2, 0.9]])
    found = Curve(values, (2,))
    assert drama(found) == pytest.approx((0.4 + 0.5 + 0) / 3)
    assert lead_changes(found) == 1
    assert turning_point(found) == 2


def test_several_winners() -> None:
    values = np.array([[0.6, 0.6, 0.6], [0.9, 0.8, 0.1]])
    figures = curve_figures([Curve(values, (0, 1))])
    assert figures["uncertainty"].value is None
    assert figures["uncertainty"].reason.startswith("several players can win together")
    assert figures["drama"].value == pytest.approx(0.1 / 4)
    assert turning_point(Curve(values, (0, 1))) == 1


def test_one_player_has_no_curve() -> None:
    figures = curve_figures([Curve(np.array([[0.5], [0.6]]), (0,))])
    assert {figure.reason for figure in figures.values()} == {"the game has one player"}


class TestCurveOf:
    def test_what_one_of_two_expects_is_known_of_the_other(self) -> None:
        found = curve_of([[60.0, None], [None, 50.0], [None, 30.0]], [100, 0], 100)
        assert found.values == pytest.approx(np.array([[0.6, 0.4], [0.55, 0.45], [0.65, 0.35]]))
        assert found.winners == (0,)
        assert found.decided

    def test_hopes_of_both_players_do_not_change_the_lead(self) -> None:
        found = curve_of([[55.0, None], [None, 55.0]] * 4, [50, 50], 100)
        assert found.values[1:] == pytest.approx(0.5)
        assert lead_changes(found) == 0

    def test_both_at_once(self) -> None:
        found = curve_of([[70.0, 50.0]], [100, 0], 100)
        assert found.values == pytest.approx(np.array([[0.6, 0.4]]))

    def test_expectations_hold_until_the_next(self) -> None:
        found = curve_of([[60.0, None], [None, 70.0], [50.0, None]], [50, 50], None)
        assert found.values == pytest.approx(np.array([[0.6, 0.7], [0.5, 0.7]]))
        assert not found.decided

    def test_matches_without_goals_have_no_winner(self) -> None:
        assert curve_of([[60.0, 40.0]], [None, None], None).winners == ()
