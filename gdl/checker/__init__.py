"""The checker: every mistake, doubt and hint in a rule file, at its place.

- `diagnostic`: what is reported; `codes`: all codes, each with its severity
- `view`: all atoms, connectives and terms of a text with their places
- `keywords`, `names`, `slips`, `shape`, `recursion`, `reach`: the checks
- `domains`: what each relation can ever hold; `consequences`: what never happens as something else does not
- `refusals`: what a text is refused for; `rewrite`: the edits of fixes
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
    """All that is wrong or doubtful in a text, in its order. It raises nothing."""
    return check_reading(read(source_of(text, name)))


def check_reading(reading: Reading) -> tuple[Diagnostic, ...]:
    """The same of a text that has been read. Of one that is torn only the mistakes are told that make it so."""
    view = View(reading)
    looks = _CHECKS if reading.whole else ()
    found = [diagnostic for look in (refusals, *looks) for diagnostic in look(view)]
    return in_order(one for one in found if one.code != "misspelled-name" or not _told_there(one, found))


def _told_there(slip: Diagnostic, found: list[Diagnostic]) -> bool:
    """Whether something else that is wrong is told of the place of a name that may be misspelled."""
    return any(
        other.code != slip.code and other.severity != "hint" and slip.location in other.location for other in found
    )
