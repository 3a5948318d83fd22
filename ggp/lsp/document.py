"""A text that is open in an editor, and what is known of it."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import final

from gdl.checker import Diagnostic, check_reading
from gdl.checker.view import View
from gdl.language.parser import source_of
from gdl.language.reading import Reading, read
from gdl.language.syntax import Expression
from ggp.lsp.names import Key, Name, NameKind, names


@final
class Document:
    """One version of a text; what it holds is found out when it is first asked. Lines and columns count from 1."""

    def __init__(self, text: str, name: str) -> None:
        self.source = source_of(text, name)

    @cached_property
    def lines(self) -> list[str]:
        return self.source.text.split("\n")

    @cached_property
    def reading(self) -> Reading:
        return read(self.source)

    @cached_property
    def view(self) -> View:
        return View(self.reading)

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return check_reading(self.reading)

    @cached_property
    def names(self) -> tuple[Name, ...]:
        return names(self.view)

    @cached_property
    def by_key(self) -> dict[Key, list[Name]]:
        """The occurrences of each name, in the order of the text."""
        found: dict[Key, list[Name]] = {}
        for name in self.names:
            found.setdefault(name.key, []).append(name)
        return found

    def name_at(self, line: int, column: int) -> Name | None:
        """The name in whose text, or right behind it, a place is."""
        at = bisect_right(self.names, (line, column), key=lambda name: (name.location.line, name.location.column))
        if at == 0:
            return None
        name = self.names[at - 1]
        start = name.location.column
        return name if name.location.line == line and start <= column <= start + name.location.width else None

    def references(self, name: Name) -> list[Name]:
        """All occurrences of what is named."""
        return self.by_key[name.key]

    def definitions(self, name: Name) -> list[Name]:
        """Where it is said what a name means: of a relation, heads and facts; of a variable, where it comes first.

        Of a fact of the state that is in init, next and base, of a move in legal and input, of a constant in facts;
        where none of these is, wherever it stands first.
        """
        found = self.by_key[name.key]
        kind = self.kind(name)
        if kind is NameKind.VARIABLE:
            return found[:1]
        if kind in (NameKind.KEYWORD, NameKind.RELATION):
            return [one for one in found if one.defines]
        if kind is NameKind.TERM:
            defining = [one for one in found if one.around.kind == "fact"]
        else:
            defining = [one for one in found if one.defines and one.kind is kind]
        return defining or found[:1]

    def kind(self, name: Name) -> NameKind:
        """What a name names, by all its occurrences: a term that is a fact or a move somewhere is one everywhere."""
        kinds = {one.kind for one in self.by_key[name.key]}
        return next((kind for kind in (NameKind.FACT, NameKind.MOVE) if kind in kinds), name.kind)

    def statement(self, number: int) -> Expression:
        return self.reading.statements[number]
