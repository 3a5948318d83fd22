"""Terminal output: coloured on a terminal, plain in a pipe, and never interpreted as markup."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Final, TextIO, final

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ggp.rules.report_text import without_controls

#: A piece of a line: text, or text and its style.
Piece = str | tuple[str, str]

#: A word with the blanks after it, and those before the first word.
_WORD: Final = re.compile(r"\s*\S+\s*")

#: The number of blanks between columns.
_GAP: Final = 2

#: The additional indent of what is wrapped.
_HANGING: Final = 4

#: The smallest number of columns into which text is wrapped.
_LEAST: Final = 20


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
    """Print one line of any length; on a terminal, it is wrapped between words, and goes on with an indent."""
    styled = ((piece, "") if isinstance(piece, str) else piece for piece in pieces)
    text = Text.assemble(*((without_controls(part), style) for part, style in styled))
    for part in _wrapped(console, text):
        _print_whole(console, part)


def _print_whole(console: Console, text: Text) -> None:
    text.rstrip()
    console.print(text, soft_wrap=True)


def _wrapped(console: Console, text: Text) -> list[Text]:
    if not console.is_terminal or text.cell_len <= console.width:
        return [text]
    indent = len(text.plain) - len(text.plain.lstrip()) + _HANGING
    if console.width - indent < _LEAST:
        return [text]
    first, *others = _between_words(text, console.width, console.width - indent)
    return [first, *(Text(" " * indent) + other for other in others)]


def _between_words(text: Text, width: int, then: int) -> list[Text]:
    """Return a text as lines, the first of one width and the others of another.

    What has no blank stays whole, such as a path or an address: only a terminal can break it so that it is copied as
    one.
    """
    breaks = []
    used = 0
    for word in _WORD.finditer(text.plain):
        if used and used + cell_len(word[0].rstrip()) > width:
            breaks.append(word.start())
            used, width = 0, then
        used += cell_len(word[0])
    parts = list(text.divide(breaks))
    for part in parts:
        part.rstrip()
    return parts


def paragraph(console: Console, label: str, text: str, indent: int) -> None:
    """Print a label with a text beside it, wrapped to its column on a terminal, and on one line in a pipe."""
    label = label + " " * max(_GAP, indent - cell_len(label))
    room = console.width - indent
    if not console.is_terminal or room < _LEAST:
        line(console, (label, "bold"), text)
        return
    if cell_len(label) > indent:
        line(console, (label, "bold"))
        label = " " * indent
    _print_beside(console, label, text, indent, "", "bold")


def _print_beside(console: Console, label: str, text: str, indent: int, style: str, label_style: str = "") -> None:
    room = console.width - indent
    for part in _between_words(Text(without_controls(text), style), room, room):
        _print_whole(console, Text.assemble((without_controls(label), label_style or style), part))
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
    """Print rows as columns, the first row as a heading.

    Where a terminal is too narrow, a last column of text is wrapped between words; or else the columns follow in
    several tables, each with the columns before the first right-aligned one again; or below each other, row by row.
    """
    rights = set(right)
    padded = columns(rows, rights)
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    before_last = sum(widths[:-1]) + _GAP * (len(widths) - 1)
    if not console.is_terminal or before_last + widths[-1] <= console.width:
        _print_columns(console, padded)
        return
    if len(widths) - 1 not in rights and before_last + _LEAST <= console.width:
        for number, row in enumerate(padded):
            label = (" " * _GAP).join(row[:-1]) + " " * _GAP
            _print_beside(console, label, row[-1], cell_len(label), "dim" if number == 0 else "")
        return
    keys = min(rights, default=1) or 1
    parts = _parts(widths, keys, console.width)
    if 2 * len(parts) > len(widths) - keys:  # no two columns side by side
        _print_stacked(console, rows, keys)
        return
    for number, part in enumerate(parts):
        if number:
            console.print()
        _print_columns(console, [[*row[:keys], *row[part.start : part.stop]] for row in padded])


def _print_columns(console: Console, padded: Sequence[Sequence[str]]) -> None:
    for number, row in enumerate(padded):
        line(console, ((" " * _GAP).join(row), "dim" if number == 0 else ""))


def _parts(widths: Sequence[int], keys: int, most: int) -> list[range]:
    """Return the columns after the keys in as many parts as are needed beside the keys."""
    parts = [range(keys, keys)]
    for column in range(keys, len(widths)):
        part = range(parts[-1].start, column + 1)
        wide = sum(widths[:keys]) + sum(widths[part.start : part.stop]) + _GAP * (keys + len(part) - 1)
        if wide <= most or len(part) == 1:
            parts[-1] = part
        else:
            parts.append(range(column, column + 1))
    return parts


def _print_stacked(console: Console, rows: Sequence[Sequence[str]], keys: int) -> None:
    heading, *others = rows
    indent = max(map(cell_len, heading[keys:])) + 2 * _GAP
    for number, row in enumerate(others):
        if number:
            console.print()
        line(console, (" ".join(filter(None, row[:keys])), "bold"))
        for name, cell in zip(heading[keys:], row[keys:], strict=True):
            if cell:
                paragraph(console, " " * _GAP + name, cell, indent)
