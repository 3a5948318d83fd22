"""Ratings with their intervals, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor
from typing import Final
from xml.sax.saxutils import escape

from ggp.tournament.standings import Table

WIDTH: Final = 800
_LEFT: Final = 230
_RIGHT: Final = 90
_TOP: Final = 48
_ROW: Final = 20
_GAP: Final = 34
_BOTTOM: Final = 48
#: Colours that people who see colours differently tell apart (Okabe and Ito 2008).
_COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
#: Steps between the lines of the scale: the first that makes no more than so many lines.
_STEPS: Final = (25, 50, 100, 200, 500, 1000, 2000, 5000)
_LINES: Final = 10
#: Characters of a name that there is room for.
_LONGEST: Final = 32


def rating_chart(tables: Sequence[Table], *, title: str) -> str:
    """The chart as the text of an SVG file: the tables below each other, in each a point and a bar for a player."""
    rows = [line for table in tables for line in table.lines if line.rating]
    ends = [
        line.rating.elo + sign * line.rating.margin for line in rows if line.rating is not None for sign in (-1, 1)
    ] or [0.0]
    step = next((one for one in _STEPS if (max(ends) - min(ends)) / one <= _LINES), _STEPS[-1])
    low, high = floor(min(ends) / step) * step, max(ceil(max(ends) / step), floor(min(ends) / step) + 1) * step
    colours = _colours(tables)
    height = (
        _TOP + sum(_GAP + _ROW * sum(line.rating is not None for line in table.lines) for table in tables) + _BOTTOM
    )
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        _text(WIDTH / 2, 22, title, anchor="middle", size=15),
        *_scale(low, high, step, height),
        *_groups(tables, colours, low, high),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _colours(tables: Sequence[Table]) -> dict[str, str]:
    """A colour for each player, whichever table is looked at."""
    players = list(dict.fromkeys(line.player for table in tables for line in table.lines))
    return {player: _COLOURS[number % len(_COLOURS)] for number, player in enumerate(players)}


def _groups(tables: Sequence[Table], colours: dict[str, str], low: float, high: float) -> Iterator[str]:
    top = float(_TOP)
    for table in tables:
        yield _text(12, top + 18, table.name, weight="bold")
        top += _GAP - 10
        for line in table.lines:
            if line.rating is None:
                continue
            elo, margin = line.rating.elo, line.rating.margin
            y = top + _ROW / 2
            ends = [_across(value, low, high) for value in (elo - margin, elo, elo + margin)]
            colour = colours[line.player]
            yield _text(_LEFT - 8, y + 4, _shortened(line.player), anchor="end")
            yield (
                f'<path d="M{ends[0]:.1f} {y:g}H{ends[2]:.1f}M{ends[0]:.1f} {y - 4:g}v8M{ends[2]:.1f} {y - 4:g}v8" '
                f'stroke="{colour}" stroke-width="2"/>'
            )
            yield (
                f'<circle cx="{ends[1]:.1f}" cy="{y:g}" r="4" fill="{colour}">'
                f"<title>{escape(f'{line.player} in {table.name}: {elo:+.0f} ± {margin:.0f}')}</title></circle>"
            )
            yield _text(WIDTH - _RIGHT + 8, y + 4, f"{elo:+.0f} ± {margin:.0f}")
            top += _ROW
        top += 10


def _shortened(name: str) -> str:
    """A player's name as there is room for it: of the path of a file, the end tells more."""
    return name if len(name) <= _LONGEST else f"...{name[3 - _LONGEST :]}"


def _scale(low: int, high: int, step: int, height: int) -> Iterator[str]:
    bottom = height - _BOTTOM
    for value in range(low, high + 1, step):
        x = _across(value, low, high)
        yield f'<path d="M{x:.1f} {_TOP}V{bottom}" stroke="{"#999" if value == 0 else "#ddd"}"/>'
        yield _text(x, bottom + 16, f"{value:+d}" if value else "0", anchor="middle")
    yield _text(
        (_LEFT + WIDTH - _RIGHT) / 2, height - 10, "rating in points of Elo, with 95% intervals", anchor="middle"
    )


def _across(value: float, low: float, high: float) -> float:
    """Where a rating lies from left to right."""
    return _LEFT + (WIDTH - _LEFT - _RIGHT) * (value - low) / (high - low)


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 12, weight: str = "normal") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}">'
        f"{escape(text)}</text>"
    )
