"""Rewards from goal values."""

from __future__ import annotations

import pytest
from support.toy_rules import NIM

import gdl
from ggp.environments.game import EnvironmentGame
from ggp.environments.rewards import goals_of_offence

#: Three roles share 90 in all; or one role alone.
SHARED = """(role a) (role b) (role c) (init on) (legal a x) (legal a y) (legal b z) (legal c z)
(<= (next (took ?m)) (does a ?m)) (<= terminal (not (true on)))
(<= (goal a 90) (true (took x))) (<= (goal b 0) (true (took x))) (<= (goal c 0) (true (took x)))
(<= (goal ?r 30) (role ?r) (true (took y)))"""
ALONE = """(role a) (init on) (legal a x) (legal a y) (<= (next (took ?m)) (does a ?m)) (<= terminal (not (true on)))
(<= (goal a 80) (true (took x))) (<= (goal a 20) (true (took y)))"""


@pytest.mark.parametrize(
    ("rules", "goal", "unit", "centered"),
    [
        (NIM, 100, 1.0, 1.0),
        (NIM, 0, 0.0, -1.0),
        (SHARED, 30, 0.3, 0.0),
        (SHARED, 0, 0.0, -30 / 70),
        (SHARED, 90, 0.9, 60 / 70),
        (ALONE, 80, 0.8, 0.6),
        (ALONE, 50, 0.5, 0.0),
    ],
)
def test_scales(rules: str, goal: int, unit: float, centered: float) -> None:
    game = EnvironmentGame(gdl.compile(rules, cache=False))
    assert game.rewards().of(goal) == pytest.approx(unit)
    assert game.rewards("centered").of(goal) == pytest.approx(centered)
    for scale in ("unit", "centered"):
        rewards = game.rewards(scale)
        assert -1 <= rewards.lowest <= rewards.of(goal) <= rewards.highest <= 1


def test_unknown_scales_are_refused() -> None:
    with pytest.raises(ValueError, match="large"):
        EnvironmentGame("tic_tac_toe").rewards("large")


def test_offences() -> None:
    assert goals_of_offence(1, (0, 1)) == {0: 100, 1: 0}
    assert goals_of_offence(0, (0, 1, 2)) == {0: 0, 1: 50, 2: 50}
    assert goals_of_offence(0, (0,)) == {0: 0}
