"""The chart of a training run."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from ggp.learning.chart import learning_chart, ratings
from ggp.learning.measuring import Score
from ggp.learning.train import Report


def report(rounds: int, earlier: Score | None, auto: Score | None = None) -> Report:
    return Report(rounds, 1000 * rounds, 10_000, 30.0 * rounds, 100.0, 4, 20.0, 50.0, earlier, auto)


def test_a_rating_is_that_of_the_earlier_self_and_the_difference() -> None:
    three_quarters = 190.85  # points of Elo
    reports = [
        report(2, None),
        report(4, Score(30, 40, 1)),  # the nearest is the beginning
        report(8, Score(30, 40, 4)),
        report(10, Score(20, 40, 4)),
        report(16, Score(40, 40, 10)),  # won all: as if half a point were lost
    ]
    found = dict(ratings(reports))
    assert found.keys() == {2.0, 4.0, 5.0, 8.0}
    assert found[2.0] == pytest.approx(three_quarters, abs=0.1)
    assert found[4.0] == pytest.approx(2 * three_quarters, abs=0.1)
    assert found[5.0] == pytest.approx(three_quarters, abs=0.1)
    assert found[8.0] > found[5.0] + 700


@pytest.mark.parametrize("reports", [[], [report(2, None)], [report(2, Score(1, 2, 1), Score(1, 2))]])
def test_there_is_always_a_chart(reports: list[Report]) -> None:
    root = ET.fromstring(learning_chart(reports, "training of a < b"))
    assert "training of a < b" in root.itertext()
    assert sum("none were played" in text for text in root.itertext()) == (0 if reports and reports[0].auto else 2)
