"""Checks the recursion restriction of GDL, which keeps recursions from building terms without end.

Love, Hinrichs, Haley, Schkufza, Genesereth: General Game Playing, Game Description Language Specification (2008): each
argument of a recursive condition is ground, or an argument of the rule's head, or an argument of a condition that does
not depend on the head.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gdl.checker.diagnostic import Diagnostic
from gdl.checker.view import View
from gdl.language.demand import Demand, outside, taken_apart, wraps
from gdl.language.rules import Literal, Rule, Signature, variables_of
from gdl.language.strata import DependencyGraph
from gdl.terms import Term, Variable

#: The words for arguments, by their columns.
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def recursion(view: View) -> Iterator[Diagnostic]:
    """Report recursive conditions that violate the restriction.

    If no rule of the recursion builds larger terms, there are only finitely many, and the violation is harmless. If all
    questions about it certainly end, `demand` reports it.
    """
    graph = view.reading.graph
    asked = _demand(view)
    risks = asked.risks()
    by_head: dict[Signature, list[Rule]] = {}
    for rule in view.reading.rules:
        by_head.setdefault(rule.head.signature, []).append(rule)
    for component in graph.components:
        members = set(component)
        rules = [rule for relation in component for rule in by_head.get(relation, ())]
        growing = any(wraps(rule, members) for rule in rules)
        if growing and members <= asked.reasons.keys() - risks and all(map(asked.modes, component)):
            continue  # all questions end: `demand` reports the relation
        for rule in rules:
            yield from _breaches(view, rule, members, growing)


def split_negation(view: View) -> Iterator[Diagnostic]:
    """Report cycles through negation between relations, which are no cycles between atoms."""
    for cycle in view.reading.split_cycles:
        message = f"{cycle.message}; no atom depends on its own negation, but the specification of GDL forbids it"
        yield Diagnostic(cycle.code, message, cycle.location)


def demand(view: View) -> Iterator[Diagnostic]:
    """Report relations that have to be asked with arguments bound, and are, at the rule that is why.

    Of each recursion, one relation is reported.
    """
    needed = _demand(view)
    risks = needed.risks()
    for rule in dict.fromkeys(needed.reasons.values()):
        relation = rule.head.signature
        modes = needed.modes(relation)
        if rule.location is not None and modes and relation not in risks:
            choices = ", or ".join(map(_arguments, modes))
            message = f"{view.name(relation)} may be endless, and is only finite when asked with its {choices} bound"
            yield Diagnostic("needs-arguments", message, rule.location)


def _demand(view: View) -> Demand:
    rules = taken_apart(() if view.refused else view.reading.rules)
    return Demand(rules, DependencyGraph(rules))


def _arguments(columns: tuple[int, ...]) -> str:
    words = [_ORDINALS[column] if column < len(_ORDINALS) else f"{column + 1}th" for column in columns]
    return f"{' and '.join(words)} argument{'s' * (len(words) > 1)}"


def _breaches(view: View, rule: Rule, members: set[Signature], growing: bool) -> Iterator[Diagnostic]:
    bound = outside(rule, members)
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


def _restricted(arg: Term, rule: Rule, bound: set[Variable]) -> bool:
    return arg in rule.head.args or bound.issuperset(variables_of(arg))
