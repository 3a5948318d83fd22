"""Reports the mistakes for which a text is refused, with suggestions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gdl.checker.diagnostic import Diagnostic, of_mistakes
from gdl.checker.names import variable_hint
from gdl.checker.shape import torn_terms
from gdl.checker.view import View
from gdl.errors import Location
from gdl.language.syntax import variables


def refusals(view: View) -> Iterator[Diagnostic]:
    """Report the mistakes of a text, with fixes where possible."""
    torn = torn_terms(view)
    for diagnostic in of_mistakes(view.reading.mistakes):
        place = diagnostic.location
        found = torn.get((place.line, place.column)) if diagnostic.code == "keyword-arity" else None
        if found:
            meant, fix = found
            yield replace(diagnostic, message=f"{diagnostic.message}; did you mean {meant}?", fix=fix)
        elif diagnostic.code == "unsafe-variable":
            yield replace(diagnostic, message=diagnostic.message + _other_variable(view, place))
        else:
            yield diagnostic


def _other_variable(view: View, place: Location) -> str:
    """Suggest a variable of the same rule that is spelled almost like the one at a location."""
    for statement in view.reading.statements:
        found = list(variables(statement))
        for variable in found:
            if (variable.location.line, variable.location.column) == (place.line, place.column):
                return variable_hint(variable.text, {other.text for other in found})
    return ""
