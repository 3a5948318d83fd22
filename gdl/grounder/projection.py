"""Splits long rule bodies over auxiliary relations, so that grounding them does not explode.

The number of ground instances of a rule is the number of combinations of its variables' values. In

    (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (does ?r (drop ?c)) (distinct ?x ?c))

the variables `?r` and `?c` are not in the head, and share only a few conditions with the others. They are eliminated
one after another, as in bucket elimination (Dechter 1999; for grounding: Bichler, Morak, Woltran, lpopt, 2016): the
conditions with the variable become the body of an auxiliary relation over their other variables.

    (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (next needs 2 ?x))
    (<= (next needs 2 ?x) (next needs 1 ?c) (distinct ?x ?c) (next domain 1 ?x))
    (<= (next needs 1 ?c) (does ?r (drop ?c)))

A part may need values for a variable that only conditions outside of it bind, or may be far too large without them. It
then uses a domain: the values that such a condition can ever have for the variables that both share. If the condition
depends on the state, its domain does not restrict the part, but only tells which instances are worth having: the atoms
of the domain are open while grounding, and taken to be true when the result is read. Whatever the part derives beyond
the condition is rejected by the condition itself, which stays in the rule.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from gdl.grounder.complement import Complement, complement
from gdl.language.resolution import renamed
from gdl.language.rules import Atom, Condition, Distinct, Literal, Rule, Signature
from gdl.language.splitting import whole
from gdl.language.strata import DependencyGraph
from gdl.terms import Term, Variable

#: The relations that players and engines query.
TARGETS: tuple[Signature, ...] = (
    *(("role", 1), ("init", 1), ("next", 1), ("legal", 2), ("goal", 2), ("sees", 2), ("terminal", 0)),
)


@dataclass(frozen=True, slots=True)
class Projected:
    """Rules with short bodies, and rules for domains.

    The atoms of domains are open: their rules only determine which of them exist.
    """

    rules: tuple[Rule, ...]
    domains: tuple[Rule, ...] = ()
    #: Maps each auxiliary relation to the relation whose rule first needed it.
    origin: dict[Signature, Signature] = field(default_factory=dict)


def needed(rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules that the targets depend on."""
    edges = DependencyGraph(rules).edges
    found = set(TARGETS)
    stack = list(found)
    while stack:
        new = [relation for relation in edges.get(stack.pop(), ()) if relation not in found]
        found.update(new)
        stack += new
    return [rule for rule in rules if rule.head.signature in found]


def project(rules: Sequence[Rule], choices: Mapping[Rule, Signature] = MappingProxyType({})) -> Projected:
    """Return rules, and rules for open atoms, with their bodies split. The relations of the file keep their meaning.

    `choices` has the rules for open atoms, each with the relation of the file that needs it.
    """
    dynamic = DependencyGraph(rules).reaches([("true", 1), ("does", 2)])
    static: dict[Signature, list[Rule]] = {}
    for rule in rules:
        if rule.head.signature not in dynamic:
            static.setdefault(rule.head.signature, []).append(rule)
    splitter = _Splitter(dynamic)
    splitter.origin.update((rule.head.signature, relation) for rule, relation in choices.items())
    short = [splitter.split(rule, complement(rule, static)) for rule in rules]
    chosen = [splitter.split(rule) for rule in choices]
    while splitter.long:
        short.append(splitter.split(splitter.long.pop()))
    return Projected((*short, *splitter.parts), (*chosen, *splitter.domains), splitter.origin)


@dataclass(frozen=True, slots=True)
class _Part:
    """Some conditions of a body, only some of whose variables are used elsewhere.

    `shared` are the variables known outside, `bag` are all variables.
    """

    conditions: tuple[_Item, ...]
    shared: frozenset[Variable]
    bag: frozenset[Variable]

    def variables(self) -> Iterator[Variable]:
        """Return an iterator over the variables known outside."""
        return iter(self.shared)


_Item = Condition | _Part


