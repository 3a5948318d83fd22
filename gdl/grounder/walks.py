"""Turns relations that hand back the result of a walk into the places that the walk visits.

A count may be written as in a programming language, with the number so far and the result:

    (<= (men ?n) (count p1 0 ?n))
    (<= (count ?x ?n ?result) (follows ?x ?y) (true (at ?x white)) (++ ?n ?m) (count ?y ?m ?result))
    (<= (count ?x ?n ?result) (follows ?x ?y) (not (true (at ?x white))) (count ?y ?n ?result))
    (<= (count end ?n ?n) (number ?n))

Every rule has an instance for each place, number so far and result. But only the walk from `p1` with 0 is asked for,
and nothing reads the result on the way. So it suffices to say which places the walk visits, with which numbers, and
what it finds at its end (Naughton, Ramakrishnan, Sagiv, Ullman: Efficient evaluation of right-, left-, and multi-linear
rules, 1989):

    (<= (men ?n) (count of 3 result 1 ?n))
    (count of 3 visits 1 p1 0)
    (<= (count of 3 visits 1 ?y ?m) (count of 3 visits 1 ?x ?n) (follows ?x ?y) (true (at ?x white)) (++ ?n ?m))
    (<= (count of 3 visits 1 ?y ?n) (count of 3 visits 1 ?x ?n) (follows ?x ?y) (not (true (at ?x white))))
    (<= (count of 3 result 1 ?n) (count of 3 visits 1 end ?n) (number ?n))

Columns are of three kinds. *Results* are handed back unchanged, and read by no other condition of the recursive rules.
*Fixed* columns are handed on unchanged, as that of a role whose men are counted; calls may have any values there. In
the other columns, calls have constants.

**Why no answer changes.** An atom holds if and only if a chain of recursive rules leads from it to an atom of a rule
that is not recursive, with the same result and the same fixed values. The chain from the constants of a call visits
the places for which `visits` holds. Walks start for the fixed values that the conditions of the call leave, or more.
These conditions do not depend on the relation, so there is no new recursion.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gdl.grounder.projection import TARGETS
from gdl.language.rules import Atom, Condition, Literal, Rule, Signature, variables_of
from gdl.language.strata import DependencyGraph
from gdl.terms import Function, Term, Variable

#: The most different constants with which a relation is called; there is a walk for each of them.
_CALLS: Final = 8


@dataclass(frozen=True, slots=True)
class _Walk:
    """A relation whose rules walk: the columns for its results, those that are fixed, and those that change."""

    relation: Signature
    results: tuple[int, ...]
    fixed: tuple[int, ...]
    changing: tuple[int, ...]

    def start(self, call: Atom) -> tuple[Term, ...]:
        """Return the arguments of a call from which a walk starts, without the fixed ones."""
        return tuple(call.args[column] for column in self.changing)

    def visited(self, number: int, atom: Atom) -> Atom:
        """Return an atom that holds where the walk of this number comes."""
        return self._named(f"visits {number}", (*self.fixed, *self.changing), atom)

    def result(self, number: int, atom: Atom) -> Atom:
        """Return an atom that holds for the results of the walk of this number."""
        return self._named(f"result {number}", (*self.fixed, *self.results), atom)

    def _named(self, kind: str, columns: Sequence[int], atom: Atom) -> Atom:
        name, arity = self.relation
        return Atom(f"{name} of {arity} {kind}", tuple(atom.args[column] for column in columns))


def walked(rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules, with walks in the place of relations that hand back results."""
    found = list(rules)
    graph = DependencyGraph(rules)
    for relation, *others in graph.components:
        if not others and relation in graph.edges[relation] and relation not in TARGETS:
            found = _replaced(found, relation)
    return found


