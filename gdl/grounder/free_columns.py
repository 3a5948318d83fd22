"""Sets apart the rows of relations that hold for any value in some columns.

    (<= (line ?d ?a ?b ?i) (step ?d ?a ?b) (square ?i))
    (<= (line ?d ?a ?b ?i) (step ?d ?a ?c) (open ?c ?i) (line ?d ?c ?b ?i))
    (<= (open ?i ?i) (square ?i))
    (<= (open ?c ?i) (square ?c) (square ?i) (not (occupied ?c)))

There is a line from `?a` to `?b` if all squares between them are free, where a man on `?i` does not count. A line has a
row for each square `?i`, and most of them say the same, as it does not matter who is on a square elsewhere. The column
is *free* in a rule if nothing is asked of it but that it is a square. What such rules derive becomes a relation without
the column, and the other rows another one:

    (<= (line of 4 any 4 ?d ?a ?b) (step ?d ?a ?b))
    (<= (line of 4 any 4 ?d ?a ?b) (step ?d ?a ?c) (open of 2 any 2 ?c) (line of 4 any 4 ?d ?c ?b))
    (<= (line of 4 any ?d ?a ?b ?i) (step ?d ?a ?c) (open of 2 any 2 ?c) (line of 4 any ?d ?c ?b ?i))
    (<= (line of 4 any ?d ?a ?b ?i) (step ?d ?a ?c) (open of 2 any ?c ?i) (line of 4 any 4 ?d ?c ?b) (square ?i))
    (<= (line of 4 any ?d ?a ?b ?i) (step ?d ?a ?c) (open of 2 any ?c ?i) (line of 4 any ?d ?c ?b ?i))

A rule that reads such a relation becomes several, one for each kind of rows. Several columns may be free, together or
one without the other. Values of free columns may also be limited by what all rows of a relation satisfy, even if that
depends on the state: if all rules of `(attacked ?x ?y ?from ?to)` have `(tried ?from ?to)`, or read relations that do,
this is asked where the relation is read.

**Why no answer changes.** A row holds if and only if it has one of the kinds, that is, if the relation without the free
columns holds for the others, and their values are within the limits. This follows by induction over the steps that
derive rows: a rule is replaced by one for each choice of the kinds that it reads, and what such a rule derives for all
values within some limits is said without them. Nothing is assumed of the state or of earlier rewrites.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from math import prod
from typing import Final

from gdl.grounder.projection import TARGETS
from gdl.grounder.sizes import Sizes
from gdl.language.rules import Atom, Condition, Literal, Rule, Signature, substitute, unify
from gdl.language.splitting import subsumes
from gdl.language.strata import DependencyGraph
from gdl.terms import Constant, Term, Variable

#: Relations that cannot have more rows are left alone, but for those that larger ones read.
_LARGE: Final = 20_000

#: Columns with fewer values are not worth parting a relation, as a rule that reads it becomes several.
_VALUES: Final = 16

#: The most kinds of rows of a relation, and the most rules that one may become.
_KINDS: Final = 4
_RULES: Final = 32

#: A relation that limits the values of some columns, and these columns.
_Limit = tuple[Signature, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class _Kind:
    """Rows that hold for all values of the `free` columns that some `limits` allow."""

    free: frozenset[int] = frozenset()
    limits: frozenset[_Limit] = frozenset()

    def rest(self, atom: Atom) -> Atom:
        """Return the atom for an atom's other columns."""
        name = atom.signature[0] if " of " in atom.name else f"{atom.name} of {len(atom.args)}"
        name = " ".join((name, "any", *(str(column + 1) for column in sorted(self.free))))
        return Atom(name, tuple(arg for column, arg in enumerate(atom.args) if column not in self.free))


_NONE: Final = _Kind()


