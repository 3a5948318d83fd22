"""Checks misplaced keywords, missing relations, and the values of goals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

from gdl.checker.diagnostic import Diagnostic, Fix
from gdl.checker.rewrite import respelled
from gdl.checker.suggestions import did_you_mean
from gdl.checker.view import KEYWORDS, AtomSite, View
from gdl.errors import Location
from gdl.language.syntax import Symbol, leaves
from gdl.reasoner.joint_moves import goal_number

#: The keywords that rules define but conditions must not use.
_NOT_IN_BODIES: Final = ("init", "base", "input")


def keywords(view: View) -> Iterator[Diagnostic]:
    """Report `role` in heads; `init`, `base` and `input` in bodies; keywords as names of functions and constants."""
    instead = MeantKeywords(view)
    for atom in view.atoms:
        if atom.kind == "head" and atom.name.key == "role":
            message = "role is declared in facts only; a rule may not derive it"
            yield Diagnostic("keyword-out-of-place", message, view.place(atom.item))
        if atom.kind == "condition" and atom.name.key in _NOT_IN_BODIES:
            message = f"{atom.name} is allowed only in facts and in heads of rules, not in conditions"
            hint, fix = instead.meant(atom)
            yield Diagnostic("keyword-out-of-place", message + hint, view.place(atom.item), fix=fix)
    for term in view.terms:
        name = term.name
        if name.key in KEYWORDS and term.args:
            message = f"{name} is a keyword and cannot be the name of a function"
            yield Diagnostic("keyword-function", message, name.location)
        elif name.key in KEYWORDS:
            yield Diagnostic("keyword-constant", f"{name} is a keyword, but is used as a constant here", name.location)


@final
class MeantKeywords:
    """Suggests the keywords that are meant by those about facts that stand in the wrong place.

    What holds before a move is `true` in conditions, and what holds after it is `next` in heads. There is no suggestion
    for a rule about `init` that has the same facts in `true`, as the two are told apart there on purpose; nor for a
    rule for `true` that looks at neither a state nor a move, as it may be meant for `init` or for `next`.
    """

    def __init__(self, view: View) -> None:
        """Note which statements look at the state, and at which facts, or at moves."""
        self._view = view
        self._looking: set[int] = set()
        self._facts: set[tuple[int, str]] = set()
        for atom in view.conditions():
            if atom.name.key in ("true", "does"):
                self._looking.add(atom.statement)
            if atom.name.key == "true":
                self._facts.add((atom.statement, _fact(atom)))

    def meant(self, atom: AtomSite) -> tuple[str, Fix | None]:
        """Return a suggestion for the end of a message, and the fix; "" and None if there is none."""
        match atom.kind, atom.name.key:
            case "condition", "init" if (atom.statement, _fact(atom)) in self._facts:
                return "", None
            case "condition", "init" | "next":
                meant = "true"
            case "fact", "true":
                meant = "init"
            case "head", "true" if atom.statement in self._looking:
                meant = "next"
            case _:
                return "", None
        text = f"({' '.join([meant, *map(str, atom.args)])})"
        return did_you_mean(text), respelled(self._view, [atom.name], meant)


def _fact(atom: AtomSite) -> str:
    """Return the name of the fact that an atom is about."""
    first = next(leaves(atom.args[0]), None) if atom.args else None
    return "" if first is None else first.key


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
            if goal_number(value) is None:
                message = f"a goal value is a whole number from 0 to 100, not {value}"
                yield Diagnostic("goal-value", message, atom.args[1].location)
