"""The checker: reports all mistakes, doubts and hints in a rule file, with their locations.

- `diagnostic`: the diagnostics; `codes`: all codes, each with its severity
- `view`: all atoms, connectives and terms of a text, with their locations
- `keywords`, `variables`, `relations`, `names`, `slips`, `shape`, `recursion`, `reach`, `lost`: the checks
- `notation`: statements in the notation of other languages
- `suggestions`: names that may be meant
- `domains`: the values that each relation can have; `consequences`: rules that never fire because others do not
- `refusals`: the mistakes for which a text is refused; `rewrite`: the edits of fixes
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import Final, final

from gdl.checker import keywords, lost, names, reach, recursion, relations, shape, slips, variables
from gdl.checker.codes import CODES, Code, Severity
from gdl.checker.diagnostic import SEVERITIES, Diagnostic, Fix, Note, in_order
from gdl.checker.notation import Foreigns
from gdl.checker.refusals import refusals
from gdl.checker.view import View
from gdl.errors import Location
from gdl.language.parser import source_of
from gdl.language.reading import Reading, read

__all__ = ["CODES", "SEVERITIES", "Code", "Diagnostic", "Fix", "Note", "Severity", "check", "check_reading", "in_order"]

_CHECKS: Final[tuple[Callable[[View], Iterator[Diagnostic]], ...]] = (
    keywords.keywords,
    keywords.missing,
    keywords.goal_values,
    variables.singletons,
    variables.constants_like_variables,
    names.spellings,
    relations.arities,
    relations.functions_and_relations,
    relations.undefined,
    relations.unused,
    names.unknown_roles,
    shape.bodies,
    shape.parenthesised_names,
    shape.connectives,
    shape.duplicates,
    recursion.recursion,
    recursion.demand,
    recursion.split_negation,
    reach.reach,
    lost.lost_facts,
    lost.unkept_values,
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
    strange = Foreigns(view)
    checks = _CHECKS if reading.whole else ()
    # Statements in another notation are misread: whatever else is said about them would be misleading.
    found = [
        diagnostic
        for check in (refusals, *checks)
        for diagnostic in check(view)
        if not any(map(strange.cover, (diagnostic.location, *(note.location for note in diagnostic.notes))))
    ]
    return in_order(_without_covered([*strange.diagnostics, *found]))


def _without_covered(found: list[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the diagnostics without suspicions that others already express.

    These are misspelled names whose location another error or warning covers, and constants spelled like variables if
    another diagnostic has the same fix.
    """
    slips = [one for one in found if one.code == "misspelled-name"]
    ends = _Ends(one.location for one in found if one.code != "misspelled-name" and one.severity != "hint")
    covered = {id(one) for one in slips if ends.cover(one.location)}
    fixes = {one.fix for one in found if one.code != "constant-like-variable"}
    covered |= {id(one) for one in found if one.code == "constant-like-variable" and one.fix in fixes}
    return (one for one in found if id(one) not in covered)


@final
class _Ends:
    """The farthest column that any location of a line reaches, among those that start at or before a column."""

    def __init__(self, locations: Iterable[Location]) -> None:
        by_line: dict[int, list[tuple[int, int]]] = {}
        for location in locations:
            by_line.setdefault(location.line, []).append((location.column, location.column + location.width))
        self._starts: dict[int, list[int]] = {}
        self._ends: dict[int, list[int]] = {}
        for line, spans in by_line.items():
            spans.sort()
            self._starts[line] = [start for start, _ in spans]
            self._ends[line] = list(accumulate((end for _, end in spans), max))

    def cover(self, location: Location) -> bool:
        """Return True if one of the locations contains this one."""
        before = bisect_right(self._starts.get(location.line, ()), location.column)
        return bool(before) and self._ends[location.line][before - 1] >= location.column + location.width