def free_columns_apart(rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules, with large relations parted by the columns in which rows hold for any value."""
    graph = DependencyGraph(rules)
    dynamic = graph.reaches([("true", 1), ("does", 2)])
    own: dict[Signature, list[Rule]] = {}
    for rule in rules:
        if rule.head.signature in dynamic - set(TARGETS) and rule.head.args:
            own.setdefault(rule.head.signature, []).append(rule)
    parts = _Parts({rule.head.signature for rule in rules if len(rule.head.args) == 1} - dynamic, own)
    for component in graph.components:
        members = {relation: own[relation] for relation in component if relation in own}
        parts.guard(members)
        growing = True
        while growing:
            growing = False
            for relation, rules_of in members.items():
                growing |= parts.learn(relation, rules_of)
    if parts.kinds:
        sizes = Sizes(rules)
        parts.drop(lambda relation, kind: prod(sizes.values(relation, column) for column in kind.free) < _VALUES)
        stack = [relation for relation in parts.kinds if sizes.rows(relation) > _LARGE]
        wanted = set(stack)
        while stack:
            new = graph.edges[stack.pop()].keys() & parts.kinds.keys() - wanted
            wanted |= new
            stack += new
        parts.drop(lambda relation, _: relation not in wanted)
        for rule in rules:
            parts.limit(rule)
    return parts.of(rules) if parts.kinds else list(rules)


class _Parts:
    """The kinds of rows of relations, and what becomes of the rules."""

    def __init__(self, properties: Collection[Signature], own: Mapping[Signature, Sequence[Rule]]) -> None:
        """Start with no relations. Static `properties` may limit the values of a free column.

        `own` has the rules of each relation that depends on the state.
        """
        #: Only relations with free columns. The last kind has none.
        self.kinds: dict[Signature, list[_Kind]] = {}
        #: What all rows of a relation satisfy.
        self._guards: dict[Signature, set[_Limit]] = {}
        self._properties = properties
        self._own = own

    def guard(self, members: Mapping[Signature, Sequence[Rule]]) -> None:
        """Find the conditions that hold for all rows of some relations, which may depend on each other."""
        for relation, own in members.items():
            places = [{arg: column for column, arg in reversed(list(enumerate(rule.head.args)))} for rule in own]
            self._guards[relation] = {
                (atom.signature, tuple(columns[arg] for arg in atom.args))
                for rule, columns in zip(own, places, strict=True)
                for atom in self._implied(rule)
                if len(atom.args) > 1 and all(isinstance(arg, Variable) and arg in columns for arg in atom.args)
            }
        changed = True
        while changed:
            changed = False
            for relation, own in members.items():
                guards = self._guards[relation]
                implied = [set(self._implied(rule)) for rule in own]
                kept = {
                    limit
                    for limit in guards
                    if all(_on(limit, rule.head) in atoms for rule, atoms in zip(own, implied, strict=True))
                }
                self._guards[relation], changed = kept, changed or kept != guards

    def _implied(self, rule: Rule) -> Iterator[Atom]:
        """Yield atoms that hold wherever a rule fires."""
        for literal in rule.literals():
            if not literal.negated:
                yield literal.atom
                yield from (_on(limit, literal.atom) for limit in self._guards.get(literal.atom.signature, ()))

    def learn(self, relation: Signature, own: Iterable[Rule]) -> bool:
        """Add the kinds of rows that rules derive from those known so far; return True if there are new ones."""
        known = self.kinds.get(relation, [_NONE])
        found = list(known)
        for rule in own:
            for expanded in islice(self._expanded(rule), _RULES):
                kind = self._kind(expanded)
                # Kinds with the same free columns have the same name, and so the same limits.
                new = len(found) < _KINDS and all(kind.free != other.free for other in found)
                if new and _of_kind(expanded, kind, kind) is not None:
                    found.append(kind)
        if len(found) == len(known):
            return False
        self.kinds[relation] = sorted(found, key=lambda kind: len(kind.free), reverse=True)
        return True

    def drop(self, unwanted: Callable[[Signature, _Kind], bool]) -> None:
        """Forget kinds of rows; these count as rows without free columns."""
        left = {
            relation: [kind for kind in kinds if kind == _NONE or not unwanted(relation, kind)]
            for relation, kinds in self.kinds.items()
        }
        self.kinds = {relation: kinds for relation, kinds in left.items() if len(kinds) > 1}

    def limit(self, rule: Rule) -> None:
        """Leave the relations alone that a rule reads, if it would become too many rules."""
        if prod(len(self._choices(condition)) for condition in rule.body) > _RULES:
            for literal in rule.literals():
                self.kinds.pop(literal.atom.signature, None)

    def of(self, rules: Iterable[Rule]) -> list[Rule]:
        """Return the rules, each replaced by those for the kinds of rows that it reads and derives."""
        found = list(dict.fromkeys(self._parted(expanded) for rule in rules for expanded in self._expanded(rule)))
        heads = [rule.head for rule in rules if rule.head.signature in self.kinds]
        named = {kind.rest(head).signature for head in heads for kind in self.kinds[head.signature]}
        while missing := {
            literal.atom.signature for rule in found for literal in rule.literals() if literal.atom.signature in named
        } - {rule.head.signature for rule in found}:
            # There are no rows of such a kind.
            found = [
                replace(rule, body=tuple(c for c in rule.body if _relation(c) not in missing))
                for rule in found
                if not any(not literal.negated and literal.atom.signature in missing for literal in rule.literals())
            ]
        return found

    def _expanded(self, rule: Rule) -> Iterator[Rule]:
        """Yield the rule for each choice of the kinds of rows that it reads."""
        for choice in product(*map(self._choices, rule.body)):
            body = dict.fromkeys(condition for conditions in choice for condition in conditions)
            literals = [condition for condition in body if isinstance(condition, Literal)]
            held = [literal.atom for literal in literals if not literal.negated]
            if not any(literal.negated and self._follows(literal.atom, held) for literal in literals):
                yield replace(rule, body=tuple(body))

    def _follows(self, atom: Atom, held: Sequence[Atom]) -> bool:
        """Return True if an atom is among those that hold, or follows from one of them by a rule with one condition."""
        fixed = {variable: Constant(f"{variable.name} value") for variable in atom.variables()}  # as `subsumes` does
        args = [substitute(arg, fixed) for arg in atom.args]
        for rule in self._own.get(atom.signature, ()):
            binding: dict[Variable, Term] = {}
            only = rule.body[0] if len(rule.body) == 1 else None
            if not isinstance(only, Literal) or only.negated:
                continue
            if all(unify(one, other, binding) for one, other in zip(rule.head.args, args, strict=True)):
                cause = Atom(only.atom.name, tuple(substitute(arg, binding) for arg in only.atom.args))
                if any(other.signature == cause.signature and subsumes(cause, other) for other in held):
                    return True
        return atom in held

    def _choices(self, condition: Condition) -> list[list[Condition]]:
        """Return lists of conditions; all conditions of one of them hold if and only if the given one does."""
        kinds = self.kinds.get(condition.atom.signature) if isinstance(condition, Literal) else None
        if kinds is None:
            return [[condition]]
        assert isinstance(condition, Literal)
        atom, negated = condition.atom, condition.negated
        choices = [
            [
                Literal(other, negated)
                for other in (kind.rest(atom), *(_on(limit, atom) for limit in sorted(kind.limits)))
            ]
            for kind in kinds
        ]
        return list(map(list, product(*choices))) if negated else [list(choice) for choice in choices]

    def _kind(self, rule: Rule) -> _Kind:
        """Return the columns of a rule's head of which nothing is asked but properties, and what all rows satisfy."""
        args = rule.head.args
        guards = {Literal(_on(limit, rule.head)): limit for limit in self._guards.get(rule.head.signature, ())}
        heads = Counter(rule.head.variables())
        found: dict[int, frozenset[_Limit]] = {}
        for column, arg in enumerate(args):
            if isinstance(arg, Variable) and heads[arg] == 1:
                asked = [condition for condition in rule.body if arg in condition.variables()]
                limits = [guards.get(c) or self._property(c, column) for c in asked if isinstance(c, Literal)]
                if limits and len(limits) == len(asked) and all(limits):
                    found[column] = frozenset(limit for limit in limits if limit is not None)
        return _Kind(frozenset(found), frozenset[_Limit]().union(*found.values()))

    def _property(self, literal: Literal, column: int) -> _Limit | None:
        relation = literal.atom.signature
        return (relation, (column,)) if relation in self._properties and not literal.negated else None

    def _parted(self, rule: Rule) -> Rule:
        """Return the rule for the kind of rows that it derives."""
        kinds = self.kinds.get(rule.head.signature)
        if kinds is None:
            return rule
        most = self._kind(rule)
        return next(found for kind in kinds if (found := _of_kind(rule, kind, most)) is not None)


def _of_kind(rule: Rule, kind: _Kind, most: _Kind) -> Rule | None:
    """Return the rule for rows of a kind, if that says the same; `most` has all columns that are free in the rule."""
    if kind.free <= most.free and kind.limits == {limit for limit in most.limits if not kind.free.isdisjoint(limit[1])}:
        free = {rule.head.args[column] for column in kind.free}
        body = tuple(condition for condition in rule.body if free.isdisjoint(condition.variables()))
        other = replace(rule, head=kind.rest(rule.head), body=body)
        if not kind.free or _is_safe(other):
            return other
    return None


def _is_safe(rule: Rule) -> bool:
    bound = {v for literal in rule.literals() if not literal.negated for v in literal.variables()}
    return bound.issuperset(v for part in (rule.head, *rule.body) for v in part.variables())


def _on(limit: _Limit, atom: Atom) -> Atom:
    """Return the atom that limits an atom's columns."""
    (name, _), columns = limit
    return Atom(name, tuple(atom.args[column] for column in columns))


def _relation(condition: Condition) -> Signature | None:
    return condition.atom.signature if isinstance(condition, Literal) else None
