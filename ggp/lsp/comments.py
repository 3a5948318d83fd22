"""The comments that say what a name means: those right above where it is defined."""

from __future__ import annotations

import re
from typing import Final

from gdl.language.syntax import Expression, Group
from ggp.lsp.document import Document

#: Lines that only divide a file into sections, such as `; ------ roles`.
_BANNER: Final = re.compile(r";+\s*[-=*#;]{3,}.*|;+")


def comment_above(document: Document, statement: int) -> str:
    """The comment lines directly above a statement, or beside its first line; empty where there are none.

    Above statements of the same relation that follow each other, the comment stands for all of them.
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
    """The first line of a comment that shows how a name is used, such as `(cell X Y P)  all cells`; or empty."""
    wanted = f"({name.lower()} "
    for text in document.lines:
        _, semicolon, comment = text.partition(";")
        if semicolon and wanted in comment.lower():
            return comment.lstrip(";").strip()
    return ""


def _above(document: Document, line: int) -> str:
    """The comment that ends right above a line, without semicolons and section lines."""
    lines: list[str] = []
    for text in reversed(document.lines[: line - 1]):
        stripped = text.strip()
        if not stripped.startswith(";") or _BANNER.fullmatch(stripped):
            break
        lines.append(stripped.lstrip(";").strip())
    return "\n".join(reversed(lines)).strip()


def _beside(document: Document, statement: Expression) -> str:
    """The comment behind the first line of a statement."""
    _, semicolon, comment = document.lines[statement.location.line - 1].partition(";")
    return comment.lstrip(";").strip() if semicolon else ""


def _last_line(statement: Expression) -> int:
    return statement.end.line if isinstance(statement, Group) else statement.location.line
