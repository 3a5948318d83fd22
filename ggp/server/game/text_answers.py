"""What the page /edit asks about a text, answered by the code of the language server, as JSON.

Offsets are in UTF-16 code units, as the page counts them. Runs in a game process.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property
from typing import Final, final

from gdl.checker import CODES, Diagnostic
from gdl.errors import Location
from gdl.language.edits import Edit, Offsets
from gdl.language.formatter import format_source
from ggp.rules.checking.mending import mended
from ggp.rules.lsp.completion import completions, word_start
from ggp.rules.lsp.counts import Counts
from ggp.rules.lsp.document import Document
from ggp.rules.lsp.hover import hover_text
from ggp.rules.lsp.names import Name
from ggp.server.messages import Json

#: The largest numbers of findings and suggestions that are sent.
MOST_FINDINGS: Final = 300
MOST_SUGGESTIONS: Final = 300


@final
class TextAnswers:
    """Answers about one text."""

    def __init__(self, text: str, name: str) -> None:
        """Keep the text, called `name` in messages."""
        self.text = text
        self._document = Document(text, name)
        self._offsets = Offsets(self._document.source)
        self._units = CodeUnits(self._document.source.text)

    def answer(self, question: str, parts: Json) -> Json:
        """Answer a question about the text, or about a place in it. Raises RulesheetError."""
        match question:
            case "findings":
                return self._findings
            case "format":
                return {"text": format_source(self._document.source)}
            case "fix":
                fixed = mended(self._document.source)
                titles = [one.fix.title for one in fixed.applied if one.fix is not None]
                return {"text": fixed.text, "titles": titles}
            case "complete":
                return self._complete(*self._place(parts["at"]))
            case "hover":
                return self._hover(self._document.name_at(*self._place(parts["at"])))
            case "definition":
                return self._definition(self._document.name_at(*self._place(parts["at"])))
        return {"atom": self._atom(self._units.characters(parts["at"]))}

    def _place(self, units: int) -> tuple[int, int]:
        return self._offsets.place(self._units.characters(units))

    @cached_property
    def _findings(self) -> Json:
        found = self._document.diagnostics
        return {
            "findings": [self._finding(one) for one in found[:MOST_FINDINGS]],
            "more": max(0, len(found) - MOST_FINDINGS),
            "playable": not self._document.reading.mistakes,
        }

    def _finding(self, found: Diagnostic) -> Json:
        fix = found.fix
        return {
            "code": found.code,
            "meaning": CODES[found.code].title,
            "severity": found.severity,
            "message": found.message,
            **self._span(found.location),
            "notes": [{"message": note.message, **self._span(note.location)} for note in found.notes],
            "fix": fix and {"title": fix.title, "edits": self._edits(fix.edits)},
        }

    def _span(self, location: Location) -> dict[str, int]:
        """Return the place of a location, which is never empty unless the text ends there."""
        start, end = self._offsets.start(location), self._offsets.end(location)
        return {"line": location.line, "from": self._units.units(start), "to": self._units.units(end)}

    def _edits(self, edits: Iterable[Edit]) -> list[Json]:
        units = self._units.units
        return [{"from": units(one.start), "to": units(one.end), "insert": one.text} for one in sorted(set(edits))]

    def _complete(self, line: int, column: int) -> Json:
        start = word_start(self._document, line, column)
        found = completions(self._document, line, column)
        return {
            "from": self._units.units(self._offsets.start(Location(self._document.source, line, start))),
            "options": [
                {"label": one.text, "detail": one.detail, "type": one.kind.value} for one in found[:MOST_SUGGESTIONS]
            ],
        }

    def _hover(self, name: Name | None) -> Json:
        if name is None:
            return {"markdown": None}
        return {"markdown": hover_text(self._document, name, Counts()), **self._span(name.location)}

    def _definition(self, name: Name | None) -> Json:
        found = self._document.definitions(name) if name is not None else []
        return {"places": [self._span(one.location) for one in found]}

    def _atom(self, offset: int) -> str | None:
        """Return the smallest atom around an offset, as written; else that which its rule derives, or None."""
        around = []
        for atom in self._document.view.atoms:
            start, end = self._offsets.span(atom.item)
            if atom.kind != "condition":
                first, last = self._offsets.span(self._document.statement(atom.statement))
                around.append((first <= offset <= last, end - start + len(self.text), atom))
            around.append((start <= offset <= end, end - start, atom))
        found = [(size, str(atom.item)) for inside, size, atom in around if inside]
        return min(found)[1] if found else None


@final
class CodeUnits:
    """The offsets of one text."""

    def __init__(self, text: str) -> None:
        """Find the characters of a text that take two code units."""
        wide = [] if text.isascii() else [offset for offset, character in enumerate(text) if ord(character) > 0xFFFF]
        self._length = len(text)
        self._wide = wide
        self._wide_units = [offset + before for before, offset in enumerate(wide)]

    def units(self, offset: int) -> int:
        """Return the number of code units before an offset in characters; one behind the end becomes the end."""
        offset = min(offset, self._length)
        return offset + bisect_left(self._wide, offset)

    def characters(self, units: int) -> int:
        """Return the number of characters before an offset in code units; one behind the end becomes the end."""
        return min(units - bisect_left(self._wide_units, units), self._length)
