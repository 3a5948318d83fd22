"""Bar charts on a logarithmic scale, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final

from ggp.board.drawing.charts import BOTTOM, Scale, colours_of, document, label
from ggp.board.drawing.elements import Element, element

_LEFT: Final = 170
_TOP: Final = 64
_BAR: Final = 18
_GAP: Final = 14


@dataclass(frozen=True, slots=True)
class Bar:
    """A positive value of a series, which determines its colour, in a group, which is labelled at the left."""

    group: str
    series: str
    value: float


def bar_chart(bars: Sequence[Bar], *, title: str, unit: str) -> str:
    """Return the chart as SVG text, with the groups from top to bottom in their given order."""
    colours = colours_of(bar.series for bar in bars)
    low = floor(log10(min(bar.value for bar in bars)))
    high = max(low + 1, ceil(log10(max(bar.value for bar in bars))))
    scale = Scale(low, high, _LEFT)
    groups: dict[str, list[Bar]] = {}
    for bar in bars:
        groups.setdefault(bar.group, []).append(bar)
    height = _TOP + sum(_BAR * len(group) + _GAP for group in groups.values()) + BOTTOM
    # Grid lines at the powers of ten.
    lines = [scale.line(power, shortened(10.0**power), _TOP - 8, height) for power in range(low, high + 1)]
    parts = [
        *_legend(colours),
        *(part for line in lines for part in line),
        scale.caption(unit, height),
        *_groups(groups, colours, scale),
    ]
    return document(title, height, parts)


def _groups(groups: Mapping[str, Sequence[Bar]], colours: Mapping[str, str], scale: Scale) -> Iterator[Element]:
    top = float(_TOP)
    for name, bars in groups.items():
        yield label(_LEFT - 8, top + _BAR * len(bars) / 2 + 4, name, anchor="end")
        for bar in bars:
            width = scale.across(log10(bar.value)) - _LEFT
            yield element(
                "rect",
                element("title", f"{name}, {bar.series}: {bar.value:,.0f}"),
                x=_LEFT,
                y=top,
                width=width,
                height=_BAR - 2,
                fill=colours[bar.series],
            )
            yield label(_LEFT + width + 5, top + _BAR - 5, shortened(bar.value))
            top += _BAR
        top += _GAP


def _legend(colours: Mapping[str, str]) -> Iterator[Element]:
    x = float(_LEFT)
    for name, colour in colours.items():
        yield element("rect", x=x, y=34, width=12, height=12, fill=colour)
        yield label(x + 17, 44, name)
        x += 40 + 7 * len(name)


def shortened(value: float) -> str:
    """Return a number with three digits and a unit prefix: 1.23 M."""
    for letter, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= 0.9995 * size:
            return f"{value / size:.3g} {letter}"
    return f"{value:.3g}"
