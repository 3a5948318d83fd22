"""The checker: every mistake and doubt in a rule file, at its place.

- `diagnostic`: what is reported; `codes`: all codes, each with its severity
"""

from __future__ import annotations

from gdl.checker.codes import CODES, Code
from gdl.checker.diagnostic import Diagnostic, Fix, Note, Severity, in_order, of_mistakes
from gdl.parser import source_of
from gdl.reading import Reading, read

__all__ = ["CODES", "Code", "Diagnostic", "Fix", "Note", "Severity", "check", "check_reading"]


def check(text: str, name: str = "<string>") -> tuple[Diagnostic, ...]:
    """All that is wrong or doubtful in a text, in its order. It raises nothing."""
    return check_reading(read(source_of(text, name)))


def check_reading(reading: Reading) -> tuple[Diagnostic, ...]:
    """The same of a text that has been read."""
    return in_order(of_mistakes(reading.mistakes))
