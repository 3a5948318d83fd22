"""A text that is open in an editor, and the information about it."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import final

from gdl.checker import Diagnostic, check_reading
from gdl.checker.view import View
from gdl.language.parser import source_of
from gdl.language.reading import Reading, read
from gdl.language.syntax import Expression
from ggp.rules.lsp.names import Key, Name, NameKind, names


@final
class Document:
    """One version of a text; its contents are analysed on first use. Lines and columns count from 1."""

    def __init__(self, text: str, name: str) -> None:
        """Keep the text under a name for messages."""
        self.source = source_of(text, name)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without line ends."""
        return self.source.text.split("\n")

    @cached_property
    def reading(self) -> Reading:
        """The text as read: its statements and its syntax errors."""
        return read(self.source)

    @cached_property
    def view(self) -> View:
        """The atoms and connectives of the text."""
        return View(self.reading)

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The checker's findings."""
        return check_reading(self.reading)

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """All occurrences of names, in the order of the text."""
        return names(self.view)

    @cached_property
    def by_key(self) -> dict[Key, list[Name]]:
        """The occurrences of each name, in the order of the text, by key."""
        found: dict[Key, list[Name]] = {}
        for name in self.names:
            found.setdefault(name.key, []).append(name)
        return found

    def name_at(self, line: int, column: int) -> Name | None:
        """Return the name that contains a position or ends right before it."""
        at = bisect_right(self.names, (line, column), key=lambda name: (name.location.line, name.location.column))
        if at == 0:
            return None
        name = self.names[at - 1]
        start = name.location.column
        return name if name.location.line == line and start <= column <= start + name.location.width else None

    def references(self, name: Name) -> list[Name]:
        """Return all occurrences of a name."""
        return self.by_key[name.key]

    def definitions(self, name: Name) -> list[Name]:
        """Return the definitions of a name: for relations, heads and facts; for variables, the first occurrence.

        Facts of the state are defined in init, next and base, moves in legal and input, and constants in facts;
        failing that, at their first occurrence.
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
        """Return the kind of a name over all occurrences: once a term is a fact or a move, it is one everywhere."""
        kinds = {one.kind for one in self.by_key[name.key]}
        return next((kind for kind in (NameKind.FACT, NameKind.MOVE) if kind in kinds), name.kind)

    def statement(self, number: int) -> Expression:
        """Return a statement by its number, from 0."""
        return self.reading.statements[number]
