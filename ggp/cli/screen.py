"""Terminal output: coloured on a terminal, plain in a pipe, and never interpreted as markup."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TextIO, final

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ggp.rules.printable import without_controls

#: A piece of a line: text, or text and its style.
Piece = str | tuple[str, str]


class Screen(Console):
    """A console that lets the command handle broken pipes."""

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError."""
        raise BrokenPipeError


def screen(file: TextIO | None = None) -> Console:
    """Return a console for standard output or another stream."""
    return Screen(file=file or sys.stdout, markup=False, emoji=False, highlight=False)


@contextmanager
def progress_line() -> Iterator[Callable[[str], None]]:
    """Show the current stage and its seconds on standard error if that is a terminal; the line vanishes at the end."""
    console = Console(file=sys.stderr, markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        yield lambda _: None
        return
    running = RunningStage()
    with console.status(running):
        yield running.begin


@final
class RunningStage:
    """The stage that is going on, as one line: its name, and how long it has taken so far, whenever it is drawn.

    The time goes on while the same piece of work tells new figures: `grounding` or `1,000 states`, then `2,000 states`.
    """

    def __init__(self) -> None:
        """Begin without a name."""
        self._began = monotonic()
        self._name = ""

    def begin(self, name: str) -> None:
        """Begin a stage, or go on with it if only figures of its name have changed."""
        if _without_figures(name) != _without_figures(self._name):
            self._began = monotonic()
        self._name = name

    def __rich__(self) -> Text:
        """Return the line."""
        seconds = int(monotonic() - self._began)
        # The first second is not worth a figure.
        taken = f" {seconds} s" if seconds else ""
        return Text(f"{without_controls(self._name)} ...{taken}")


def _without_figures(name: str) -> str:
    return re.sub("[0-9,.]+", "", name)


def line(console: Console, *pieces: Piece) -> None:
    """Print one line of any length; only a terminal wraps it."""
    styled = ((piece, "") if isinstance(piece, str) else piece for piece in pieces)
    text = Text.assemble(*((without_controls(part), style) for part, style in styled))
    text.rstrip()
    console.print(text, soft_wrap=True)


def paragraph(console: Console, label: str, text: str, indent: int) -> None:
    """Print a label with a text beside it, wrapped to its column on a terminal, and on one line in a pipe."""
    label = label + " " * (indent - cell_len(label))
    room = console.width - indent
    if not console.is_terminal or room < 20:
        line(console, (label, "bold"), text)
        return
    for part in Text(text).wrap(console, room):
        part.rstrip()
        line(console, (label, "bold"), part.plain)
        label = " " * indent


def columns(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> list[list[str]]:
    """Return the cells padded to columns; those in `right` are right-aligned. Rows have no trailing blanks."""
    rights = set(right)
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    padded = []
    for row in rows:
        cells = []
        for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - cell_len(cell))
            cells.append(space + cell if place in rights else cell + space)
        cells[-1] = cells[-1].rstrip()
        padded.append(cells)
    return padded


def table(console: Console, rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> None:
    """Print rows as columns, the first row as a heading."""
    for number, row in enumerate(columns(rows, right)):
        line(console, ("  ".join(row), "dim" if number == 0 else ""))
