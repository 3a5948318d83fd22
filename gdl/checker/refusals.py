"""Reports the mistakes for which a text is refused, with suggestions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import final

from gdl.checker.diagnostic import Diagnostic, of_mistakes
from gdl.checker.names import variable_hint
from gdl.checker.shape import torn_terms
from gdl.checker.view import View
from gdl.errors import Location
from gdl.language.syntax import Expression, VariableSymbol, variables


def refusals(view: View) -> Iterator[Diagnostic]:
    """Report the mistakes of a text, with fixes where possible."""
    torn = torn_terms(view)
    others = _Variables(view)
    for diagnostic in of_mistakes(view.reading.mistakes):
        place = diagnostic.location
        found = torn.get((place.line, place.column)) if diagnostic.code == "keyword-arity" else None
        if found:
            meant, fix = found
            yield replace(diagnostic, message=f"{diagnostic.message}; did you mean {meant}?", fix=fix)
        elif diagnostic.code == "unsafe-variable":
            yield replace(diagnostic, message=diagnostic.message + others.hint(place))
        else:
            yield diagnostic


@final
class _Variables:
    """The variables of all statements, by their locations; collected when they are first needed."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._found: dict[tuple[int, int], tuple[VariableSymbol, Expression]] = {}

    def hint(self, place: Location) -> str:
        """Suggest a variable of the same rule that is spelled almost like the one at a location."""
        if not self._found:
            self._found = {
                (variable.location.line, variable.location.column): (variable, statement)
                for statement in self._view.reading.statements
                for variable in variables(statement)
            }
        found = self._found.get((place.line, place.column))
        if found is None:
            return ""
        variable, statement = found
        return variable_hint(self._view, variable.text, lambda: {other.text for other in variables(statement)})
