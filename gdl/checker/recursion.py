"""Checks the recursion restriction of GDL, which keeps recursions from building terms without end.

Love, Hinrichs, Haley, Schkufza, Genesereth: General Game Playing, Game Description Language Specification (2008): each
argument of a recursive condition is ground, or an argument of the rule's head, or an argument of a condition that does
not depend on the head.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gdl.checker.diagnostic import Diagnostic
from gdl.checker.view import View
from gdl.language.rules import Literal, Rule, Signature, variables_of
from gdl.terms import Function, Term, Variable


def recursion(view: View) -> Iterator[Diagnostic]:
    """Report recursive conditions that violate the restriction.

    If no rule of the recursion builds larger terms, there are only finitely many, and the violation is harmless.
    """
    graph = view.reading.graph
    by_head: dict[Signature, list[Rule]] = {}
    for rule in view.reading.rules:
        by_head.setdefault(rule.head.signature, []).append(rule)
    for component in graph.components:
        members = set(component)
        rules = [rule for relation in component for rule in by_head.get(relation, ())]
        growing = any(_builds(rule, members) for rule in rules)
        for rule in rules:
            yield from _breaches(view, rule, members, growing)


def split_negation(view: View) -> Iterator[Diagnostic]:
    """Report cycles through negation between relations, which are no cycles between atoms."""
    for cycle in view.reading.split_cycles:
        message = f"{cycle.message}; no atom depends on its own negation, but the specification of GDL forbids it"
        yield Diagnostic(cycle.code, message, cycle.location)


def _breaches(view: View, rule: Rule, members: set[Signature], growing: bool) -> Iterator[Diagnostic]:
    bound = _bound(rule, members)
    for literal in _recursive(rule, members):
        loose = [arg for arg in literal.atom.args if not _restricted(arg, rule, bound)]
        if not loose or literal.syntax is None:
            continue
        terms = " and ".join(dict.fromkeys(map(str, loose)))
        verb = "are" if len(set(loose)) > 1 else "is"
        name = view.name(literal.atom.signature)
        message = f"{terms} in this recursive use of {name} {verb} neither in the head nor in another condition"
        place = view.place(literal.syntax)
        if growing:
            yield Diagnostic("growing-recursion", f"{message}, and terms may grow without end", place)
        else:
            message += ", which violates the recursion restriction of GDL, but terminates, since no terms are built"
            yield Diagnostic("unrestricted-recursion", message, place)


def _recursive(rule: Rule, members: set[Signature]) -> Iterator[Literal]:
    return (literal for literal in rule.literals() if not literal.negated and literal.atom.signature in members)


def _bound(rule: Rule, members: set[Signature]) -> set[Variable]:
    """Return the variables that conditions outside the recursion bind to finitely many values."""
    outside = (x for x in rule.literals() if not x.negated and x.atom.signature not in members)
    return {variable for literal in outside for variable in literal.variables()}


def _restricted(arg: Term, rule: Rule, bound: set[Variable]) -> bool:
    return arg in rule.head.args or bound.issuperset(variables_of(arg))


def _builds(rule: Rule, members: set[Signature]) -> bool:
    """Return True if the head of a recursive rule wraps a result of the recursion in a function."""
    if not any(_recursive(rule, members)):
        return False
    bound = _bound(rule, members)
    kept = {arg for literal in _recursive(rule, members) for arg in _parts(literal.atom.args)}
    functions = [arg for arg in rule.head.args if isinstance(arg, Function) and arg not in kept]
    return any(not bound.issuperset(variables_of(function)) for function in functions)


def _parts(terms: Iterable[Term]) -> Iterator[Term]:
    for term in terms:
        yield term
        if isinstance(term, Function):
            yield from _parts(term.args)
