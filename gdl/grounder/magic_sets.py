"""Restricts relations to the rows that other rules ask for: magic sets (Bancilhon et al. 1986), in two forms.

**By rows.** A file may define the direction `(toward ?x ?y ?a ?b ?d)` from any place to any other for numbers up to 50,
which are six million rows, but its maze has only 64 cells. The arguments that are known where `toward` is read are
collected in a relation of their own, all columns together:

    (<= (moves ?d) (true (guard ?x ?y)) (true (thief ?a ?b)) (toward ?x ?y ?a ?b ?d))
    (<= (toward ?x ?y ?a ?b ?d) (toward asked 5 ?x ?y ?a ?b) ...)
    (<= (toward asked 5 ?x ?y ?a ?b) (true (guard ?x ?y)) (true (thief ?a ?b)))

What is asked depends on the state, so its atoms are open while grounding, and taken to be true when the result is read.
This is done for large static relations.

**By columns.** A helper such as `(<= (count ?x ?y ?z ?role 50) (true (cell ?x ?role)) ...)` may hold for millions of
rows although the rules that use it name only three cells. The values that other rules need in each column become a
condition of its rules, with one set per column: `count wants 5 1` has the values needed in the first column of
`count/5`. Only restrictions that do not depend on the state are used, so that they leave no trace in the ground rules.

**Why no answer changes.** Take an instance of a rule that holds in some reachable state, with the rows that its
conditions need, in the order of the relations' components. The rows that limit what is wanted of a relation belong to
components before its own, so they exist. What is asked of a row follows from conditions before it in the rule, which
hold. So both let the row exist. This needs one graph of everything that a relation depends on, including what is asked
of it: a relation that is asked for what `start` holds must not limit what is wanted of `start`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from gdl.grounder.projection import TARGETS
from gdl.grounder.sizes import Sizes
from gdl.language.rules import Atom, Literal, Rule, Signature, variables_of
from gdl.language.strata import DependencyGraph
from gdl.terms import Term, Variable

#: Static relations that cannot have more rows are not restricted by rows: if most rows are asked for, asking only adds
#: to the work.
_LARGE = 3_000_000

#: Relations with fewer columns are not restricted by columns.
_COLUMNS = 3


def restricted(rules: Sequence[Rule]) -> tuple[list[Rule], dict[Rule, Signature]]:
    """Return the rules with relations restricted, and rules for what is asked, each with the relation it is asked of.

    The heads of the latter are to be open atoms.
    """
    found, asking = asked(rules)
    return demanded(found, asking), asking


def asked(rules: Sequence[Rule]) -> tuple[list[Rule], dict[Rule, Signature]]:
    """Return the rules with large static relations restricted by rows, and rules for what is asked."""
    large = _large(rules)
    columns = {relation: frozenset(range(relation[1])) for relation in large}
    calls = [(rule, literal) for rule in rules for literal in rule.literals() if literal.atom.signature in large]
    while True:
        found = dict(columns)
        for rule, literal in calls:
            found[literal.atom.signature] &= frozenset(_known(rule, literal, columns))
        if found == columns:
            break
        columns = found
    columns = {relation: known for relation, known in columns.items() if known}
    restricted = [
        replace(rule, body=(*_asked(rule.head, columns), *rule.body)) if rule.body else rule for rule in rules
    ]
    asking = {
        Rule(question.atom, tuple(_before(rule, literal, columns, set(question.variables())))): literal.atom.signature
        for rule, literal in calls
        for question in _asked(literal.atom, columns)
    }
    return restricted, asking


def _asked(atom: Atom, columns: Mapping[Signature, frozenset[int]]) -> Iterator[Literal]:
    """Yield the literal that asks for an atom, if its relation is restricted."""
    known = columns.get(atom.signature)
    if known:
        name, arity = atom.signature
        yield Literal(Atom(f"{name} asked {arity}", tuple(atom.args[column] for column in sorted(known))))


def _known(rule: Rule, literal: Literal, columns: Mapping[Signature, frozenset[int]]) -> Iterator[int]:
    """Yield the columns of a literal whose values are known when the conditions before it hold."""
    bound = {v for other in _preceding(rule, literal, columns) for v in other.variables()}
    for column, arg in enumerate(literal.atom.args):
        # Terms that grow with each call would never end.
        if arg in bound or not any(variables_of(arg)):
            yield column


def _preceding(rule: Rule, literal: Literal, columns: Mapping[Signature, frozenset[int]]) -> list[Literal]:
    """Return the conditions that hold when a literal is evaluated: those before it, as the author ordered them."""
    found = list(_asked(rule.head, columns))
    for other in rule.literals():
        if other is literal and not literal.negated:
            break
        if not other.negated:
            found.append(other)
    return found


def _before(
    rule: Rule, literal: Literal, columns: Mapping[Signature, frozenset[int]], needed: set[Variable]
) -> list[Literal]:
    """Return the preceding conditions that share variables, directly or not, with those needed."""
    left = _preceding(rule, literal, columns)
    found: list[Literal] = []
    while near := [other for other in left if not needed.isdisjoint(other.variables())]:
        found += near
        needed.update(v for other in near for v in other.variables())
        left = [other for other in left if other not in near]
    return found


def _large(rules: Sequence[Rule]) -> set[Signature]:
    """Return the static relations that may have a large number of rows, without recursive ones.

    Bounds say little of recursive relations.
    """
    graph = DependencyGraph(rules)
    dynamic = graph.reaches([("true", 1), ("does", 2)])
    alone = {part[0] for part in graph.components if len(part) == 1 and part[0] not in graph.edges[part[0]]}
    static = {rule.head.signature for rule in rules if rule.head.args} & (alone - dynamic) - set(TARGETS)
    sizes = Sizes(rules)
    return {relation for relation in static if sizes.rows(relation) > _LARGE}


def demanded(rules: Sequence[Rule], asking: Collection[Rule] = ()) -> list[Rule]:
    """Return the rules, with those of wide relations restricted by columns. `asking` are the rules for what is asked.

    What the latter read is read by the rules from which they come, and so noted.
    """
    graph = DependencyGraph([*rules, *asking])
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
