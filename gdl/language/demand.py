"""Relations that have to be asked with some of their arguments bound, since derived as a whole they may never end.

    (<= (append nil ?l ?l) (list ?l))
    (<= (append (cons ?h ?t) ?l (cons ?h ?r)) (element ?h) (append ?t ?l ?r))

There are endlessly many rows of `append/3`, but only one with given first and second arguments. A relation *needs
demand* if it is recursive and its rules wrap what the recursion finds in functions, or if one of its rules cannot be
matched without asking such a relation for too much.

A *mode* of a relation is the set of its columns that are bound when it is asked (adornments in magic sets: Bancilhon,
Maier, Sagiv, Ullman, 1986). A mode is *safe* if asking always ends: each recursive call has a smaller term in some
bound column. Modes that are not known to be safe may still end, for example because a negation keeps lists short.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import Final, final

from gdl.language.resolution import resolved
from gdl.language.rules import Atom, Literal, Rule, Signature, variables_of
from gdl.language.strata import DependencyGraph, strongly_connected
from gdl.terms import Function, Term, Variable, leaves

#: Relations that engines derive as a whole.
_WHOLE: Final = frozenset({"role", "init", "true", "does", "legal", "next", "goal", "sees", "terminal"})

#: The maximum number of ways to choose the column of each relation of a component that gets smaller.
_CHOICES: Final = 1_000

#: The columns of a relation that are bound.
Columns = frozenset[int]


@final
@dataclass(frozen=True, slots=True)
class Call:
    """A recursive condition of a rule, asked with some columns bound, when the head was asked with others."""

    head: Atom
    bound: Columns
    atom: Atom
    asked: Columns


@final
class Demand:
    """The relations of some rules that need demand, each with a rule that is the reason."""

    def __init__(self, rules: Iterable[Rule], graph: DependencyGraph) -> None:
        """Find the relations; there are none in most games."""
        self.reasons: dict[Signature, Rule] = {}
        self._safe: dict[tuple[Signature, Columns], bool] = {}
        self._rules: defaultdict[Signature, list[Rule]] = defaultdict(list)
        self._members: dict[Signature, frozenset[Signature]] = {}
        self._graph = graph
        rules = tuple(rules)
        if not any(isinstance(arg, Function) for rule in rules if rule.body for arg in rule.head.args):
            return
        for rule in rules:
            if rule.body:
                self._rules[rule.head.signature].append(rule)
        for component in graph.components:
            members = frozenset(component)
            self._members.update(dict.fromkeys(component, members))
            reason = self._reason(members)
            if reason is not None:
                self.reasons.update((member, reason) for member in component if member[1] and not _is_whole(member))

    def is_safe(self, relation: Signature, bound: Iterable[int]) -> bool:
        """Return True if it is certain that a relation has finitely many rows for given values in some columns."""
        if relation not in self.reasons:
            return True
        key = (relation, frozenset(bound))
        if key not in self._safe:
            self._safe[key] = self._ends(*key)
        return self._safe[key]

    def modes(self, relation: Signature) -> list[tuple[int, ...]]:
        """Return the smallest sets of columns of which it is enough to bind one set."""
        found: list[tuple[int, ...]] = []
        for size in range(relation[1] + 1):
            for columns in combinations(range(relation[1]), size):
                if not any(set(less) <= set(columns) for less in found) and self.is_safe(relation, columns):
                    found.append(columns)
        return found

    def risks(self) -> set[Signature]:
        """Return the relations of which it is not certain that all questions end that rules ask about them."""
        stuck = [
            literal.atom.signature
            for relation, rules in self._rules.items()
            if self.reasons and relation not in self.reasons
            for rule in rules
            if self._calls(rule, frozenset(), self._members[relation]) is None
            for literal in rule.literals()
            if not literal.negated
        ]
        found = self.reasons.keys() & stuck
        pending = list(found)
        while pending:
            new = self._graph.edges[pending.pop()].keys() & self.reasons.keys() - found
            found |= new
            pending += new
        return found

    def _reason(self, members: frozenset[Signature]) -> Rule | None:
        """Return the first rule for which a component needs demand."""
        if any(map(_is_whole, members)):
            return None
        for member in sorted(members):
            for rule in self._rules[member]:
                if wraps(rule, members) or self._calls(rule, frozenset(), members) is None:
                    return rule
        return None

    def _calls(self, rule: Rule, bound: Columns, members: frozenset[Signature]) -> list[Call] | None:
        """Return the recursive calls of a rule whose head is asked with some columns bound.

        The result is None if a relation that needs demand has to be asked in a mode that is not safe.
        """
        known = {variable for column in bound for variable in variables_of(rule.head.args[column])}
        left = [literal for literal in rule.literals() if not literal.negated]
        calls: list[Call] = []

        def columns(literal: Literal) -> Columns:
            return frozenset(i for i, arg in enumerate(literal.atom.args) if known.issuperset(variables_of(arg)))

        def is_ready(literal: Literal) -> bool:
            relation = literal.atom.signature
            if relation in members:
                return False
            # Columns come last: most relations need no demand, and some rules have very many conditions.
            return relation not in self.reasons or self.is_safe(relation, columns(literal))

        while left:
            # What is ready stays ready when more is known, so all of it is taken at once.
            ready = [literal for literal in left if is_ready(literal)]
            if ready:
                left = [literal for literal in left if not is_ready(literal)]
            else:
                recursive = [literal for literal in left if literal.atom.signature in members]
                if not recursive:
                    return None
                # Of recursive calls, the one with the most columns bound comes first.
                ready = [max(recursive, key=lambda literal: len(columns(literal)))]
                calls.append(Call(rule.head, bound, ready[0].atom, columns(ready[0])))
                left.remove(ready[0])
            known.update(variable for literal in ready for variable in literal.variables())
        return calls

    def _ends(self, relation: Signature, bound: Columns) -> bool:
        """Return True if each recursive call that a question leads to has a smaller term in some bound column."""
        members = self._members[relation]
        modes = {(relation, bound)}
        pending = list(modes)
        calls: list[Call] = []
        while pending:
            asked, columns = pending.pop()
            for rule in self._rules[asked]:
                found = self._calls(rule, columns, members)
                if found is None:
                    return False
                calls += found
                new = {(call.atom.signature, call.asked) for call in found} - modes
                modes |= new
                pending += new
        if not calls or not any(_has_functions(call) for call in calls):
            return True
        choices = [[(member, column) for column in range(member[1])] for member in sorted(members) if member[1]]
        return any(_all_shrink(calls, measured) for measured in map(dict, islice(product(*choices), _CHOICES)))


def taken_apart(rules: Sequence[Rule]) -> Sequence[Rule]:
    """Return the rules, with the bodies of relations that take terms apart in their place, if these need demand.

    `(<= (rest (cons ?h ?t) ?t) (item ?h) (list ?t))` is one. A rule that reads it then shows that it is about
    a list and a part of it.
    """
    graph = DependencyGraph(rules)
    reasons = Demand(rules, graph).reasons
    own: defaultdict[Signature, list[Rule]] = defaultdict(list)
    for rule in rules:
        own[rule.head.signature].append(rule)
    definitions: dict[Signature, Rule] = {}
    for relation, *others in graph.components:
        if relation in reasons and not others and relation not in graph.edges[relation] and len(own[relation]) == 1:
            definition = _direct(own[relation][0], definitions)
            if definition is not None and any(isinstance(arg, Function) for arg in definition.head.args):
                definitions[relation] = definition
    if not definitions:
        return rules
    return [other for rule in rules if (other := _direct(rule, definitions)) is not None]


def _direct(rule: Rule, definitions: Mapping[Signature, Rule]) -> Rule | None:
    """Return a rule with definitions in the place of conditions; None if it never applies."""
    for call in rule.literals():
        if not call.negated and call.atom.signature in definitions:
            other = resolved(rule, call, definitions[call.atom.signature])
            return None if other is None else _direct(other, definitions)
    return rule


def wraps(rule: Rule, members: Iterable[Signature]) -> bool:
    """Return True if the head of a recursive rule wraps a result of the recursion in a function.

    The `members` are the relations of the recursion.
    """
    recursive = list(_recursive(rule, members))
    functions = [arg for arg in rule.head.args if isinstance(arg, Function)]
    if not recursive or not functions:
        return False
    bound = outside(rule, members)
    kept = {arg for literal in recursive for arg in _parts(literal.atom.args)}
    return any(not bound.issuperset(variables_of(function)) for function in functions if function not in kept)


def outside(rule: Rule, members: Iterable[Signature]) -> set[Variable]:
    """Return the variables that conditions outside the recursion bind."""
    others = (x for x in rule.literals() if not x.negated and x.atom.signature not in members)
    return {variable for literal in others for variable in literal.variables()}


def _recursive(rule: Rule, members: Iterable[Signature]) -> Iterator[Literal]:
    return (literal for literal in rule.literals() if not literal.negated and literal.atom.signature in members)


def _parts(terms: Iterable[Term]) -> Iterator[Term]:
    for term in terms:
        yield term
        if isinstance(term, Function):
            yield from _parts(term.args)


def _is_whole(relation: Signature) -> bool:
    return relation[0].partition(" ")[0] in _WHOLE


def _has_functions(call: Call) -> bool:
    terms: Sequence[Term] = (*call.head.args, *call.atom.args)
    return any(isinstance(term, Function) and any(variables_of(term)) for term in terms)


def _all_shrink(calls: Iterable[Call], measured: dict[Signature, int]) -> bool:
    """Return True if terms get smaller in the columns that are measured, and stay the same only for a while."""
    same: dict[Signature, set[Signature]] = {member: set() for member in measured}
    for call in calls:
        less = _lost(call, measured)
        if less is None:
            return False
        if not less:
            same[call.head.signature].add(call.atom.signature)
    return all(len(part) == 1 and part[0] not in same[part[0]] for part in strongly_connected(same))


def _lost(call: Call, measured: dict[Signature, int]) -> int | None:
    """Return how much smaller a term a call has than its head in the columns that are measured.

    None if it may be larger, or if they are not both bound.
    """
    before, after = measured.get(call.head.signature), measured.get(call.atom.signature)
    if before not in call.bound or after not in call.asked:
        return None
    whole, part = call.head.args[before], call.atom.args[after]
    less = _size(whole) - _size(part)
    return less if less >= 0 and Counter(variables_of(part)) <= Counter(variables_of(whole)) else None


def _size(term: Term) -> int:
    """Return the number of names in a term."""
    return sum(1 for _ in leaves(term)) + sum(isinstance(part, Function) for part in _parts([term]))
