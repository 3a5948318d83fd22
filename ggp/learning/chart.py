"""The chart of a training: its rating, and its share of the points against `auto`, over the minutes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log10
from typing import TYPE_CHECKING, Final

from ggp.board.drawing.charts import BOTTOM, WIDTH, document, label
from ggp.board.drawing.elements import Element, element

if TYPE_CHECKING:
    from ggp.learning.measuring import Score
    from ggp.learning.train import Report

_COLOUR: Final = "#0072b2"
_SIDE: Final = 60
_TOP: Final = 50
_PANEL: Final = 180
_GAP: Final = 40

#: A point of a line, and the interval around it.
_Point = tuple[float, float, float, float]


def learning_chart(reports: Sequence[Report], title: str) -> str:
    """Return the chart as SVG text. A panel without any figures is left out, and says so."""
    minutes = max((report.seconds / 60 for report in reports), default=0.0) or 1.0
    against = [
        (report.seconds / 60, 100 * report.auto.share, 100 * report.auto.interval[0], 100 * report.auto.interval[1])
        for report in reports
        if report.auto is not None
    ]
    rated = [(minute, rating, rating, rating) for minute, rating in ratings(reports)]
    top = max([100.0, *(rating for _, rating, _, _ in rated)])
    low = min([0.0, *(rating for _, rating, _, _ in rated)])
    parts = [
        *_panel(_TOP, rated, minutes, (low, top), "rating in points of Elo, from matches against earlier selves"),
        *_panel(_TOP + _PANEL + _GAP, against, minutes, (0, 100), "% of the points against auto, with 95% intervals"),
    ]
    height = _TOP + 2 * _PANEL + _GAP + BOTTOM
    parts += [
        label(_SIDE, height - BOTTOM + 16, "0"),
        label(WIDTH - _SIDE, height - BOTTOM + 16, f"{minutes:.1f} minutes", anchor="end"),
    ]
    return document(title, height, parts)


def ratings(reports: Sequence[Report]) -> Iterator[tuple[float, float]]:
    """Yield minutes and ratings: that of an earlier self, and the difference by which it is beaten.

    The rating is 0 at first. Of an earlier self, it is that of the nearest report.
    """
    known: list[tuple[int, float]] = [(0, 0.0)]
    for report in reports:
        if report.earlier is None:
            continue
        _, before = min(known, key=lambda one: abs(one[0] - (report.earlier.rounds if report.earlier else 0)))
        rating = before + _elo(report.earlier)
        known.append((report.rounds, rating))
        yield report.seconds / 60, rating


def _elo(score: Score) -> float:
    """Return the difference in Elo points; a share of 0 or 1 counts as half a point from there."""
    share = min(max(score.share, 0.5 / score.games), 1 - 0.5 / score.games)
    return -400 * log10(1 / share - 1)


def _panel(
    top: float, points: Sequence[_Point], minutes: float, ends: tuple[float, float], caption: str
) -> Iterator[Element]:
    """Yield a panel with a line, and the band of its intervals."""
    low, high = ends
    bottom = top + _PANEL

    def x(minute: float) -> float:
        return _SIDE + (WIDTH - 2 * _SIDE) * minute / minutes

    def y(value: float) -> float:
        return bottom - _PANEL * (value - low) / (high - low)

    for value in (low, (low + high) / 2, high):
        yield element("path", d=f"M{_SIDE} {y(value):.1f}H{WIDTH - _SIDE}", stroke="#ddd")
        yield label(_SIDE - 8, y(value) + 4, f"{value:.0f}", anchor="end")
    yield label(_SIDE, top - 10, caption if points else f"{caption}: none were played")
    if not points:
        return
    band = [f"{x(minute):.1f} {y(upper):.1f}" for minute, _, _, upper in points]
    band += [f"{x(minute):.1f} {y(lower):.1f}" for minute, _, lower, _ in reversed(points)]
    yield element("path", d=f"M{' L'.join(band)}Z", fill=_COLOUR, opacity=0.15)
    line = " L".join(f"{x(minute):.1f} {y(value):.1f}" for minute, value, _, _ in points)
    yield element("path", d=f"M{line}", stroke=_COLOUR, fill="none", stroke_width=2)
