"""Find the comments that explain a name: those directly above its definition."""

from __future__ import annotations

import re
from typing import Final

from gdl.language.syntax import Expression, Group
from gdl.terms import name_key
from ggp.lsp.document import Document

#: Lines that only divide a file into sections, such as `; ------ roles`.
_BANNER: Final = re.compile(r";+\s*[-=*#;]{3,}.*|;+")


def comment_above(document: Document, statement: int) -> str:
    """Return the comment lines directly above a statement, or behind its first line; empty if there are none.

    A comment above a group of adjacent statements for one relation counts for all of them.
    """
    first = statement
    while True:
        found = _above(document, document.statement(first).location.line)
        if found:
            return found
        if first == 0 or _last_line(document.statement(first - 1)) + 1 != document.statement(first).location.line:
            return _beside(document, document.statement(statement))
        first -= 1


def comment_about(document: Document, name: str) -> str:
    """Return the first comment that shows how a name is used, such as `(cell X Y P)  all cells`; empty if none does."""
    wanted = f"({name_key(name)} "
    for text in document.lines:
        _, semicolon, comment = text.partition(";")
        if semicolon and wanted in name_key(comment):
            return comment.lstrip(";").strip()
    return ""


def _above(document: Document, line: int) -> str:
    """Return the comment that ends directly above a line, without semicolons and section lines."""
    lines: list[str] = []
    for text in reversed(document.lines[: line - 1]):
        stripped = text.strip()
        if not stripped.startswith(";") or _BANNER.fullmatch(stripped):
            break
        lines.append(stripped.lstrip(";").strip())
    return "\n".join(reversed(lines)).strip()


def _beside(document: Document, statement: Expression) -> str:
    """Return the comment behind the first line of a statement."""
    _, semicolon, comment = document.lines[statement.location.line - 1].partition(";")
    return comment.lstrip(";").strip() if semicolon else ""


def _last_line(statement: Expression) -> int:
    return statement.end.line if isinstance(statement, Group) else statement.location.line