def _replaced(rules: list[Rule], relation: Signature) -> list[Rule]:
    """Return the rules with a relation replaced by walks, or unchanged if it is not of that kind."""
    own = [rule for rule in rules if rule.head.signature == relation]
    walk = _walk(relation, own)
    if walk is None:
        return rules
    calls = [
        (rule, call)
        for rule in rules
        for call in rule.literals()
        if call.atom.signature == relation and rule.head.signature != relation
    ]
    starts = dict.fromkeys(walk.start(call.atom) for _, call in calls)
    if len(starts) > _CALLS or any(v for start in starts for term in start for v in variables_of(term)):
        return rules
    numbers = {start: number for number, start in enumerate(starts, 1)}
    graph = DependencyGraph(rules)
    later, dynamic = graph.reaches([relation]), graph.reaches([("true", 1), ("does", 2)])
    found: list[Rule] = []
    for rule, call in calls:
        conditions = _binding(rule, {v for c in walk.fixed for v in variables_of(call.atom.args[c])}, later, dynamic)
        if conditions is None:
            return rules
        found.append(Rule(walk.visited(numbers[walk.start(call.atom)], call.atom), conditions))
    for number in numbers.values():
        for rule in own:
            again = _again(rule, relation)
            head = walk.result(number, rule.head) if again is None else walk.visited(number, again.atom)
            rest = [condition for condition in rule.body if condition is not again]
            found.append(replace(rule, head=head, body=(Literal(walk.visited(number, rule.head)), *rest)))

    def result(condition: Condition) -> Condition:
        if not isinstance(condition, Literal) or condition.atom.signature != relation:
            return condition
        return replace(condition, atom=walk.result(numbers[walk.start(condition.atom)], condition.atom))

    others = [rule for rule in rules if rule.head.signature != relation]
    return [*(replace(rule, body=tuple(map(result, rule.body))) for rule in others), *dict.fromkeys(found)]


def _again(rule: Rule, relation: Signature) -> Literal | None:
    """Return the condition of a rule that is about its own relation."""
    return next((literal for literal in rule.literals() if literal.atom.signature == relation), None)


def _walk(relation: Signature, own: Sequence[Rule]) -> _Walk | None:
    """Return the kinds of the columns of a relation; None if its rules do not walk."""
    results, fixed = set(range(relation[1])), set(range(relation[1]))
    for rule in own:
        again = _again(rule, relation)
        if again is None:
            continue
        rest = [condition for condition in rule.body if condition is not again]
        read = {v for condition in rest for v in condition.variables()}
        args, others = rule.head.args, again.atom.args
        fixed = {c for c in fixed if isinstance(args[c], Variable) and args[c] == others[c]}
        results = {
            c for c in results & fixed if args[c] not in read and args.count(args[c]) == others.count(args[c]) == 1
        }
    fixed -= results
    changing = tuple(column for column in range(relation[1]) if column not in results | fixed)
    walk = _Walk(relation, tuple(sorted(results)), tuple(sorted(fixed)), changing)
    return walk if results and changing and all(_steps(rule, walk) for rule in own) else None


def _steps(rule: Rule, walk: _Walk) -> bool:
    """Return True if a rule is not recursive, or leads from one place to others that are known then."""
    again = _again(rule, walk.relation)
    if again is None:
        return True
    places = (*walk.visited(1, rule.head).args, *walk.visited(1, again.atom).args)
    # Terms that grow on the way back may never end on the way there.
    if any(isinstance(place, Function) for place in places):
        return False
    rest = [condition for condition in rule.body if condition is not again]
    known = set(walk.visited(1, rule.head).variables())
    known.update(v for c in rest if isinstance(c, Literal) and not c.negated for v in c.variables())
    wanted = {*walk.visited(1, again.atom).variables(), *(v for condition in rest for v in condition.variables())}
    linear = not again.negated and all(_relation(condition) != walk.relation for condition in rest)
    return linear and wanted <= known


def _relation(condition: Condition) -> Signature | None:
    return condition.atom.signature if isinstance(condition, Literal) else None


def _binding(
    rule: Rule, wanted: set[Variable], later: Collection[Signature], dynamic: Collection[Signature]
) -> tuple[Condition, ...] | None:
    """Return conditions of a rule with all wanted variables that do not depend on a relation; None if there are none.

    `later` are the relations that do. Those that are not `dynamic` are preferred, and short ones.
    """
    offers = [literal for literal in rule.literals() if not literal.negated and literal.atom.signature not in later]
    offers.sort(key=lambda literal: (literal.atom.signature in dynamic, len(literal.atom.args)))
    found: list[Condition] = []
    for literal in offers:
        if not wanted.isdisjoint(literal.variables()):
            found.append(literal)
            wanted = wanted.difference(literal.variables())
    return None if wanted else tuple(found)
