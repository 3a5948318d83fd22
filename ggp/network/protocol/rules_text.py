"""Rules on their way through the network: on one line, without comments."""

from __future__ import annotations

from gdl.errors import RulesheetError
from gdl.language.parser import parse, source_of


def rules_line(text: str) -> str:
    """The statements of a rule text side by side, with one blank between symbols: what START and PREVIEW carry.

    Symbols and variables keep their spelling. Raises RulesheetError for a text that cannot be read.
    """
    statements, mistakes = parse(source_of(text, "<string>"))
    if mistakes:
        raise RulesheetError(mistakes)
    return " ".join(map(str, statements))
