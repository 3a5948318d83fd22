"""Edits that rewrite expressions, leaving unaffected layout and comments alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from gdl.checker.diagnostic import Fix
from gdl.checker.view import AtomSite, ConnectiveSite, View
from gdl.language.edits import Edit
from gdl.language.syntax import Expression, Group, Symbol, VariableSymbol, variables

#: Comments, and all other text that is not white space.
_TOKENS: Final = re.compile(r"(?P<comment>;[^\n]*)|[^\s;]+")


def respelled(view: View, leaves: Iterable[Symbol | VariableSymbol], meant: str | None) -> Fix | None:
    """Suggest to write `meant` in place of some symbols or variables; None if nothing is meant."""
    if not meant:
        return None
    return Fix(f"write {meant}", tuple(Edit(*view.offsets.span(leaf), meant) for leaf in leaves), guess=True)


def unwrapped(view: View, outer: Group, kept: Sequence[Expression]) -> tuple[Edit, ...]:
    """Replace a group by some of its consecutive items, `kept`."""
    start, end = view.offsets.span(outer)
    first, last = view.offsets.span(kept[0])[0], view.offsets.span(kept[-1])[1]
    return _cleared(view, start, first), _cleared(view, last, end)


def _cleared(view: View, start: int, end: int) -> Edit:
    """Delete a range of text, except for the comments in it."""
    text = view.reading.source.text
    if ";" in text[start:end]:
        return Edit(start, end, _TOKENS.sub(lambda found: found["comment"] or "", text[start:end]))
    return Edit(start, end, _gap(text, start, end))


def _gap(text: str, start: int, end: int) -> str:
    """Return the text that has to remain between the two sides of a deleted range.

    It is a blank if two symbols would run together, otherwise nothing.
    """

    def joins(character: str) -> bool:
        return bool(character) and not character.isspace() and character not in "();"

    return " " if joins(text[start - 1 : start]) and joins(text[end : end + 1]) else ""


def wrapped(view: View, items: Sequence[Expression]) -> tuple[Edit, ...]:
    """Put parentheses around consecutive expressions."""
    start, end = view.offsets.span(items[0])[0], view.offsets.span(items[-1])[1]
    return Edit(start, start, "("), Edit(end, end, ")")


def enclosed(view: View, item: Expression, before: str, after: str) -> tuple[Edit, ...]:
    """Put text before and after an expression."""
    start, end = view.offsets.span(item)
    return Edit(start, start, before), Edit(end, end, after)


def exchanged(view: View, left: Expression, right: Expression) -> tuple[Edit, ...]:
    """Write two expressions in each other's place."""
    return Edit(*view.offsets.span(left), view.text(right)), Edit(*view.offsets.span(right), view.text(left))


def distributed(view: View, outer: Group, inner: ConnectiveSite, other: str) -> tuple[Edit, ...]:
    """Rewrite `(not (or a b))` as `(and (not a) (not b))`, and `(not (and a b))` likewise."""
    start, end = view.offsets.span(outer)
    name = view.offsets.end(inner.name.location)
    if ";" in view.reading.source.text[start:name]:
        return ()
    edits = [Edit(start, name, f"({other}")]
    for arg in inner.args:
        first, last = view.offsets.span(arg)
        edits += [Edit(first, first, "(not "), Edit(last, last, ")")]
    return (*edits, Edit(end - 1, end, ""))


def merged(view: View, site: AtomSite | ConnectiveSite, left: Expression, right: Expression) -> tuple[Edit, ...]:
    """Delete a condition that says that two terms are equal, and replace one of the two terms by the other.

    Returns no edits if neither is a variable, if one contains the other, or if a comment is in the way.
    """
    if isinstance(right, VariableSymbol) and not isinstance(left, VariableSymbol):
        left, right = right, left
    if isinstance(left, VariableSymbol) and isinstance(right, VariableSymbol):
        left, right = right, left  # keep the first one
    if not isinstance(left, VariableSymbol) or left.key in {v.key for v in variables(right)}:
        return ()
    statement = view.reading.statements[site.statement]
    removal = removed(view, site.item)
    if not removal or not isinstance(statement, Group) or len(statement.items) < 4:
        return ()
    start, end = view.offsets.span(site.item)
    text = view.text(right)
    if ";" in text:
        return ()
    edits = []
    for variable in variables(statement):
        first, last = view.offsets.span(variable)
        if variable.key == left.key and not start <= first < end:
            edits.append(Edit(first, last, text))
    return (*edits, *removal)


def removed(view: View, item: Expression) -> tuple[Edit, ...]:
    """Delete an expression, and its lines if they become empty. Returns no edits if it contains comments."""
    text = view.reading.source.text
    start, end = view.offsets.span(item)
    if ";" in text[start:end]:
        return ()
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    alone_before, alone_behind = not text[line_start:start].strip(), not text[end:line_end].strip()
    if alone_before and alone_behind:
        return (Edit(line_start, min(line_end + 1, len(text)), ""),)
    if alone_before:
        # Move what follows it to the start of the line.
        return (Edit(start, end + len(text[end:]) - len(text[end:].lstrip(" \t")), ""),)
    before = start - len(text[:start]) + len(text[:start].rstrip(" \t"))
    return (Edit(before, end, _gap(text, before, end)),)
