"""Checks names that are spelled, used or defined in doubtful ways."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gdl.checker.consequences import RuleNumber
from gdl.checker.diagnostic import Diagnostic, Fix, Note, and_there, in_lines
from gdl.checker.domains import dead_conditions, never_fires
from gdl.checker.rewrite import respelled
from gdl.checker.suggestions import did_you_mean
from gdl.checker.view import View
from gdl.errors import Location
from gdl.language.edits import Edit
from gdl.language.syntax import Symbol, VariableSymbol, leaves


def what_follows(view: View, places: Iterable[RuleNumber]) -> tuple[Note, ...]:
    """Return notes on the rules, and on the alternatives of rules, that cannot fire as a consequence of another one.

    Each is placed at the first of these, and lists the lines of the others.
    """
    rules: dict[int, Location] = {}
    alternatives: list[Location] = []
    for number, index in sorted(set(places)):
        own, statement = view.reading.rules_of[number], view.reading.statements[number]
        if never_fires(own, view.domains):
            rules[number] = view.place(statement)
        elif dead := dead_conditions(own[index], own, view.domains):
            alternatives.append(view.place(dead[-1].syntax or statement))
    return (
        *_one_note("so this rule can never fire either", list(rules.values())),
        *_one_note("so this alternative can never hold either", list(dict.fromkeys(alternatives))),
    )


def _one_note(message: str, places: Sequence[Location]) -> Iterator[Note]:
    if places:
        first, *others = places
        also = (
            f", nor can {len(others)} {'other' if len(others) == 1 else 'others'}: {in_lines(others)}" if others else ""
        )
        yield Note(first, message + also)


def spellings(view: View) -> Iterator[Diagnostic]:
    """Report symbols of the file, and variables of a rule, that differ only in case.

    The fix changes all of them to the first spelling.
    """
    found: dict[str, dict[str, list[Symbol | VariableSymbol]]] = {}
    for number, statement in enumerate(view.reading.statements):
        for leaf in leaves(statement):
            key = leaf.key + (f" {number}" if isinstance(leaf, VariableSymbol) else "")
            found.setdefault(key, {}).setdefault(leaf.text, []).append(leaf)
    for by_text in found.values():
        (first, (defined, *_)), *others = by_text.items()
        for text, same in others:
            edits = tuple(Edit(*view.offsets.span(leaf), first) for leaf in same)
            times = f" ({len(same)} times)" if len(same) > 1 else ""
            message = f"{text}{times} is the same as {first}, spelled differently"
            note = Note(defined.location, f"here it is {first}")
            yield Diagnostic("case-differs", message, same[0].location, (note,), Fix(f"write {first}", edits))


def unknown_roles(view: View) -> Iterator[Diagnostic]:
    """Report constants that are no roles in the place of a role.

    Reports nothing if rules derive roles.
    """
    declared = [atom for atom in view.heads() if atom.signature == ("role", 1)]
    if not declared or any(atom.kind == "head" or not isinstance(atom.args[0], Symbol) for atom in declared):
        return
    roles = {atom.args[0].key: str(atom.args[0]) for atom in declared if isinstance(atom.args[0], Symbol)}
    unknown: dict[str, list[Symbol]] = {}
    for atom in view.atoms:
        if atom.signature in (("legal", 2), ("does", 2), ("goal", 2), ("input", 2), ("sees", 2)):
            role = atom.args[0]
            if isinstance(role, Symbol) and role.key not in roles:
                unknown.setdefault(role.key, []).append(role)
    for same in unknown.values():
        role, *others = same
        near = view.suggestions.nearest(role.text, roles.values)
        hint = did_you_mean(near) or f"; the roles are {', '.join(roles.values())}"
        notes = and_there([other.location for other in others])
        fix = respelled(view, same, near)
        yield Diagnostic("unknown-role", f"{role} is not a role{hint}", role.location, notes, fix)
