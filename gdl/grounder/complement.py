"""Finds conditions on the move of a role that are better said by their complement.

A cell often stays as it is if a move names other cells:

    (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (does ?r (move ?x1 ?y1 ?x2 ?y2))
        (different ?x ?y ?x1 ?y1) (different ?x ?y ?x2 ?y2))

This has an instance for nearly every cell and every move. But a role does only one move, so the conditions may be
replaced by `(not (touched ?r ?x ?y))`, which holds unless that move breaks a condition. For each cell, few moves do:

    (<= (touched ?r ?x ?y) (does ?r (move ?x1 ?y1 ?x2 ?y2)) (not (different ?x ?y ?x1 ?y1)))
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gdl.language.rules import Condition, Distinct, Literal, Rule, Signature, variables_of
from gdl.terms import Variable

#: The least number of variables of a move that the other conditions no longer share.
_FREED = 2

#: The rules of relations that depend neither on the state nor on the moves.
StaticRules = Mapping[Signature, Sequence[Rule]]


@dataclass(frozen=True, slots=True)
class Complement:
    """A condition on a move, and the conditions that hold for most moves."""

    move: Literal
    usual: tuple[Condition, ...]

    def role(self) -> set[Variable]:
        """Return the variables of the role that moves."""
        return _role(self.move)

    def named(self) -> set[Variable]:
        """Return the variables of the move itself."""
        return _named(self.move)


def complement(rule: Rule, static: StaticRules) -> Complement | None:
    """Return the conditions of a rule that are better said by their complement, or None if there are none."""
    for move in rule.literals():
        if move.atom.signature == ("does", 2) and not move.negated:
            named = _named(move)
            usual = [condition for condition in rule.body if _usual(condition, named, static)]
            rest = [condition for condition in rule.body if condition not in usual]
            bound = {v for other in rest if _binds(other) for v in other.variables()}
            usual = [condition for condition in usual if bound.issuperset(condition.variables())]
            rest = [condition for condition in rule.body if condition not in usual and condition is not move]
            needed = set(rule.head.variables()).union(*(condition.variables() for condition in rest))
            freed = named.intersection(v for c in usual for v in c.variables()) - needed
            if len(freed) >= _FREED:
                return Complement(move, tuple(usual))
    return None


def _role(move: Literal) -> set[Variable]:
    return set(variables_of(move.atom.args[0]))


def _named(move: Literal) -> set[Variable]:
    return set(variables_of(move.atom.args[1])) - _role(move)


def _binds(condition: Condition) -> bool:
    return isinstance(condition, Literal) and not condition.negated


def _usual(condition: Condition, named: Collection[Variable], static: StaticRules) -> bool:
    """Return True if a condition relates the variables of a move to others, and holds for most of their values."""
    variables = set(condition.variables())
    if variables.isdisjoint(named) or variables.issubset(named):
        return False
    if isinstance(condition, Distinct):
        return isinstance(condition.left, Variable) and isinstance(condition.right, Variable)
    if condition.negated:
        return True
    if not all(isinstance(arg, Variable) or not any(variables_of(arg)) for arg in condition.atom.args):
        return False
    sides = [arg in named if isinstance(arg, Variable) else None for arg in condition.atom.args]
    return _separates(condition.atom.signature, sides, static, frozenset())


def _separates(
    relation: Signature, sides: Sequence[bool | None], static: StaticRules, within: frozenset[Signature]
) -> bool:
    """Return True if some rule of a static relation relates the columns of both sides by inequalities only.

    `sides` has the side of each column, or None if it belongs to neither.
    """
    if relation in within:
        return False
    within |= {relation}
    return any(_rule_separates(rule, sides, static, within) for rule in static.get(relation, ()) if rule.body)


def _rule_separates(
    rule: Rule, sides: Sequence[bool | None], static: StaticRules, within: frozenset[Signature]
) -> bool:
    side: dict[Variable, bool] = {}
    for arg, own in zip(rule.head.args, sides, strict=True):
        if own is not None and (not isinstance(arg, Variable) or side.setdefault(arg, own) != own):
            return False
    left = [literal for literal in rule.literals() if not literal.negated]
    while near := next((literal for literal in left if not side.keys().isdisjoint(literal.variables())), None):
        # A variable that is not in the head belongs to the side of the variables that it occurs with.
        left.remove(near)
        found = {side[variable] for variable in near.variables() if variable in side}
        if len(found) == 1:
            side.update(dict.fromkeys(near.variables(), found.pop()))
        elif not _separates(near.atom.signature, _sides(near, side), static, within):
            return False
    return not any(
        literal.negated and _separates(literal.atom.signature, _sides(literal, side), static, within)
        for literal in rule.literals()
    )


def _sides(literal: Literal, side: Mapping[Variable, bool]) -> list[bool | None]:
    return [side.get(arg) if isinstance(arg, Variable) else None for arg in literal.atom.args]