class _Splitter:
    """Splits rules one after another. Auxiliary relations with the same definition are created only once."""

    def __init__(self, dynamic: Collection[Signature]) -> None:
        """Start with no auxiliary relations; `dynamic` relations depend on the state or the moves."""
        self.parts: list[Rule] = []
        self.domains: list[Rule] = []
        #: Rules of auxiliary relations that have to be split themselves.
        self.long: list[Rule] = []
        self.origin: dict[Signature, Signature] = {}
        self._dynamic = set(dynamic)
        self._names: dict[tuple[str, Rule], str] = {}
        self._order: dict[Variable, int] = {}
        self._head = Atom("")

    def split(self, rule: Rule, complemented: Complement | None = None) -> Rule:
        """Return the rule with conditions replaced by auxiliary relations, or unchanged if that gains nothing."""
        self._head = rule.head
        self._order = {v: i for i, v in enumerate(dict.fromkeys(v for c in rule.body for v in c.variables()))}
        if complemented is not None:
            rule = replace(rule, body=tuple(self._by_complement(rule, complemented)))
        body: list[_Item] = list(rule.body)
        while (variable := self._next_variable(body)) is not None:
            body = self._eliminated(variable, body)
        if not any(isinstance(item, _Part) for item in body):
            return rule
        return replace(rule, body=tuple(map(self._condition, body)))

    def _by_complement(self, rule: Rule, complemented: Complement) -> Iterator[Condition]:
        """Yield the conditions of a rule, and for each usual one, a negated one that holds if the move breaks it."""
        rest = [condition for condition in rule.body if condition not in complemented.usual]
        yield from rest
        for condition in complemented.usual:
            yield replace(self._broken(condition, complemented, rest), negated=True)

    def _broken(self, condition: Condition, complemented: Complement, rest: Sequence[Condition]) -> Literal:
        """Return an atom for the values for which a role's move breaks a condition."""
        move, role = complemented.move, complemented.role()
        if isinstance(condition, Distinct):
            inside, outside = condition.left, condition.right
            if outside in complemented.named():
                inside, outside = outside, inside
            assert isinstance(inside, Variable)
            literal = self._auxiliary("needs", (move,), {*role, inside}, static=False)
            args = tuple(outside if arg == inside else arg for arg in literal.atom.args)
            return replace(literal, atom=replace(literal.atom, args=args))
        loose = set(condition.variables()).difference(move.variables())
        body: list[Condition] = [move, replace(condition, negated=not condition.negated)]
        if not condition.negated:
            offers = [other for other in rest if other is not move and _binds(other)]
            body += self._bound(loose, [(other, loose.intersection(other.variables())) for other in offers])
        return self._auxiliary("breaks", tuple(body), role | loose, static=False)

    def _next_variable(self, body: Sequence[_Item]) -> Variable | None:
        """Return the variable with the smallest part; None if every part would be as large as the rule."""
        kept = set(self._head.variables())
        bags: dict[Variable, set[Variable]] = {}
        for item in body:
            variables = set(item.variables())
            for variable in variables - kept:
                bags.setdefault(variable, set()).update(variables)
        most = len(kept.union(*bags.values())) - 1
        if all(map(self._static, body)):
            # Only the number of rows counts, as rows that are decided while grounding have no rules.
            most = min(most, len(kept))
        sizes = [(len(bag), self._order[v], v) for v, bag in bags.items() if len(bag) <= most]
        return min(sizes)[2] if sizes else None

    def _eliminated(self, variable: Variable, body: Sequence[_Item]) -> list[_Item]:
        """Return the body with all conditions on a variable moved into one part."""
        near = [item for item in body if variable in item.variables()]
        bag = frozenset(v for item in near for v in item.variables())
        # If a part already has all these variables, the conditions are added to it.
        wider = next((item for item in near if isinstance(item, _Part) and item.bag >= bag), None)
        shared = bag - {variable}
        if wider is not None:
            near.remove(wider)
            bag = wider.bag
        # Conditions that are decided while grounding keep the part small at no cost.
        inside = [item for item in body if self._static(item) and bag.issuperset(item.variables())]
        taken = [item for item in body if item in near or (item in inside and not self._hardly_limits(item))]
        rest = [item for item in body if item not in taken and item is not wider]
        conditions = [*wider.conditions, *taken] if wider is not None else taken
        conditions += self._restrictions(conditions, rest, bag)
        return [*rest, _Part(tuple(conditions), shared, bag)]

    def _hardly_limits(self, item: _Item) -> bool:
        """Return True if a condition excludes a single value of a variable of the head.

        The rule keeps such a condition, so that rules that differ in it share their parts.
        """
        variables = list(item.variables())
        return isinstance(item, Distinct) and len(variables) == 1 and variables[0] in self._head.variables()

    def _restrictions(
        self, conditions: Iterable[_Item], rest: Iterable[_Item], bag: frozenset[Variable]
    ) -> list[Literal]:
        """Return domains of outside conditions that bind loose variables of a part, or relate several of them."""
        bound: set[Variable] = set()
        related: list[frozenset[Variable]] = []
        for item in conditions:
            if _binds(item):
                bound.update(item.variables())
                related.append(frozenset(item.variables()))
        found: list[Literal] = []

        def add(item: _Item, variables: frozenset[Variable]) -> None:
            found.append(self._domain(item, variables))
            bound.update(variables)
            related.append(variables)

        offers = [(item, bag.intersection(item.variables())) for item in rest if _binds(item)]
        for item, variables in offers:
            if len(variables) > 1 and not any(variables <= known for known in related):
                add(item, variables)
        return [*found, *self._bound(bag - bound, offers)]

    def _bound(
        self, loose: Collection[Variable], offers: Sequence[tuple[_Item, Collection[Variable]]]
    ) -> Iterator[Literal]:
        """Yield domains that bind loose variables; `offers` are conditions with the variables that they may bind."""
        left = set(loose)
        while left:
            item, variables = max(offers, key=lambda offer: (len(left.intersection(offer[1])), -len(offer[1])))
            left.difference_update(variables)
            yield self._domain(item, frozenset(variables))

    def _static(self, item: _Item) -> bool:
        """Return True if a condition depends neither on the state nor on the moves."""
        if isinstance(item, _Part):
            return all(map(self._static, item.conditions))
        return isinstance(item, Distinct) or item.atom.signature not in self._dynamic

    def _condition(self, item: _Item) -> Condition:
        """Return the item as a condition of a rule; for a part, its relation is created."""
        if not isinstance(item, _Part):
            return item
        return self._auxiliary("needs", tuple(map(self._condition, item.conditions)), item.shared, self._static(item))

    def _domain(self, item: _Item, variables: frozenset[Variable]) -> Literal:
        """Return an atom for the values that a condition can have for some of its variables."""
        kind = "needs" if self._static(item) else "domain"
        return self._auxiliary(kind, (self._condition(item),), variables, self._static(item))

    def _auxiliary(
        self, kind: str, body: tuple[Condition, ...], variables: Collection[Variable], static: bool
    ) -> Literal:
        """Return an atom of an auxiliary relation over some variables. The relation is created if there is none."""
        args = sorted(variables, key=self._order.__getitem__)
        names: dict[Variable, Term] = {}
        for variable in (*args, *(v for condition in body for v in condition.variables())):
            names.setdefault(variable, Variable(f"v{len(names)}"))
        columns = tuple(names[v] for v in args)
        rule = Rule(Atom("", columns), tuple(dict.fromkeys(renamed(condition, names) for condition in body)))
        name = self._names.get((kind, rule))
        if name is None:
            original = whole(self._head.signature)
            name = self._names[kind, rule] = f"{original[0]} {kind} {len(self._names) + 1}"
            kept = {"domain": self.domains, "breaks": self.long}.get(kind, self.parts)
            kept.append(replace(rule, head=Atom(name, columns)))
            self.origin[name, len(args)] = original
            if not static:
                self._dynamic.add((name, len(args)))
        return Literal(Atom(name, tuple(args)))


def _binds(item: _Item) -> bool:
    return isinstance(item, _Part) or (isinstance(item, Literal) and not item.negated)
