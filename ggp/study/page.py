"""Studies as pages of HTML that contain everything they show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Final

from ggp.board.drawing.charts import BOTTOM, WIDTH, Scale, colours_of, document, label
from ggp.board.drawing.elements import Element, element
from ggp.study.ladder import short_name
from ggp.study.samples import sample_matches
from ggp.study.wording import change_rows, figure_rows, ladder_text, states_text, theory_rows

if TYPE_CHECKING:
    from ggp.study.comparison import Change, Comparison
    from ggp.study.curves import Curve
    from ggp.study.ladder import Rung
    from ggp.study.strong_play import StrongPlay
    from ggp.study.study import Study

_STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
body { color: #222; background: #fff; }
table { border-collapse: collapse; margin: .5rem 0 1rem; }
th, td { padding: .15rem .8rem .15rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid #ddd; }
td.figure { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.notable { font-weight: bold; }
svg { width: 100%; height: auto; }
"""


def study_page(found: Study) -> str:
    """Return the page of one study."""
    return _page(f"A study of {found.name}", _study(found, level=2))


def comparison_page(found: Comparison) -> str:
    """Return the page of two studies and their differences."""
    old, new = found.old, found.new
    parts = [
        *_section(2, "Random play", _changes(found.random, old, new)),
        *_section(2, "Strong play", _changes(found.strong, old, new)),
        *_section(2, f"The first: {old.name}", _study(old, level=3)),
        *_section(2, f"The second: {new.name}", _study(new, level=3)),
    ]
    return _page(f"From {old.name} to {new.name}", parts)


def _page(title: str, parts: Iterable[str]) -> str:
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    body = "\n".join([f"<h1>{escape(title)}</h1>", *parts])
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{head}<style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n'
    )


def _section(level: int, title: str, parts: Iterable[str]) -> Iterator[str]:
    inner = list(parts)
    if inner:
        yield f"<h{level}>{escape(title)}</h{level}>"
        yield from inner


def _study(found: Study, level: int) -> Iterator[str]:
    settings = found.settings
    rows = [("file", str(found.path)), ("seed", str(settings.seed)), ("seconds", f"{found.seconds:.0f}")]
    rows += theory_rows(found) + [("states", text) for text in states_text(found)]
    rows += [("not reached", text) for text in found.unreached]
    yield _rows(rows)
    yield from _section(
        level,
        f"Random play, {found.playouts:,} playouts",
        [_rows(figure_rows(found.random, len(found.roles)), heading=True)] if found.random else (),
    )
    if found.strong is not None:
        yield from _strong(found.strong, level)
    elif found.no_strong:
        yield from _section(level, "Strong play", [f"<p>Left out: {escape(found.no_strong)}.</p>"])


def _strong(strong: StrongPlay, level: int) -> Iterator[str]:
    watched = strong.watched()
    title = f"Strong play, {len(watched)} matches of {short_name(strong.players.strongest)}"
    if watched:
        yield from _section(level, title, [_rows(figure_rows(strong.figures(), len(strong.roles)), heading=True)])
    ladder, restricted = strong.ladder(), strong.restricted()
    if ladder:
        yield from _section(level, "Skill ladder", [rung_chart(ladder, ladder_text(strong))])
    if restricted:
        yield from _section(level, "Restricted play", [rung_chart(restricted, "the strongest player")])
    for sample in sample_matches(strong):
        parts = [f"<p>{escape(str(sample.record).partition(': ')[2])}. {escape(sample.turning)}</p>"]
        if len(sample.curve.values) > 1:
            parts.append(curve_chart(sample.curve, strong.roles, sample.first, "goals that the players expect"))
        parts.append(f"<p>{escape(', '.join(sample.moves))}</p>")
        yield from _section(level, sample.title.capitalize(), parts)


def _changes(found: Sequence[Change], old: Study, new: Study) -> Iterator[str]:
    if found:
        yield _rows(change_rows(found, old, new), heading=True)


def _rows(rows: Sequence[Sequence[str]], *, heading: bool = False) -> str:
    """Return a table of texts."""
    lines = []
    for number, row in enumerate(rows):
        tag = "th" if heading and not number else "td"
        notable = ' class="notable"' if heading and number and row[-1] else ""
        kinds = [" class='figure'" if 0 < place < len(row) - 1 else "" for place in range(len(row))]
        cells = "".join(f"<{tag}{kind}>{escape(cell)}</{tag}>" for kind, cell in zip(kinds, row, strict=True))
        lines.append(f"<tr{notable}>{cells}</tr>")
    return f"<table>{''.join(lines)}</table>"


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
