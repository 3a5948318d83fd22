"""Resolution: the rule that results from replacing a condition by the body of a rule for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import count

from gdl.language.rules import Atom, Condition, Distinct, Literal, Rule, substitute, unify
from gdl.terms import Function, Term, Variable, fold


def resolved(rule: Rule, call: Literal, definition: Rule) -> Rule | None:
    """Return a rule with a call replaced by the body of one rule of its relation; None if that never applies."""
    taken = set(rule.head.variables()).union(*(condition.variables() for condition in rule.body))
    new, parameters = fresh(taken), dict.fromkeys(definition.head.variables())
    own = dict.fromkeys(v for c in definition.body for v in c.variables() if v not in parameters)
    names: dict[Variable, Term] = {v: next(new) for v in (*own, *parameters)}
    binding: dict[Variable, Term] = {}
    head = renamed(Literal(definition.head), names)
    assert isinstance(head, Literal)
    if not all(unify(arg, parameter, binding) for arg, parameter in zip(call.atom.args, head.atom.args, strict=True)):
        return None
    body: list[Condition] = []
    for condition in rule.body:
        body += [condition] if condition is not call else [renamed(c, names) for c in definition.body]
    other = replace(rule, head=Atom(rule.head.name, tuple(substitute(arg, binding) for arg in rule.head.args)))
    return replace(other, body=tuple(_substituted(condition, binding) for condition in body))


def _substituted(condition: Condition, binding: Mapping[Variable, Term]) -> Condition:
    if isinstance(condition, Distinct):
        return Distinct(substitute(condition.left, binding), substitute(condition.right, binding))
    atom = Atom(condition.atom.name, tuple(substitute(arg, binding) for arg in condition.atom.args))
    return Literal(atom, condition.negated)


def fresh(taken: Collection[Variable]) -> Iterator[Variable]:
    """Return an iterator over variables that are not among those taken."""
    return (new for new in (Variable(f"u{number}") for number in count()) if new not in taken)


def renamed(condition: Condition, names: Mapping[Variable, Term]) -> Condition:
    """Return the condition with each variable replaced by its term, all at once."""

    def term(old: Term) -> Term:
        # New variables may have the names of old ones.
        return fold(
            old,
            lambda leaf: names[leaf] if isinstance(leaf, Variable) else leaf,
            lambda function, args: Function(function.name, tuple(args)),
        )

    if isinstance(condition, Distinct):
        return Distinct(term(condition.left), term(condition.right))
    return Literal(Atom(condition.atom.name, tuple(map(term, condition.atom.args))), condition.negated)
