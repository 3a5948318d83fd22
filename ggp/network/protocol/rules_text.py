"""Rules as messages carry them: on one line, without comments."""

from __future__ import annotations

from gdl.errors import RulesheetError
from gdl.language.parser import parse, source_of


def rules_line(text: str) -> str:
    """Return the statements of a rule text on one line, with single blanks, as START and PREVIEW carry them.

    Symbols and variables keep their spelling. Raises RulesheetError for invalid text.
    """
    statements, mistakes = parse(source_of(text, "<string>"))
    if mistakes:
        raise RulesheetError(mistakes)
    return " ".join(map(str, statements))
