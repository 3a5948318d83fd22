"""Join orders: the order in which the conditions of a rule are matched, chosen when the rule is compiled.

Conditions whose variables are all bound are tested as early as possible. Otherwise, the condition with the fewest
expected matches comes next. Questions that may never end come last, so that all others can rule them out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gdl.language.rules import Atom, Condition, Distinct, Literal, Rule, variables_of
from gdl.terms import Variable

#: Returns the expected number of rows that match an atom when the given columns are bound.
Estimate = Callable[[Atom, tuple[int, ...]], float]

#: Returns True if it may never end to ask for the rows that match an atom when the given columns are bound.
Risk = Callable[[Atom, tuple[int, ...]], bool]


@dataclass(frozen=True, slots=True)
class Test:
    """A test of a condition whose variables are all bound."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class Match:
    """A match of a positive literal against the rows of a relation.

    `bound` are the columns whose values are known; `outputs` are those that bind variables or must be inspected. A
    match without outputs only tests if there is such a row. If `delta` is True, only the rows that are new in this
    round are matched.
    """

    atom: Atom
    bound: tuple[int, ...]
    outputs: tuple[int, ...]
    delta: bool = False


Step = Test | Match


def order(
    rule: Rule,
    estimate: Estimate,
    first: Literal | None = None,
    known: Iterable[Variable] = (),
    risky: Risk = lambda _, __: False,
) -> tuple[Step, ...]:
    """Return the steps that match a rule's body.

    `first`, if given, is matched first, against new rows only; `known` are the variables that are already bound.
    """
    head = set(rule.head.variables())
    left = list(rule.body)
    bound: set[Variable] = set(known)
    steps: list[Step] = []

    def needed() -> set[Variable]:
        return head | {variable for condition in left for variable in condition.variables()}

    def take(condition: Condition, *, delta: bool = False) -> None:
        left.remove(condition)
        if (
            isinstance(condition, Distinct)
            or condition.negated
            or (not delta and bound.issuperset(condition.variables()))
        ):
            steps.append(Test(condition))
        else:
            steps.append(_match(condition.atom, bound, needed(), delta))
            bound.update(condition.variables())

    def certain(condition: Condition) -> bool:
        if isinstance(condition, Distinct) or condition.negated:
            return True
        return not risky(condition.atom, _known_columns(condition.atom, bound))

    if first is not None:
        take(first, delta=True)
    while left:
        tests = [condition for condition in left if bound.issuperset(condition.variables()) and certain(condition)]
        for test in tests:
            take(test)
        if left:
            positive = [one for one in left if isinstance(one, Literal) and not one.negated]
            take(_cheapest([one for one in positive if certain(one)] or positive, left, bound, head, estimate))
    return tuple(steps)


def _match(atom: Atom, bound: set[Variable], needed: set[Variable], delta: bool) -> Match:
    """Return the step that matches an atom.

    A column is an output if its value is needed later, or if it must be checked.
    """
    known, outputs = [], []
    seen: dict[Variable, int] = {}
    for column, arg in enumerate(atom.args):
        if isinstance(arg, Variable) and arg in seen:
            outputs += [seen[arg], column]
        if bound.issuperset(variables_of(arg)):
            known.append(column)
        elif not isinstance(arg, Variable) or arg in needed:
            outputs.append(column)
        for variable in variables_of(arg):
            # A variable that occurs in several columns, at least one of them a function: all of them are inspected.
            if variable in seen and variable not in bound:
                outputs += [seen[variable], column]
            seen.setdefault(variable, column)
    return Match(atom, () if delta else tuple(known), tuple(sorted(set(outputs) - set(known))), delta)


def _cheapest(
    choices: Iterable[Literal], left: Iterable[Condition], bound: set[Variable], head: set[Variable], estimate: Estimate
) -> Literal:
    """Return the positive literal with the fewest expected matches, among some choices of the conditions left."""
    conditions = list(left)
    best: tuple[float, int] | None = None
    choice: Literal | None = None
    for position, condition in enumerate(choices):
        rank = (estimate(condition.atom, _known_columns(condition.atom, bound)), position)
        others = head.union(*(c.variables() for c in conditions if c is not condition))
        if others.isdisjoint(set(condition.variables()) - bound):
            # It binds no variable that is used elsewhere, so it only filters.
            rank = (min(rank[0], 0.5), position)
        if best is None or rank < best:
            best, choice = rank, condition
    if choice is None:
        raise ValueError("an unsafe rule cannot be ordered")
    return choice


def _known_columns(atom: Atom, bound: set[Variable]) -> tuple[int, ...]:
    return tuple(column for column, arg in enumerate(atom.args) if bound.issuperset(variables_of(arg)))
