"""Checks for statements that could be written more plainly, and offers fixes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Final

from gdl.checker.diagnostic import Diagnostic, Fix, Note
from gdl.checker.rewrite import distributed, merged, removed, unwrapped, wrapped
from gdl.checker.view import ConnectiveSite, View
from gdl.language.edits import Edit
from gdl.language.syntax import Expression, Group, Symbol, VariableSymbol, variables

#: The keywords that take one term or condition, and those that take a role and a term.
_ONE: Final = ("base", "init", "true", "next", "not")
_TWO: Final = ("legal", "does", "input")

#: The maximum number of facts that one declaration of values becomes.
_MOST_DECLARED: Final = 10_000


def bodies(view: View) -> Iterator[Diagnostic]:
    """Report rules without conditions."""
    for statement, rules in zip(view.reading.statements, view.reading.rules_of, strict=True):
        match statement:
            case Group(items=(Symbol(key="<=") as arrow, head)):
                fix = Fix("write it as a fact", unwrapped(view, statement, [head])) if rules else None
                message = f"a rule without conditions is a fact: {head}"
                yield Diagnostic("empty-body", message, arrow.location, fix=fix)


def parenthesised_names(view: View) -> Iterator[Diagnostic]:
    """Report `(p)` where `p` means the same."""
    items = [atom.item for atom in view.atoms] + [term.item for term in view.terms]
    for item in items:
        match item:
            case Group(items=(Symbol() as name,)):
                fix = Fix("leave out the parentheses", unwrapped(view, item, [name]))
                message = f"({name}) is the same as {name}, without parentheses"
                yield Diagnostic("parenthesised-name", message, view.place(item), fix=fix)


def connectives(view: View) -> Iterator[Diagnostic]:
    """Report redundant `or` and `and`, and `not` before anything but an atom."""
    by_item = {id(site.item): site for site in view.connectives}
    for site in view.connectives:
        if site.name.key in ("or", "and"):
            yield from _joining(view, site)
        elif site.name.key == "not" and len(site.args) == 1 and (inner := by_item.get(id(site.args[0]))):
            yield from _negation(view, site, inner)


def _joining(view: View, site: ConnectiveSite) -> Iterator[Diagnostic]:
    name = site.name.key
    place = view.place(site.item)
    if not site.args:
        meaning = "never holds" if name == "or" else "always holds"
        yield Diagnostic("empty-connective", f"{name} without conditions {meaning}", place)
    elif len(site.args) == 1:
        fix = Fix(f"leave out the {name}", unwrapped(view, site.item, site.args))
        message = f"{name} joins two or more conditions, but there is only one here"
        yield Diagnostic("empty-connective", message, place, fix=fix)
    elif site.parent is not None and site.parent.name.key == name:
        fix = Fix(f"leave out the inner {name}", unwrapped(view, site.item, site.args))
        yield Diagnostic("nested-connective", f"{name} inside {name} can be left out", place, fix=fix)
    elif site.parent is None and name == "and":
        fix = Fix("leave out the and", unwrapped(view, site.item, site.args))
        yield Diagnostic("nested-connective", "the conditions of a rule are joined without and", place, fix=fix)


def _negation(view: View, site: ConnectiveSite, inner: ConnectiveSite) -> Iterator[Diagnostic]:
    name = inner.name.key
    place = view.place(site.item)
    if name == "not" and len(inner.args) == 1:
        fix = Fix("leave out both", unwrapped(view, site.item, inner.args))
        yield Diagnostic("negated-connective", "not before not: both can be left out", place, fix=fix)
    elif name == "distinct" and len(inner.args) == 2:
        found = merged(view, site, *inner.args) if site.parent is None else None
        title = f"write {inner.args[0]} and {inner.args[1]} as one" if found else ""
        message = f"not distinct says that two terms are equal; {_equal(inner)}"
        yield Diagnostic("negated-connective", message, place, fix=Fix(title, found) if found else None)
    elif name in ("or", "and") and inner.args:
        other = "and" if name == "or" else "or"
        fix = Fix(f"put not before each, joined by {other}", distributed(view, site.item, inner, other))
        message = f"in GDL, not stands only before an atom; here it stands before {name}"
        yield Diagnostic("negated-connective", message, place, fix=fix)


def _equal(distinct: ConnectiveSite) -> str:
    left, right = distinct.args
    if isinstance(left, VariableSymbol) or isinstance(right, VariableSymbol):
        return f"GDL uses one term for both: {left} and {right}"
    return "in GDL, not stands only before an atom"


def duplicates(view: View) -> Iterator[Diagnostic]:
    """Report statements that differ from an earlier one only in case, names of variables and layout."""
    first: dict[str, Expression] = {}
    for statement in view.reading.statements:
        key = _canonical(statement, {})
        original = first.setdefault(key, statement)
        if original is not statement:
            what = "rule" if isinstance(statement, Group) and str(statement.items[:1][0]) == "<=" else "fact"
            line = original.location.line
            message = f"this {what} is already in the file, on line {line}"
            note = Note(original.location, "the first one is here")
            fix = Fix("leave it out", removed(view, statement))
            yield Diagnostic("duplicate-rule", message, view.place(statement), (note,), fix if fix.edits else None)


def _canonical(expression: Expression, names: dict[str, str]) -> str:
    """Return an expression as the text of its keys, with its variables numbered in their order."""
    if isinstance(expression, Group):
        return f"({' '.join(_canonical(item, names) for item in expression.items)})"
    key = expression.key
    return names.setdefault(key, f"?{len(names)}") if isinstance(expression, VariableSymbol) else key


def torn_terms(view: View) -> dict[tuple[int, int], tuple[str, Fix]]:
    """Find keywords whose term lacks its parentheses, as in `(base cell 1 1 b)` for `(base (cell 1 1 b))`.

    Returns the intended text and the fix by line and column of the keyword. A fact such as `(base (cell 1) (cell 2))`
    is taken for two facts, and `(base cell (x 1 2) (mark b))` for the facts of all values: so they were declared before
    2010, with a name for the values of each argument.
    """
    found: dict[tuple[int, int], tuple[str, Fix]] = {}
    for item in _groups(view.reading.statements):
        match item.items:
            case (Symbol() as name, *args) if name.key in _ONE and len(args) > 1:
                before = f"({name} "
            case (Symbol() as name, role, *args) if name.key in _TWO and len(args) > 1 and isinstance(args[0], Symbol):
                before = f"({name} {role} "
            case _:
                continue
        mended = _mended(view, item, before, args, name.key in ("base", "input"))
        if mended:
            found[name.location.line, name.location.column] = mended
    return found


def _mended(view: View, item: Group, before: str, args: list[Expression], declares: bool) -> tuple[str, Fix] | None:
    title = "put parentheses around each term"
    if isinstance(args[0], Symbol):
        if declares and any(isinstance(arg, Group) and not _is_used(view, arg) for arg in args):
            return _declared(view, item, before, args)
        return f"{before}{_joined(args)})", Fix(title, wrapped(view, args))
    if all(isinstance(arg, Group) for arg in args) and item in view.reading.statements:
        ends = [view.offsets.span(arg)[1] for arg in args[:-1]]
        meant = f"{before}{args[0]}) {before}{args[1]})"
        return meant, Fix(title, tuple(Edit(end, end, f") {before.rstrip()}") for end in ends))
    return None


def _is_used(view: View, function: Group) -> bool:
    """Return True if facts or moves contain a function, so that it does not name the values of an argument."""
    names = {
        group.items[0].key
        for atom in view.atoms
        if atom.name.key not in ("base", "input")
        for group in _groups(atom.args)
        if group.items and isinstance(group.items[0], Symbol)
    }
    return bool(function.items) and isinstance(function.items[0], Symbol) and function.items[0].key in names


def _declared(view: View, item: Group, before: str, args: list[Expression]) -> tuple[str, Fix] | None:
    """Write the facts that are declared by the values of their arguments."""
    name, *values = args
    choices = [arg.items[1:] for arg in values if isinstance(arg, Group)]
    count = prod(map(len, choices))
    is_fact = item in view.reading.statements and not any(variables(item)) and ";" not in view.text(item)
    if not is_fact or len(choices) < len(values) or not 0 < count <= _MOST_DECLARED:
        return None
    facts = [f"{before}({name} {' '.join(map(str, choice))}))" for choice in product(*choices)]
    meant = " ".join(facts) if count <= 3 else f"{facts[0]} {facts[1]} ... {facts[-1]}"
    return meant, Fix("write one fact for each value", (Edit(*view.offsets.span(item), "\n".join(facts)),))


def _joined(args: list[Expression]) -> str:
    return f"({' '.join(map(str, args))})"


def _groups(expressions: Sequence[Expression]) -> Iterator[Group]:
    for expression in expressions:
        if isinstance(expression, Group):
            yield expression
            yield from _groups(expression.items)
