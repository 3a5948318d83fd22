"""Findings on a terminal: errors in red, warnings in yellow, codes dimmed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Final

from rich.console import Console

from gdl.checker import Diagnostic
from gdl.errors import Location
from ggp.cli.screen import Piece, line
from ggp.rules.checking.formats import summary
from ggp.rules.checking.report import FileReport
from ggp.rules.checking.verdict import sections

_STYLES: Final = MappingProxyType({"error": "bold red", "warning": "yellow", "hint": "cyan", "note": "cyan"})


def print_reports(console: Console, reports: Sequence[FileReport]) -> None:
    """Print reports in the format `text`, in colour but otherwise identical."""
    for report in reports:
        for diagnostic in report.told:
            for pieces in _lines(diagnostic):
                line(console, *pieces)
        for text in sections(report.verdicts):
            line(console, text)
        line(console, summary(report))


def _lines(diagnostic: Diagnostic) -> Iterator[list[Piece]]:
    style = _STYLES[diagnostic.severity]
    place = f"{diagnostic.location}: "
    yield [place, (diagnostic.severity, style), ": ", (diagnostic.code, "dim"), f": {diagnostic.message}"]
    yield from _excerpt(diagnostic.location, style)
    for note in diagnostic.notes:
        yield [f"{note.location}: ", ("note", _STYLES["note"]), f": {note.message}"]
        yield from _excerpt(note.location, _STYLES["note"])


def _excerpt(location: Location, style: str) -> Iterator[list[Piece]]:
    source, carets = location.excerpt().split("\n")
    yield [source]
    yield [(carets, style)]
