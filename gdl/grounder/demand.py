"""Relations that are needed in part are grounded in part.

A helper such as `(<= (count ?x ?y ?z ?role 50) (true (cell ?x ?role)) ...)` may hold for millions of rows where the
rules that ask it name three cells. What they can ask, column by column, becomes a condition of its rules (magic sets,
Bancilhon et al. 1986, with a set for each column): `count wants 5 1` has what `count/5` is asked for in its first
column. Only what does not depend on the state counts, so that nothing of it is left in ground rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gdl.grounder.projection import TARGETS
from gdl.language.rules import Atom, Literal, Rule, Signature, variables_of
from gdl.language.strata import DependencyGraph
from gdl.terms import Term, Variable

#: Relations of fewer columns are left alone.
_COLUMNS = 3


def demanded(rules: Sequence[Rule]) -> list[Rule]:
    """The rules, with those of wide relations held to what is asked of them."""
    graph = DependencyGraph(rules)
    place = {relation: i for i, component in enumerate(graph.components) for relation in component}
    demand = _Demand(rules, graph, place)
    # Callers first: what is asked of them limits what they ask.
    for rule in sorted(rules, key=lambda rule: -place[rule.head.signature]):
        demand.note(rule)
    limited = [replace(rule, body=(*rule.body, *demand.limits(rule))) if rule.body else rule for rule in rules]
    return [*limited, *demand.rules()]


class _Demand:
    """What the rules that were noted ask of wide relations."""

    def __init__(self, rules: Sequence[Rule], graph: DependencyGraph, place: dict[Signature, int]) -> None:
        self._place = place
        self._dynamic = graph.reaches([("true", 1), ("does", 2)])
        recursive = {relation for part in graph.components if len(part) > 1 for relation in part}
        self._wide = {
            rule.head.signature
            for rule in rules
            if rule.body and len(rule.head.args) >= _COLUMNS and rule.head.signature not in TARGETS
            if rule.head.signature not in recursive and rule.head.signature not in graph.edges[rule.head.signature]
        }
        #: What is asked at a column: rules for it; None for anything.
        self._asked: dict[tuple[Signature, int], list[Rule] | None] = {}

    def note(self, rule: Rule) -> None:
        """Notes what a rule asks. All rules that ask for its head were noted before."""
        for literal in rule.literals():
            relation = literal.atom.signature
            for column, term in enumerate(literal.atom.args if relation in self._wide else ()):
                found = self._asked.setdefault((relation, column), [])
                source = self._source(rule, literal, term)
                if found is None or source is None:
                    self._asked[relation, column] = None
                else:
                    found.append(source)

    def _source(self, rule: Rule, literal: Literal, term: Term) -> Rule | None:
        """A rule for what a literal can ask at a column where it has this term; None where nothing limits it."""
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

    def _may_limit(self, atom: Atom, asked: Atom) -> bool:
        """Whether what is asked of an atom may depend on another, which neither needs the state nor the atom."""
        place = self._place.get(atom.signature)
        return place is None or (atom.signature not in self._dynamic and place < self._place[asked.signature])

    def limits(self, rule: Rule) -> list[Literal]:
        """What limits the arguments of a rule's head."""
        relation = rule.head.signature
        return [
            Literal(Atom(_wants(relation, column), (arg,)))
            for column, arg in enumerate(rule.head.args)
            if self._asked.get((relation, column)) and any(variables_of(arg))
        ]

    def rules(self) -> list[Rule]:
        """What is asked, where it is not anything."""
        return [
            replace(source, head=Atom(_wants(relation, column), source.head.args))
            for (relation, column), sources in self._asked.items()
            for source in dict.fromkeys(sources or ())
        ]


def _wants(relation: Signature, column: int) -> str:
    """The name of the relation of what is asked at a column."""
    return f"{relation[0]} wants {relation[1]} {column + 1}"
