"""The checker: reports all mistakes, doubts and hints in a rule file, with their locations.

- `diagnostic`: the diagnostics; `codes`: all codes, each with its severity
- `view`: all atoms, connectives and terms of a text, with their locations
- `keywords`, `names`, `slips`, `shape`, `recursion`, `reach`: the checks
- `domains`: the values that each relation can have; `consequences`: rules that never fire because others do not
- `refusals`: the mistakes for which a text is refused; `rewrite`: the edits of fixes
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from gdl.checker import keywords, names, reach, recursion, shape, slips
from gdl.checker.codes import CODES, Code, Severity
from gdl.checker.diagnostic import Diagnostic, Fix, Note, in_order
from gdl.checker.refusals import refusals
from gdl.checker.view import View
from gdl.language.parser import source_of
from gdl.language.reading import Reading, read

__all__ = ["CODES", "Code", "Diagnostic", "Fix", "Note", "Severity", "check", "check_reading", "in_order"]

_CHECKS: Final[tuple[Callable[[View], Iterator[Diagnostic]], ...]] = (
    keywords.keywords,
    keywords.missing,
    keywords.goal_values,
    names.singletons,
    names.spellings,
    names.arities,
    names.functions_and_relations,
    names.undefined,
    names.unused,
    names.unknown_roles,
    shape.bodies,
    shape.parenthesised_names,
    shape.connectives,
    shape.duplicates,
    recursion.recursion,
    reach.reach,
    slips.misspelled,
)


def check(text: str, name: str = "<string>") -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a text, in its order. Raises nothing."""
    return check_reading(read(source_of(text, name)))


def check_reading(reading: Reading) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a text that has been read.

    If the text could not be parsed completely, only the mistakes that prevented it are reported.
    """
    view = View(reading)
    checks = _CHECKS if reading.whole else ()
    found = [diagnostic for check in (refusals, *checks) for diagnostic in check(view)]
    return in_order(one for one in found if one.code != "misspelled-name" or not _is_covered(one, found))


def _is_covered(slip: Diagnostic, found: list[Diagnostic]) -> bool:
    """Return True if another error or warning covers the location of a name that may be misspelled."""
    return any(
        other.code != slip.code and other.severity != "hint" and slip.location in other.location for other in found
    )
