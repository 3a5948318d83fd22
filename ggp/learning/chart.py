"""Charts of training runs: ratings, and shares of the points against another player, over the minutes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log2, log10
from typing import TYPE_CHECKING, Final, final

from ggp.board.drawing.charts import BOTTOM, WIDTH, colours_of, document, label
from ggp.board.drawing.elements import Element, element

if TYPE_CHECKING:
    from ggp.learning.train import Report

_COLOUR: Final = "#0072b2"
_SIDE: Final = 60
_TOP: Final = 50
_PANEL: Final = 180
_GAP: Final = 40

#: Half the width of the ends of a bar, and the largest number of labels below a panel.
_END: Final = 3
_LABELS: Final = 8

#: The ends of a scale of Elo points are multiples of this.
_HUNDRED: Final = 100.0


@final
@dataclass(frozen=True, slots=True)
class Point:
    """A point of a line, at some minutes, and the interval around its value."""

    minutes: float
    value: float
    low: float
    high: float


def learning_chart(reports: Sequence[Report], title: str) -> str:
    """Return the chart of one training as SVG text. A panel without any figures is left out, and says so."""
    minutes = max((report.seconds / 60 for report in reports), default=0.0) or 1.0
    against = [
        Point(report.seconds / 60, 100 * report.auto.share, *(100 * end for end in report.auto.interval))
        for report in reports
        if report.auto is not None
    ]
    rated = [Point(minute, rating, rating, rating) for minute, rating in ratings(reports)]
    top = max([100.0, *(point.value for point in rated)])
    low = min([0.0, *(point.value for point in rated)])

    def x(minute: float) -> float:
        return _SIDE + (WIDTH - 2 * _SIDE) * minute / minutes

    caption = "rating in points of Elo, from matches against earlier selves"
    parts = [
        *_frame(_TOP, (low, top), caption if rated else f"{caption}: none were played", (low, (low + top) / 2, top)),
        *_banded(_TOP, rated, x, (low, top)),
    ]
    second, caption = _TOP + _PANEL + _GAP, "% of the points against auto(learned=0), with 95% intervals"
    parts += [
        *_frame(second, (0, 100), caption if against else f"{caption}: none were played", (0, 50, 100)),
        *_banded(second, against, x, (0, 100)),
    ]
    height = _TOP + 2 * _PANEL + _GAP + BOTTOM
    parts += [
        label(_SIDE, height - BOTTOM + 16, "0"),
        label(WIDTH - _SIDE, height - BOTTOM + 16, f"{minutes:.1f} minutes", anchor="end"),
    ]
    return document(title, height, parts)


def curves_chart(panels: Mapping[str, Mapping[str, Sequence[Point]]], title: str, unit: str) -> str:
    """Return a chart of many training runs as SVG text: a panel for each game, with a line by name for each training.

    Values have bars, and all panels the same logarithmic scale of minutes, with `unit` as its caption.
    """
    every = [point for lines in panels.values() for points in lines.values() for point in points]
    first = floor(log2(min((point.minutes for point in every), default=1.0)))
    last = max(first + 1, ceil(log2(max((point.minutes for point in every), default=2.0))))
    colours = colours_of(name for lines in panels.values() for name in lines)

    def x(minute: float) -> float:
        return _SIDE + (WIDTH - 2 * _SIDE) * (log2(minute) - first) / (last - first)

    parts: list[Element] = []
    for number, (game, lines) in enumerate(panels.items()):
        top = _TOP + number * (_PANEL + 2 * _GAP)
        values = [end for points in lines.values() for point in points for end in (point.low, point.high)]
        ends = _HUNDRED * floor(min([0.0, *values]) / _HUNDRED), _HUNDRED * ceil(max([1.0, *values]) / _HUNDRED)
        parts += _frame(top, ends, game, sorted({0.0, *ends}))
        parts.append(element("path", d=f"M{_SIDE} {_y(0, top, ends):.1f}H{WIDTH - _SIDE}", stroke="#999"))
        for place, (name, points) in enumerate(lines.items()):
            parts += _barred(top, points, x, ends, colours[name])
            right = WIDTH - _SIDE - 100 * (len(lines) - place)
            parts.append(element("path", d=f"M{right + 30} {top - 14}h20", stroke=colours[name], stroke_width=2))
            parts.append(label(right + 56, top - 10, name))
        for power in range(first, last + 1, ceil((last - first) / _LABELS)):
            parts.append(label(x(2.0**power), top + _PANEL + 16, f"{2.0**power:g}", anchor="middle"))
    height = _TOP + len(panels) * (_PANEL + 2 * _GAP) - 2 * _GAP + BOTTOM
    parts.append(label(WIDTH / 2, height - 10, unit, anchor="middle"))
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
        rating = before + elo(report.earlier.share, report.earlier.games)
        known.append((report.rounds, rating))
        yield report.seconds / 60, rating


def elo(share: float, games: int) -> float:
    """Return the difference in Elo points; a share of 0 or 1 counts as half a point from there."""
    share = min(max(share, 0.5 / games), 1 - 0.5 / games)
    return -400 * log10(1 / share - 1) + 0.0  # never -0.0


def _y(value: float, top: float, ends: tuple[float, float]) -> float:
    """Return the y coordinate of a value in the panel that begins at `top`; `ends` are its lowest and highest value."""
    low, high = ends
    return top + _PANEL * (high - value) / (high - low)


def _frame(top: float, ends: tuple[float, float], caption: str, marks: Sequence[float]) -> Iterator[Element]:
    """Yield lines at some values of the scale of a panel, and its caption."""
    for value in marks:
        y = _y(value, top, ends)
        yield element("path", d=f"M{_SIDE} {y:.1f}H{WIDTH - _SIDE}", stroke="#ddd")
        yield label(_SIDE - 8, y + 4, f"{value:.0f}", anchor="end")
    yield label(_SIDE, top - 10, caption)


def _line(top: float, points: Sequence[Point], x: Callable[[float], float], ends: tuple[float, float]) -> str:
    """Return the path through some points."""
    return "M" + " L".join(f"{x(point.minutes):.1f} {_y(point.value, top, ends):.1f}" for point in points)


def _banded(
    top: float, points: Sequence[Point], x: Callable[[float], float], ends: tuple[float, float]
) -> Iterator[Element]:
    """Yield a line, and the band of its intervals."""
    if not points:
        return
    band = [f"{x(point.minutes):.1f} {_y(point.high, top, ends):.1f}" for point in points]
    band += [f"{x(point.minutes):.1f} {_y(point.low, top, ends):.1f}" for point in reversed(points)]
    yield element("path", d=f"M{' L'.join(band)}Z", fill=_COLOUR, opacity=0.15)
    yield element("path", d=_line(top, points, x, ends), stroke=_COLOUR, fill="none", stroke_width=2)


def _barred(
    top: float, points: Sequence[Point], x: Callable[[float], float], ends: tuple[float, float], colour: str
) -> Iterator[Element]:
    """Yield a line, and a bar for the interval of each point."""
    if not points:
        return
    yield element("path", d=_line(top, points, x, ends), stroke=colour, fill="none", stroke_width=2)
    for point in points:
        at, high, low = x(point.minutes), _y(point.high, top, ends), _y(point.low, top, ends)
        path = f"M{at:.1f} {high:.1f}V{low:.1f}"
        path += "".join(f"M{at - _END:.1f} {y:.1f}h{2 * _END}" for y in (high, low))
        yield element("path", d=path, stroke=colour, opacity=0.6)
        yield element("circle", cx=f"{at:.1f}", cy=f"{_y(point.value, top, ends):.1f}", r=3, fill=colour)
