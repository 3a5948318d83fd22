"""The screen: a terminal in colour, or a pipe in plain text, and nothing in between that reads KIF as markup."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ggp.rules.printable import without_controls

#: A piece of a line: text, or text and its style.
Piece = str | tuple[str, str]


class Screen(Console):
    """A console that leaves it to the command what to do when nobody reads any more."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def screen(file: TextIO | None = None) -> Console:
    """Standard output, or another stream."""
    return Screen(file=file or sys.stdout, markup=False, emoji=False, highlight=False)


@contextmanager
def progress_line() -> Iterator[Callable[[str], None]]:
    """Shows what is being done, on standard error where that is a terminal; gone when it is over."""
    console = Console(file=sys.stderr, markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        yield lambda _: None
        return
    with console.status("...") as status:
        yield lambda stage: status.update(f"{stage} ...")


def line(console: Console, *pieces: Piece) -> None:
    """Print one line, whatever its length: a terminal breaks it, a pipe gets it whole."""
    styled = ((piece, "") if isinstance(piece, str) else piece for piece in pieces)
    text = Text.assemble(*((without_controls(part), style) for part, style in styled))
    text.rstrip()
    console.print(text, soft_wrap=True)


def paragraph(console: Console, label: str, text: str, indent: int) -> None:
    """Print a label and a text beside it: a terminal breaks it under itself, a pipe gets it in one line."""
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
    """The cells padded to columns, those of `right` on the left side; no blanks at the end of a row."""
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
    """Print rows in columns, the first as a heading."""
    for number, row in enumerate(columns(rows, right)):
        line(console, ("  ".join(row), "dim" if number == 0 else ""))
