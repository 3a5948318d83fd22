"""The output of `ggp study`: a table for each kind of play, and what is proved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from ggp.cli.screen import line, paragraph, screen, table
from ggp.rules.report_text import number_and_noun
from ggp.study.ladder import short_name
from ggp.study.samples import sample_matches
from ggp.study.wording import change_rows, figure_rows, interval_text, ladder_text, states_text, theory_rows, value_text

if TYPE_CHECKING:
    from rich.console import Console

    from ggp.study.comparison import Comparison
    from ggp.study.figures import Figure
    from ggp.study.ladder import Rung
    from ggp.study.strong_play import StrongPlay
    from ggp.study.study import Study

_INDENT: Final = 14


def show_study(found: Study) -> None:
    """Print a study, as far as it has come."""
    console = screen()
    settings = found.settings
    line(console, (found.name, "bold"), f"   seed {settings.seed}   {found.path}")
    if found.note:
        paragraph(console, "engine", f"the Reasoner, as the game cannot be compiled: {found.note}", _INDENT)
    _show_theory(console, found)
    if found.random:
        line(console)
        line(console, (f"random play, {found.playouts:,} playouts", "bold"))
        show_figures(console, found.random, len(found.roles))
    if found.no_strong:
        line(console)
        paragraph(console, "strong play", f"left out: {found.no_strong}", _INDENT)
    elif found.strong is not None and found.strong.played:
        _show_strong(console, found.strong)
    if found.unreached:
        line(console)
        for text in found.unreached:
            paragraph(console, "not reached", text, _INDENT)


def _show_theory(console: Console, found: Study) -> None:
    for label, text in theory_rows(found):
        paragraph(console, label, text, _INDENT)
    label = "states"
    for text in states_text(found):
        paragraph(console, label, text, _INDENT)
        label = ""


def show_comparison(found: Comparison) -> None:
    """Print how the figures of two games differ, and what is proved about each."""
    console = screen()
    old, new = found.old, found.new
    line(console, (f"from {old.name} to {new.name}", "bold"), f"   seed {old.settings.seed}")
    for one in (old, new):
        line(console)
        line(console, (one.name, "bold"), f"   {one.path}")
        _show_theory(console, one)
        if one.strong is not None and one.strong.played:
            paragraph(console, "ladder", ladder_text(one.strong), _INDENT)
        if one.no_strong:
            paragraph(console, "strong play", f"left out: {one.no_strong}", _INDENT)
        for text in one.unreached:
            paragraph(console, "not reached", text, _INDENT)
    for title, changes in (("random play", found.random), ("strong play", found.strong)):
        if changes:
            line(console)
            line(console, (title, "bold"))
            table(console, change_rows(changes, old, new), right=(1, 2, 3))


def show_figures(console: Console, figures: Mapping[str, Figure], players: int) -> None:
    """Print figures as a table, with their intervals; shares that differ from an equal one are marked."""
    table(console, figure_rows(figures, players), right=(1,))


def _show_strong(console: Console, strong: StrongPlay) -> None:
    watched = strong.watched()
    if watched:
        line(console)
        strongest = short_name(strong.players.strongest)
        heading = f"strong play, {number_and_noun(len(watched), 'match', 'matches')} of {strongest}"
        line(console, (heading, "bold"))
        show_figures(console, strong.figures(), len(strong.roles))
    ladder, restricted = strong.ladder(), strong.restricted()
    if ladder:
        line(console)
        line(console, (f"skill ladder: {ladder_text(strong)}", "bold"))
        _show_rungs(console, ladder)
    if restricted:
        line(console)
        line(console, ("restricted play", "bold"))
        _show_rungs(console, restricted)
    for sample in sample_matches(strong):
        line(console)
        record = sample.record
        line(console, (sample.title, "bold"), f": {str(record).partition(': ')[2]}")
        if sample.turning:
            paragraph(console, "turning point", sample.turning, _INDENT)
        paragraph(console, "moves", ", ".join(sample.moves), _INDENT)


def _show_rungs(console: Console, rungs: Sequence[Rung]) -> None:
    rows = [["players", "matches", "share", "95% interval", ""]]
    for rung in rungs:
        points = rung.points
        value, interval = value_text("share of ", points.value or 0.0), interval_text("share of ", points)
        rows.append([f"{rung.player} against {rung.other}", str(points.count), value, interval, "won" * rung.won])
    table(console, rows, right=(1, 2))
