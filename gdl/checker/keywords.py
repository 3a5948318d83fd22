"""Checks misplaced keywords, missing relations, and the values of goals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gdl.checker.diagnostic import Diagnostic, Fix
from gdl.checker.rewrite import respelled
from gdl.checker.suggestions import did_you_mean
from gdl.checker.view import KEYWORDS, AtomSite, View
from gdl.errors import Location
from gdl.language.syntax import Symbol, leaves
from gdl.reasoner.joint_moves import WHOLE_NUMBER

#: The keywords that rules define but conditions must not use.
_NOT_IN_BODIES: Final = ("init", "base", "input")


def keywords(view: View) -> Iterator[Diagnostic]:
    """Report `role` in heads; `init`, `base` and `input` in bodies; keywords as names of functions and constants."""
    for atom in view.atoms:
        if atom.kind == "head" and atom.name.key == "role":
            message = "role is declared in facts only; a rule may not derive it"
            yield Diagnostic("keyword-out-of-place", message, view.place(atom.item))
        if atom.kind == "condition" and atom.name.key in _NOT_IN_BODIES:
            message = f"{atom.name} is allowed only in facts and in heads of rules, not in conditions"
            hint, fix = meant_instead(view, atom)
            yield Diagnostic("keyword-out-of-place", message + hint, view.place(atom.item), fix=fix)
    for term in view.terms:
        name = term.name
        if name.key in KEYWORDS and term.args:
            message = f"{name} is a keyword and cannot be the name of a function"
            yield Diagnostic("keyword-function", message, name.location)
        elif name.key in KEYWORDS:
            yield Diagnostic("keyword-constant", f"{name} is a keyword, but is used as a constant here", name.location)


def meant_instead(view: View, atom: AtomSite) -> tuple[str, Fix | None]:
    """Suggest the keyword that is meant by one about facts that stands in the wrong place.

    What holds before a move is `true` in conditions, and what holds after it is `next` in heads. There is no suggestion
    for a rule about `init` that has the same facts in `true`, as the two are told apart there on purpose; nor for a
    rule for `true` that looks at neither a state nor a move, as it may be meant for `init` or for `next`.
    """
    beside = [other for other in view.conditions() if other.statement == atom.statement]
    match atom.kind, atom.name.key:
        case "condition", "init" if any(other.name.key == "true" and _same_facts(other, atom) for other in beside):
            return "", None
        case "condition", "init" | "next":
            meant = "true"
        case "fact", "true":
            meant = "init"
        case "head", "true" if any(other.name.key in ("true", "does") for other in beside):
            meant = "next"
        case _:
            return "", None
    text = f"({' '.join([meant, *map(str, atom.args)])})"
    return did_you_mean(text), respelled(view, [atom.name], meant)


def _same_facts(one: AtomSite, other: AtomSite) -> bool:
    """Return True if two atoms are about facts of the same name."""
    first, second = (next(leaves(atom.args[0]), None) if atom.args else None for atom in (one, other))
    return first is not None and second is not None and first.key == second.key


def missing(view: View) -> Iterator[Diagnostic]:
    """Report games without `legal` or `goal`."""
    if not view.reading.statements:
        return
    names = {atom.name.key for atom in view.heads()}
    start = Location(view.reading.source, 1, 1)
    if "legal" not in names:
        yield Diagnostic("no-legal", "nothing says what a role may do; a game has rules for legal", start)
    if "goal" not in names:
        yield Diagnostic("no-goal", "there are no rules for goal, so nothing says what the outcome is worth", start)


def goal_values(view: View) -> Iterator[Diagnostic]:
    """Report goals that are not whole numbers from 0 to 100."""
    for atom in view.heads():
        if atom.signature == ("goal", 2) and isinstance(atom.args[1], Symbol):
            value = atom.args[1].text
            if not WHOLE_NUMBER.fullmatch(value) or not 0 <= int(value) <= 100:
                message = f"a goal value is a whole number from 0 to 100, not {value}"
                yield Diagnostic("goal-value", message, atom.args[1].location)
