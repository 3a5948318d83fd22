"""Charts of studies, as SVG: rungs of a ladder with their intervals, and curves of evaluations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from ggp.board.drawing.charts import BOTTOM, WIDTH, Scale, colours_of, document, label
from ggp.board.drawing.elements import Element, element

if TYPE_CHECKING:
    from ggp.study.curves import Curve
    from ggp.study.ladder import Rung

_LEFT: Final = 380
_TOP: Final = 40
_ROW: Final = 22

#: The margins and the height of a chart of a curve.
_SIDE: Final = 60
_HEIGHT: Final = 220


def rung_chart(rungs: Sequence[Rung], title: str) -> str:
    """Return a chart of the shares of the stronger players; a filled point is significantly above one half."""
    height = _TOP + _ROW * len(rungs) + BOTTOM
    scale = Scale(0.0, 1.0, _LEFT)
    parts = [part for tenth in range(0, 11, 2) for part in scale.line(tenth / 10, f"{tenth * 10}%", _TOP, height)]
    parts += [
        *scale.line(0.5, "", _TOP, height, bold=True),
        scale.caption("share of the points, with 95% intervals", height),
    ]
    for number, rung in enumerate(rungs):
        parts += _rung(rung, _TOP + _ROW * (number + 0.5), scale)
    return document(title, height, parts)


def _rung(rung: Rung, y: float, scale: Scale) -> Iterator[Element]:
    yield label(_LEFT - 10, y + 4, f"{rung.player} against {rung.other}", anchor="end", size=11)
    points = rung.points
    if points.value is None or points.low is None or points.high is None:
        return
    yield element("path", d=f"M{scale.across(points.low):.1f} {y:g}H{scale.across(points.high):.1f}", stroke="#0072b2")
    fill = "#0072b2" if rung.won else "white"
    yield element("circle", cx=f"{scale.across(points.value):.1f}", cy=y, r=4, fill=fill, stroke="#0072b2")


def curve_chart(curve: Curve, roles: Sequence[str], first: int, title: str) -> str:
    """Return a chart of what the players expected; `first` is the number of the ply of the first row."""
    rows = curve.values
    high, low = _TOP, _HEIGHT - BOTTOM
    across = (WIDTH - 2 * _SIDE) / max(1, len(rows) - 1)
    parts = []
    for share in (0.0, 0.5, 1.0):
        y = low - (low - high) * share
        parts.append(element("path", d=f"M{_SIDE} {y:g}H{WIDTH - _SIDE}", stroke="#ddd"))
        parts.append(label(_SIDE - 8, y + 4, f"{100 * share:.0f}", anchor="end"))
    for place, (role, colour) in enumerate(colours_of(roles).items()):
        line = " ".join(
            f"{'L' if number else 'M'}{_SIDE + across * number:.1f} {low - (low - high) * float(value):.1f}"
            for number, value in enumerate(rows[:, place])
        )
        parts.append(element("path", d=line or "M0 0", stroke=colour, fill="none", stroke_width=2))
        x = _SIDE + 150 * place
        parts.append(element("path", d=f"M{x} {_HEIGHT - 12}h20", stroke=colour, stroke_width=2))
        parts.append(label(x + 26, _HEIGHT - 8, role))
    parts.append(label(_SIDE, low + 16, f"ply {first}"))
    parts.append(label(WIDTH - _SIDE, low + 16, f"ply {first + max(0, len(rows) - 1)}", anchor="end"))
    return document(title, _HEIGHT, parts)
