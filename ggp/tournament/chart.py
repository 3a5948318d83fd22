"""Ratings with their intervals, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor
from typing import Final

from ggp.board.drawing.charts import BOTTOM, Scale, colours_of, document, label
from ggp.board.drawing.elements import Element, element
from ggp.tournament.ratings import Rating
from ggp.tournament.standings import Table

_LEFT: Final = 230
_TOP: Final = 48
_ROW: Final = 20
_GAP: Final = 34
#: Steps between the lines of the scale: the first that makes no more than so many lines.
_STEPS: Final = (25, 50, 100, 200, 500, 1000, 2000, 5000)
_LINES: Final = 10
#: Characters of a name that there is room for.
_LONGEST: Final = 32


def rating_chart(tables: Sequence[Table], *, title: str) -> str:
    """The chart as the text of an SVG file: the tables below each other, in each a point and a bar for a player."""
    rated = [(table.name, [(line.player, line.rating) for line in table.lines if line.rating]) for table in tables]
    colours = colours_of(line.player for table in tables for line in table.lines)
    ratings = [rating for _, rows in rated for _, rating in rows]
    height = _TOP + sum(_GAP + _ROW * len(rows) for _, rows in rated) + BOTTOM
    scale, step = _scale(ratings)
    lines = [
        scale.line(value, f"{value:+d}" if value else "0", _TOP, height, bold=value == 0)
        for value in range(int(scale.low), int(scale.high) + 1, step)
    ]
    parts = [
        *(part for line in lines for part in line),
        scale.caption("rating in points of Elo, with 95% intervals", height),
        *_groups(rated, colours, scale),
    ]
    return document(title, height, parts)


def _scale(ratings: Sequence[Rating]) -> tuple[Scale, int]:
    """A scale for the intervals of some ratings, and the step between its lines."""
    ends = [rating.elo + sign * rating.margin for rating in ratings for sign in (-1, 1)] or [0.0]
    step = next((one for one in _STEPS if (max(ends) - min(ends)) / one <= _LINES), _STEPS[-1])
    low, high = floor(min(ends) / step) * step, max(ceil(max(ends) / step), floor(min(ends) / step) + 1) * step
    return Scale(low, high, _LEFT), step


def _groups(
    rated: Sequence[tuple[str, Sequence[tuple[str, Rating]]]], colours: Mapping[str, str], scale: Scale
) -> Iterator[Element]:
    top = float(_TOP)
    for name, rows in rated:
        yield label(12, top + 18, name, weight="bold")
        top += _GAP - 10
        for player, rating in rows:
            yield from _row(name, player, rating, colours[player], top + _ROW / 2, scale)
            top += _ROW
        top += 10


def _row(table: str, player: str, rating: Rating, colour: str, y: float, scale: Scale) -> Iterator[Element]:
    elo, margin = rating.elo, rating.margin
    low, middle, high = (scale.across(value) for value in (elo - margin, elo, elo + margin))
    yield label(_LEFT - 8, y + 4, _shortened(player), anchor="end")
    yield element(
        "path",
        d=f"M{low:.1f} {y:g}H{high:.1f}M{low:.1f} {y - 4:g}v8M{high:.1f} {y - 4:g}v8",
        stroke=colour,
        stroke_width=2,
    )
    told = f"{elo:+.0f} ± {margin:.0f}"
    yield element("circle", element("title", f"{player} in {table}: {told}"), cx=middle, cy=y, r=4, fill=colour)
    yield label(scale.across(scale.high) + 8, y + 4, told)


def _shortened(name: str) -> str:
    """A player's name as there is room for it: of the path of a file, the end tells more."""
    return name if len(name) <= _LONGEST else f"...{name[3 - _LONGEST :]}"
