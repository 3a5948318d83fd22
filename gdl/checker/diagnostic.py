"""What the checker reports: a mistake, a doubt or a hint, with a stable code and its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, final

from gdl.checker.codes import CODES, Severity
from gdl.errors import Location, Mistake
from gdl.language.edits import Edit

#: The severities, the worst first.
_ORDER: Final[tuple[Severity, ...]] = ("error", "warning", "hint")


#: So many lines are named of places that are told together.
_LINES: Final = 8


@final
@dataclass(frozen=True, slots=True)
class Note:
    """Another place that a diagnostic is about, and what is there."""

    location: Location
    message: str


@final
@dataclass(frozen=True, slots=True)
class Fix:
    """Edits of the text that mend what a diagnostic is about and change nothing else; `title` says what they do."""

    title: str
    edits: tuple[Edit, ...]


@final
@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake (an error), doubt (a warning) or hint: its code, one sentence, and its place."""

    code: str
    message: str
    location: Location
    notes: tuple[Note, ...] = ()
    fix: Fix | None = field(default=None, compare=False, repr=False)

    @property
    def severity(self) -> Severity:
        """Each code has one: see `gdl.checker.codes`."""
        return CODES[self.code].severity

    def __str__(self) -> str:
        """The place, severity, code and message, the line with a caret, and the notes."""
        blocks = [f"{self.location}: {self.severity}: {self.code}: {self.message}\n{self.location.excerpt()}"]
        blocks += [f"{note.location}: note: {note.message}\n{note.location.excerpt()}" for note in self.notes]
        return "\n".join(blocks)


def in_lines(places: Sequence[Location]) -> str:
    """The lines of places, in words: the first ones, and how many there are besides."""
    lines = sorted({place.line for place in places})
    more = f" and {len(lines) - _LINES} more" if len(lines) > _LINES else ""
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(map(str, lines[:_LINES]))}{more}"


def and_there(others: Sequence[Location]) -> tuple[Note, ...]:
    """A note of the other places where the same is wrong, if there are any."""
    if not others:
        return ()
    first, *more = others
    return (Note(first, "the same here" + (f", and in {in_lines(more)}" if more else "")),)


def of_mistakes(mistakes: Iterable[Mistake]) -> list[Diagnostic]:
    """The mistakes for which a text is refused, as diagnostics."""
    return [Diagnostic(mistake.code, mistake.message, mistake.location) for mistake in mistakes]


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """In the order of the text, errors first at one place and hints last, each once."""

    def key(diagnostic: Diagnostic) -> tuple[int, int, int, str]:
        location = diagnostic.location
        return location.line, location.column, _ORDER.index(diagnostic.severity), diagnostic.code

    return tuple(dict.fromkeys(sorted(diagnostics, key=key)))
