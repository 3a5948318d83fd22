"""Diagnostics: a mistake, doubt or hint with a stable code and its location."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, final

from gdl.checker.codes import CODES, Severity
from gdl.errors import Location, Mistake
from gdl.language.edits import Edit

#: The severities, worst first.
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "hint")


#: The maximum number of lines that a note lists.
_LINES: Final = 8


@final
@dataclass(frozen=True, slots=True)
class Note:
    """Another location that a diagnostic refers to, and a remark about it."""

    location: Location
    message: str


@final
@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that correct what a diagnostic reports and change nothing else; `title` describes them.

    The rules keep their meaning, unless `guess` is set: then they get the meaning that was probably intended.
    """

    title: str
    edits: tuple[Edit, ...]
    guess: bool = False


@final
@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A mistake (error), doubt (warning) or hint: its code, a message, and its location."""

    code: str
    message: str
    location: Location
    notes: tuple[Note, ...] = ()
    fix: Fix | None = field(default=None, compare=False, repr=False)

    @property
    def severity(self) -> Severity:
        """The severity of the code: see `gdl.checker.codes`."""
        return CODES[self.code].severity

    def __str__(self) -> str:
        """Return the location, severity, code and message, an excerpt with carets, and the notes."""
        blocks = [f"{self.location}: {self.severity}: {self.code}: {self.message}\n{self.location.excerpt()}"]
        blocks += [f"{note.location}: note: {note.message}\n{note.location.excerpt()}" for note in self.notes]
        return "\n".join(blocks)


def in_lines(places: Sequence[Location]) -> str:
    """Describe the lines of some locations: "line 3", "lines 3, 7", with a count if there are too many."""
    lines = sorted({place.line for place in places})
    more = f" and {len(lines) - _LINES} more" if len(lines) > _LINES else ""
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(map(str, lines[:_LINES]))}{more}"


def and_there(others: Sequence[Location]) -> tuple[Note, ...]:
    """Return a note about the other locations with the same problem, if there are any."""
    if not others:
        return ()
    first, *more = others
    return (Note(first, "the same here" + (f", and on {in_lines(more)}" if more else "")),)


def of_mistakes(mistakes: Iterable[Mistake]) -> list[Diagnostic]:
    """Convert the mistakes for which a text is refused to diagnostics."""
    return [Diagnostic(mistake.code, mistake.message, mistake.location) for mistake in mistakes]


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sort diagnostics by location, then severity (errors first), and remove duplicates."""

    def key(diagnostic: Diagnostic) -> tuple[int, int, int, str]:
        location = diagnostic.location
        return location.line, location.column, SEVERITIES.index(diagnostic.severity), diagnostic.code

    return tuple(dict.fromkeys(sorted(diagnostics, key=key)))
