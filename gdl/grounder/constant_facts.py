"""Reads facts that never change from the initial state.

Mazes and boards are often written as facts that every step hands on:

    (init (wall 4 1 east))
    (<= (next (wall ?x ?y ?z)) (true (wall ?x ?y ?z)))

If all rules for the facts of a pattern only hand them on, and hand on all of them, such a fact holds in every state if
and only if it holds in the initial one. A condition `(true (wall ?x ?y north))` then means the same as `(init (wall ?x
?y north))`, which is evaluated while grounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gdl.language.rules import Atom, Condition, Literal, Rule
from gdl.language.splitting import overlap, subsumes
from gdl.terms import Term, Variable, shape_of


def settled(rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules, with conditions on facts that never change read from the initial state."""
    constant = _Constant(rules)
    return [replace(rule, body=tuple(map(constant.settled, rule.body))) for rule in rules]


class _Constant:
    """Decides which conditions read only facts that never change."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        """Sort the heads of the rules for the next state by the shape of the fact."""
        #: The facts that rules hand on, and all others that rules derive; under None those that are variables.
        self._handed_on: dict[tuple[str, int] | None, list[Atom]] = {}
        self._others: dict[tuple[str, int] | None, list[Atom]] = {}
        self._known: dict[Atom, bool] = {}
        for rule in rules:
            if rule.head.signature == ("next", 1):
                fact = Atom("true", rule.head.args)
                found = self._handed_on if rule.body == (Literal(fact),) else self._others
                found.setdefault(_shape(rule.head.args[0]), []).append(fact)

    def settled(self, condition: Condition) -> Condition:
        """Return a condition, about the initial state if the facts it reads never change."""
        if not isinstance(condition, Literal) or condition.atom.signature != ("true", 1):
            return condition
        atom = condition.atom
        if atom not in self._known:
            self._known[atom] = self._never_changes(atom)
        return replace(condition, atom=Atom("init", atom.args)) if self._known[atom] else condition

    def _never_changes(self, atom: Atom) -> bool:
        shape = _shape(atom.args[0])
        if shape is None:
            others = [other for some in self._others.values() for other in some]
        else:
            others = [*self._others.get(shape, ()), *self._others.get(None, ())]
        handed_on = [*self._handed_on.get(shape, ()), *self._handed_on.get(None, ())]
        return any(subsumes(other, atom) for other in handed_on) and not any(overlap(other, atom) for other in others)


def _shape(fact: Term) -> tuple[str, int] | None:
    return None if isinstance(fact, Variable) else shape_of(fact)
