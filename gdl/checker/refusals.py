"""Reports the mistakes for which a text is refused, with suggestions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from typing import final

from gdl.checker.diagnostic import Diagnostic, Fix, of_mistakes
from gdl.checker.keywords import MeantKeywords
from gdl.checker.rewrite import respelled
from gdl.checker.shape import torn_terms
from gdl.checker.suggestions import did_you_mean
from gdl.checker.variables import variable_meant
from gdl.checker.view import KEYWORDS, View
from gdl.errors import Location
from gdl.language.edits import Edit
from gdl.language.syntax import Expression, VariableSymbol, variables
from gdl.terms import name_key


def refusals(view: View) -> Iterator[Diagnostic]:
    """Report the mistakes of a text, with fixes where possible."""
    torn = torn_terms(view)
    others = _Variables(view)
    keywords = MeantKeywords(view)
    atoms = {(atom.item.location.line, atom.item.location.column): atom for atom in view.atoms}
    for diagnostic in of_mistakes(view.reading.mistakes):
        place = diagnostic.location
        found = torn.get((place.line, place.column)) if diagnostic.code == "keyword-arity" else None
        if found:
            text, wrapping = found
            yield replace(diagnostic, message=f"{diagnostic.message}; did you mean {text}?", fix=wrapping)
        elif diagnostic.code == "unsafe-variable":
            hint, fix = others.meant(place)
            yield replace(diagnostic, message=diagnostic.message + hint, fix=fix)
        elif diagnostic.code == "misplaced-keyword" and (atom := atoms.get((place.line, place.column))):
            hint, fix = keywords.meant(atom)
            yield replace(diagnostic, message=diagnostic.message + hint, fix=fix)
        elif diagnostic.code == "foreign-file" and (form := view.reading.form):
            yield replace(diagnostic, fix=Fix(form.title, form.edits) if form.edits else None)
        elif diagnostic.code == "unexpected-character":
            yield replace(diagnostic, fix=_without_format(view, place))
        elif diagnostic.code in ("no-role", "no-terminal"):
            yield _perhaps_misspelled(view, diagnostic)
        else:
            yield diagnostic


def _without_format(view: View, place: Location) -> Fix | None:
    """Suggest to leave out a character that cannot be seen, wherever it is."""
    text = view.reading.source.text
    character = text[view.offsets.start(place)]
    if unicodedata.category(character) != "Cf":
        return None
    edits = [Edit(found.start(), found.end(), "") for found in re.finditer(character, text)]
    return Fix("leave it out", tuple(edits), guess=True)


def _perhaps_misspelled(view: View, diagnostic: Diagnostic) -> Diagnostic:
    """Point out a relation that may be meant to be the missing one, if there is one."""
    missing = diagnostic.code.removeprefix("no-")
    names = {atom.name.key for atom in view.heads() if atom.name.key not in KEYWORDS}
    near = view.suggestions.nearest(missing, lambda: names)
    heads = [atom.name for atom in view.heads() if near is not None and atom.name.key == name_key(near)]
    if not heads:
        return diagnostic
    fix = respelled(view, heads, missing)
    return replace(diagnostic, message=diagnostic.message + did_you_mean(missing), location=heads[0].location, fix=fix)


@final
class _Variables:
    """The variables of all statements, by their locations; collected when they are first needed."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._found: dict[tuple[int, int], tuple[VariableSymbol, Expression]] = {}

    def meant(self, place: Location) -> tuple[str, Fix | None]:
        """Suggest a variable of the same rule that is spelled almost like the one at a location."""
        if not self._found:
            self._found = {
                (variable.location.line, variable.location.column): (variable, statement)
                for statement in self._view.reading.statements
                for variable in variables(statement)
            }
        found = self._found.get((place.line, place.column))
        if found is None:
            return "", None
        variable, statement = found
        meant = variable_meant(self._view, variable.text, lambda: {other.text for other in variables(statement)})
        same = [other for other in variables(statement) if other.key == variable.key]
        return did_you_mean(meant), respelled(self._view, same, meant)
