"""Restricts wide relations to the part that other rules need.

A helper such as `(<= (count ?x ?y ?z ?role 50) (true (cell ?x ?role)) ...)` may hold for millions of rows although the
rules that use it name only three cells. The values that other rules need in each column become a condition of its rules
(magic sets, Bancilhon et al. 1986, with one set per column): `count wants 5 1` has the values needed in the first
column of `count/5`. Only restrictions that do not depend on the state are used, so that they leave no trace in the
ground rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gdl.grounder.projection import TARGETS
from gdl.language.rules import Atom, Literal, Rule, Signature, variables_of
from gdl.language.strata import DependencyGraph
from gdl.terms import Term, Variable

#: Relations with fewer columns than this are left alone.
_COLUMNS = 3


def demanded(rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules, with those of wide relations restricted to what other rules need."""
    graph = DependencyGraph(rules)
    place = {relation: i for i, component in enumerate(graph.components) for relation in component}
    demand = _Demand(rules, graph, place)
    # Users first: what is needed of them restricts what they need.
    for rule in sorted(rules, key=lambda rule: -place[rule.head.signature]):
        demand.note(rule)
    limited = [replace(rule, body=(*rule.body, *demand.limits(rule))) if rule.body else rule for rule in rules]
    return [*limited, *demand.rules()]


class _Demand:
    """The values that the rules noted so far need of wide relations."""

    def __init__(self, rules: Sequence[Rule], graph: DependencyGraph, place: dict[Signature, int]) -> None:
        """Select the relations to restrict: wide, not recursive, and not read by players."""
        self._place = place
        self._dynamic = graph.reaches([("true", 1), ("does", 2)])
        recursive = {relation for part in graph.components if len(part) > 1 for relation in part}
        self._wide = {
            rule.head.signature
            for rule in rules
            if rule.body and len(rule.head.args) >= _COLUMNS and rule.head.signature not in TARGETS
            if rule.head.signature not in recursive and rule.head.signature not in graph.edges[rule.head.signature]
        }
        #: The rules for the values needed in a column, or None if all values are.
        self._needed: dict[tuple[Signature, int], list[Rule] | None] = {}

    def note(self, rule: Rule) -> None:
        """Note what a rule needs. The rules that use its head must have been noted before."""
        for literal in rule.literals():
            relation = literal.atom.signature
            for column, term in enumerate(literal.atom.args if relation in self._wide else ()):
                found = self._needed.setdefault((relation, column), [])
                source = self._source(rule, literal, term)
                if found is None or source is None:
                    self._needed[relation, column] = None
                else:
                    found.append(source)

    def _source(self, rule: Rule, literal: Literal, term: Term) -> Rule | None:
        """Return a rule for the values that a literal needs in the column of a term, or None if unrestricted."""
        if not any(variables_of(term)):
            return Rule(Atom("", (term,)))
        if not isinstance(term, Variable):
            return None
        offers = [
            other
            for other in (*self.limits(rule), *rule.literals())
            if not other.negated and term in other.variables() and self._may_limit(other.atom, literal.atom)
        ]
        narrowest = min(offers, key=lambda other: len(other.atom.args), default=None)
        return Rule(Atom("", (term,)), (narrowest,)) if narrowest is not None else None

    def _may_limit(self, atom: Atom, needed: Atom) -> bool:
        """Return True if an atom may restrict what is needed of another one.

        It must depend neither on the state nor on the other atom's relation.
        """
        place = self._place.get(atom.signature)
        return place is None or (atom.signature not in self._dynamic and place < self._place[needed.signature])

    def limits(self, rule: Rule) -> list[Literal]:
        """Return the conditions that restrict the arguments of a rule's head."""
        relation = rule.head.signature
        return [
            Literal(Atom(_wants(relation, column), (arg,)))
            for column, arg in enumerate(rule.head.args)
            if self._needed.get((relation, column)) and any(variables_of(arg))
        ]

    def rules(self) -> list[Rule]:
        """Return the rules for the values needed, for all columns that are restricted."""
        return [
            replace(source, head=Atom(_wants(relation, column), source.head.args))
            for (relation, column), sources in self._needed.items()
            for source in dict.fromkeys(sources or ())
        ]


def _wants(relation: Signature, column: int) -> str:
    """Return the name of the relation of the values needed in a column."""
    return f"{relation[0]} wants {relation[1]} {column + 1}"
