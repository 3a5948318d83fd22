"""Rename names: check that a name may be changed, and find all its occurrences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from gdl.checker.view import KEYWORDS
from gdl.errors import GdlError
from gdl.language.parser import parse, source_of
from gdl.language.syntax import Symbol, VariableSymbol
from gdl.terms import name_key
from ggp.rules.lsp.document import Document
from ggp.rules.lsp.names import Name, NameKind

_NUMBER: Final = re.compile("-?[0-9]+")


class RenameError(GdlError):
    """The name cannot be changed, or not to the given one."""

    code = "rename"

    def __init__(self, reason: str) -> None:
        """Keep the reason."""
        self.reason = reason
        super().__init__(reason)


def renamable(document: Document, name: Name) -> Name:
    """Return the name if it can be renamed. Raises RenameError."""
    if name.kind is NameKind.KEYWORD:
        raise RenameError(f"{name.text} is a keyword")
    if _NUMBER.fullmatch(name.text):
        raise RenameError(f"{name.text} is a number: its uses cannot be told apart, and goals need their numbers")
    if not document.reading.whole:
        raise RenameError("a parenthesis is missing: fix that first, as names may be overlooked")
    return name


def renamed(document: Document, name: Name, new: str) -> Sequence[Name]:
    """Return the occurrences to rename. Raises RenameError if the new name is invalid or already in use."""
    renamable(document, name)
    kind = document.kind(name)
    if kind is NameKind.VARIABLE:
        new = new if new.startswith("?") else f"?{new}"
        if not _is_one(new, VariableSymbol):
            raise RenameError(f"{new} is not a valid name for a variable")
    elif not _is_one(new, Symbol):
        shown = new or "an empty text"
        raise RenameError(f"{shown} is not a valid name: names have no spaces, parentheses, semicolons or leading ?")
    elif name_key(new) in KEYWORDS:
        raise RenameError(f"{new} is a keyword")
    key = (name.key[0], name_key(new), name.key[2])
    if key != name.key and key in document.by_key:
        where = document.by_key[key][0].location.line
        raise RenameError(f"{new} is already used in line {where}; both would become the same")
    return document.references(name)


def new_text(name: Name, new: str) -> str:
    """Return the new name as it is written in the text."""
    return f"?{new}" if name.kind is NameKind.VARIABLE and not new.startswith("?") else new


def _is_one(text: str, kind: type) -> bool:
    """Return True if a text is a single symbol or a single variable, as `kind` says."""
    expressions, mistakes = parse(source_of(text, "<name>"))
    return not mistakes and len(expressions) == 1 and isinstance(expressions[0], kind) and str(expressions[0]) == text
