"""Bar charts on a logarithmic scale, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final
from xml.sax.saxutils import escape

WIDTH: Final = 800
_LEFT: Final = 170
_RIGHT: Final = 90
_TOP: Final = 64
_BAR: Final = 18
_GAP: Final = 14
_BOTTOM: Final = 44
#: Colours that people who see colours differently tell apart (Okabe and Ito 2008).
_COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")


@dataclass(frozen=True, slots=True)
class Bar:
    """One value, above 0, of a series (which gives it its colour) in a group (which has its name at the left)."""

    group: str
    series: str
    value: float


def bar_chart(bars: Sequence[Bar], *, title: str, unit: str) -> str:
    """The chart as the text of an SVG file: the groups below each other, in the order in which they come."""
    series = list(dict.fromkeys(bar.series for bar in bars))
    colours = {name: _COLOURS[number % len(_COLOURS)] for number, name in enumerate(series)}
    low = floor(log10(min(bar.value for bar in bars)))
    high = max(low + 1, ceil(log10(max(bar.value for bar in bars))))
    groups: dict[str, list[Bar]] = {}
    for bar in bars:
        groups.setdefault(bar.group, []).append(bar)
    height = _TOP + sum(_BAR * len(group) + _GAP for group in groups.values()) + _BOTTOM
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        _text(WIDTH / 2, 20, title, anchor="middle", size=15),
        *_legend(colours),
        *_scale(low, high, height, unit),
        *_groups(groups, colours, low, high),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _groups(groups: Mapping[str, Sequence[Bar]], colours: Mapping[str, str], low: int, high: int) -> Iterator[str]:
    top = float(_TOP)
    for name, bars in groups.items():
        yield _text(_LEFT - 8, top + _BAR * len(bars) / 2 + 4, name, anchor="end")
        for bar in bars:
            width = _across(log10(bar.value), low, high) - _LEFT
            yield (
                f'<rect x="{_LEFT}" y="{top:g}" width="{width:.1f}" height="{_BAR - 2}" fill="{colours[bar.series]}">'
                f"<title>{escape(f'{name}, {bar.series}: {bar.value:,.0f}')}</title></rect>"
            )
            yield _text(_LEFT + width + 5, top + _BAR - 5, shortened(bar.value))
            top += _BAR
        top += _GAP


def _scale(low: int, high: int, height: int, unit: str) -> Iterator[str]:
    """A line for each power of ten."""
    bottom = height - _BOTTOM
    for power in range(low, high + 1):
        x = _across(power, low, high)
        yield f'<path d="M{x:.1f} {_TOP - 8}V{bottom}" stroke="#ddd"/>'
        yield _text(x, bottom + 16, shortened(10.0**power), anchor="middle")
    yield _text((_LEFT + WIDTH - _RIGHT) / 2, height - 10, unit, anchor="middle")


def _legend(colours: Mapping[str, str]) -> Iterator[str]:
    x = float(_LEFT)
    for name, colour in colours.items():
        yield f'<rect x="{x:g}" y="34" width="12" height="12" fill="{colour}"/>'
        yield _text(x + 17, 44, name)
        x += 40 + 7 * len(name)


def _across(power: float, low: int, high: int) -> float:
    """Where a power of ten lies from left to right."""
    return _LEFT + (WIDTH - _LEFT - _RIGHT) * (power - low) / (high - low)


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(text)}</text>'


def shortened(value: float) -> str:
    """Three digits and a letter: 1.23 M."""
    for letter, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= 0.9995 * size:
            return f"{value / size:.3g} {letter}"
    return f"{value:.3g}"
