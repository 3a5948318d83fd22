"""Join orders: in which order a rule's body is matched, chosen once, when the rules are loaded.

Conditions whose variables are all bound are tested as soon as possible. Among the others the one comes next that
is expected to match least often, given what is bound by then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gdl.language.rules import Atom, Condition, Distinct, Literal, Rule, variables_of
from gdl.terms import Term, Variable

#: Expected number of rows of a relation that match when the given columns are bound.
Estimate = Callable[[Atom, tuple[int, ...]], float]


@dataclass(frozen=True, slots=True)
class Test:
    """A condition whose variables are all bound."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class Match:
    """A positive literal to be matched against a relation's rows.

    `bound` are the columns whose value is known, `outputs` those that bind variables or must be looked into. A
    literal without outputs only asks whether there is such a row. `delta`: match only the rows new in this round.
    """

    atom: Atom
    bound: tuple[int, ...]
    outputs: tuple[int, ...]
    delta: bool = False


Step = Test | Match


def order(
    rule: Rule, estimate: Estimate, first: Literal | None = None, known: Iterable[Variable] = ()
) -> tuple[Step, ...]:
    """The steps that match a rule's body.

    `first` is the literal that is matched against a delta, if any; `known` are variables bound beforehand.
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

    if first is not None:
        take(first, delta=True)
    while left:
        tests = [condition for condition in left if bound.issuperset(condition.variables())]
        for test in tests:
            take(test)
        if left:
            take(_cheapest(left, bound, head, estimate))
    return tuple(steps)


def _match(atom: Atom, bound: set[Variable], needed: set[Variable], delta: bool) -> Match:
    """How an atom is matched: a column binds if something later needs what is in it, or if it must be checked."""
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
            # A variable inside a function and outside of it, or in two functions: both columns are looked into.
            if variable in seen and variable not in bound:
                outputs += [seen[variable], column]
            seen.setdefault(variable, column)
    return Match(atom, () if delta else tuple(known), tuple(sorted(set(outputs) - set(known))), delta)


def _cheapest(left: Iterable[Condition], bound: set[Variable], head: set[Variable], estimate: Estimate) -> Literal:
    conditions = list(left)
    best: tuple[float, int] | None = None
    choice: Literal | None = None
    for position, condition in enumerate(conditions):
        if isinstance(condition, Distinct) or condition.negated:
            continue
        columns = tuple(i for i, arg in enumerate(condition.atom.args) if bound.issuperset(variables_of(arg)))
        rank = (estimate(condition.atom, columns), position)
        others = head.union(*(c.variables() for c in conditions if c is not condition))
        if others.isdisjoint(set(condition.variables()) - bound):
            # It binds nothing that is used elsewhere, so it can only filter.
            rank = (min(rank[0], 0.5), position)
        if best is None or rank < best:
            best, choice = rank, condition
    if choice is None:
        raise ValueError("an unsafe rule cannot be ordered")
    return choice


def bound_terms(atom: Atom, columns: Iterable[int]) -> tuple[Term, ...]:
    """The arguments of an atom at some columns."""
    return tuple(atom.args[column] for column in columns)
