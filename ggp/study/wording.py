"""Figures of a study in words, for tables as text and for pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from ggp.rules.report_text import number_and_noun
from ggp.study.strong_play import depth_of

if TYPE_CHECKING:
    from ggp.study.comparison import Change
    from ggp.study.figures import Figure
    from ggp.study.strong_play import StrongPlay
    from ggp.study.study import Study

#: Figures that are shares, shown in per cent; the shares of roles are, too.
_SHARES: Final = ("decisions", "completion", "draws")

#: Estimates beyond this are shown as powers of ten.
_LARGE: Final = 1e7


def value_text(name: str, value: float) -> str:
    """Return the value of a figure with this name as text."""
    return f"{value:.1%}" if _is_share(name) else f"{value:.2f}"


def interval_text(name: str, figure: Figure) -> str:
    """Return the interval of a figure as text; empty without one."""
    if figure.low is None or figure.high is None:
        return ""
    return f"{value_text(name, figure.low)} to {value_text(name, figure.high)}"


def is_notable(name: str, figure: Figure, players: int) -> bool:
    """Return True for a role's share of the points whose interval excludes an equal share."""
    if not name.startswith("share of ") or figure.low is None or figure.high is None:
        return False
    return not figure.low <= 1 / players <= figure.high


def difference_text(change: Change) -> tuple[str, str]:
    """Return the difference of two figures and its interval as texts, empty if there is none."""
    found = change.difference
    if found is None or found.value is None:
        return "", ""

    def signed(value: float) -> str:
        return f"{value:+.1%}" if _is_share(change.name) else f"{value:+.2f}"

    if found.low is None or found.high is None:
        return signed(found.value), ""
    return signed(found.value), f"{signed(found.low)} to {signed(found.high)}"


def figure_rows(figures: Mapping[str, Figure], players: int) -> list[list[str]]:
    """Return figures as the rows of a table, headings first; the last cell says what is notable or missing."""
    rows = [["figure", "value", "95% interval", ""]]
    for name, figure in figures.items():
        if figure.value is None:
            rows.append([name, "-", "", figure.reason])
            continue
        mark = "more or less than an equal share" if is_notable(name, figure, players) else ""
        rows.append([name, value_text(name, figure.value), interval_text(name, figure), mark])
    return rows


def change_rows(changes: Sequence[Change], old: Study, new: Study) -> list[list[str]]:
    """Return how figures differ as the rows of a table, headings first."""
    rows = [["figure", old.name, new.name, "difference", "95% interval", ""]]
    for one in changes:
        values = [
            value_text(one.name, fig.value) if fig and fig.value is not None else "-" for fig in (one.old, one.new)
        ]
        value, interval = difference_text(one)
        rows.append([one.name, *values, value, interval, "significant" * one.significant])
    return rows


def theory_rows(found: Study) -> list[tuple[str, str]]:
    """Return what is proved about a game as labels and texts; a label is empty if it is the one before."""
    theory = found.theory
    if theory is None:
        return []
    rows = [("kind", theory.kind.describe())]
    rows += [(name, f"{holds} ({how})") for name, holds, how in theory.traits()]
    by_result: dict[tuple[str, str], list[str]] = {}
    for verdict in theory.verdicts:
        by_result.setdefault((verdict.name, verdict.result), []).append(verdict.message)
    rows += [(name, f"{result}: {'; '.join(messages)}") for (name, result), messages in by_result.items()]
    if theory.reason:
        rows.append(("proofs", theory.reason))
    return rows + [("" if number else "perfect play", text) for number, text in enumerate(theory.value.text)]


def states_text(found: Study) -> Iterator[str]:
    """Yield what is known about the numbers of states and of lines of play."""
    exact = found.theory.value.states if found.theory is not None else None
    size = found.size
    if exact is not None:
        yield f"{exact:,} can be reached (exact)"
    elif size is not None and size.seen == size.visits:
        yield f"at least {size.seen:,}: random play hardly met a state twice"
    elif size is not None:
        yield (
            f"at least {number_and_noun(size.seen, 'state')} were seen; estimate of a lower bound (Chao 1984): "
            f"{large(size.states)}"
        )
    if size is not None:
        yield f"about 10^{size.lines:.0f} lines of play (estimate, Knuth 1975)"


def ladder_text(strong: StrongPlay) -> str:
    """Return the result of a ladder of skill as text."""
    return f"{depth_of(strong)} of {len(strong.players.rungs)} rungs won significantly"


def large(number: float) -> str:
    """Return a number that is an estimate as text."""
    return f"{number:,.0f}" if number < _LARGE else f"{number:.1e}"


def _is_share(name: str) -> bool:
    return name in _SHARES or name.startswith(("share of ", "wins of "))
