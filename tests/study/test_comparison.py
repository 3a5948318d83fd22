"""Differences of figures, and which of them are significant."""

from __future__ import annotations

import numpy as np
import pytest

from ggp.study.comparison import changes, difference
from ggp.study.figures import Figure, left_out, mean, share


def test_newcombes_example() -> None:
    """56/70 against 48/80: the difference of 0.2 is from 0.0524 to 0.3339 (Newcombe 1998, method 10, case a)."""
    found = difference(share(48, 80), share(56, 70))
    assert found is not None
    assert found.value == pytest.approx(0.2)
    assert (found.low, found.high) == (pytest.approx(0.0524, abs=1e-4), pytest.approx(0.3339, abs=1e-4))


def test_one_difference_of_twenty_seems_significant_by_chance() -> None:
    draws = np.random.Generator(np.random.PCG64(3))
    samples = [mean(draws.normal(0, 1, 20)) for _ in range(4000)]
    found = [
        changes({"x": old}, {"x": new})[0].significant for old, new in zip(samples[::2], samples[1::2], strict=True)
    ]
    assert np.mean(found) == pytest.approx(0.05, abs=0.015)


def test_what_only_one_game_has_is_no_difference() -> None:
    found = changes(
        {"share of fox": share(3, 9), "draws": left_out("no matches")}, {"draws": Figure(0.5), "x": Figure(1.0)}
    )
    assert [(change.name, change.difference, change.significant) for change in found] == [
        ("share of fox", None, False),
        ("draws", None, False),
        ("x", None, False),
    ]


def test_figures_without_intervals_are_never_significant() -> None:
    (found,) = changes({"length": Figure(1.0, count=1)}, {"length": Figure(9.0, count=1)})
    assert found.difference == Figure(8.0, count=1)
    assert not found.significant
