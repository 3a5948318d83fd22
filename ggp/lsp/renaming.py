"""Renaming: which names may get which other ones, and all places where they stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from gdl.checker.view import KEYWORDS
from gdl.errors import GdlError
from gdl.language.parser import parse, source_of
from gdl.language.syntax import Symbol, VariableSymbol
from ggp.lsp.document import Document
from ggp.lsp.names import Name, NameKind

_NUMBER: Final = re.compile("-?[0-9]+")


class RenameError(GdlError):
    """A name that cannot be changed, or not to this one."""

    code = "rename"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)

    def __str__(self) -> str:
        return self.reason


def renamable(document: Document, name: Name) -> Name:
    """The name, if it may get another one. Raises RenameError."""
    if name.kind is NameKind.KEYWORD:
        raise RenameError(f"{name.text} is a word of the language")
    if _NUMBER.fullmatch(name.text):
        raise RenameError(f"{name.text} is a number: what it is used for cannot be told, and goals need theirs")
    if not document.reading.whole:
        raise RenameError("a parenthesis is missing somewhere: mend that first, as names may be overlooked")
    return name


def renamed(document: Document, name: Name, new: str) -> Sequence[Name]:
    """The occurrences that get the new name. Raises RenameError where it is none, or would make two things one."""
    renamable(document, name)
    kind = document.kind(name)
    if kind is NameKind.VARIABLE:
        new = new if new.startswith("?") else f"?{new}"
        if not _is_one(new, VariableSymbol):
            raise RenameError(f"{new} is no name for a variable")
    elif not _is_one(new, Symbol):
        raise RenameError(f"{new or 'nothing'} is no name: it has no blanks, parentheses, semicolons, and no ? first")
    elif new.lower() in KEYWORDS:
        raise RenameError(f"{new} is a word of the language")
    key = (name.key[0], new.lower(), name.key[2])
    if key != name.key and key in document.by_key:
        where = document.by_key[key][0].location.line
        raise RenameError(f"{new} is used already, in line {where}; both would be the same")
    return document.references(name)


def new_text(name: Name, new: str) -> str:
    """The new name as it stands in the text."""
    return f"?{new}" if name.kind is NameKind.VARIABLE and not new.startswith("?") else new


def _is_one(text: str, kind: type) -> bool:
    """Whether a text is one symbol, or one variable."""
    expressions, mistakes = parse(source_of(text, "<name>"))
    return not mistakes and len(expressions) == 1 and isinstance(expressions[0], kind) and str(expressions[0]) == text
