"""Studies as pages of HTML that contain everything they show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Final

from ggp.study.charts import curve_chart, rung_chart
from ggp.study.ladder import short_name
from ggp.study.samples import sample_matches
from ggp.study.wording import change_rows, figure_rows, ladder_text, states_text, theory_rows

if TYPE_CHECKING:
    from ggp.study.comparison import Change, Comparison
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
