"""Computes an over-approximation of the values that each column of each relation can have.

All rules are applied to columns instead of rows until nothing changes. A state may contain everything that `init` and
`next` derive; every move that `legal` derives may be done. (Set-based analysis: Heintze and Jaffar, A finite
presentation theorem for approximating logic programs, 1990.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final, final

from gdl.language.rules import Atom, Condition, Distinct, Literal, Rule, Signature
from gdl.terms import Constant, Term, Variable, leaves, shape_of

#: Terms nested deeper than this are approximated by "any term".
_DEPTH: Final = 5

#: Relations whose rows are also added to another relation.
_FLOWS: Final[Mapping[Signature, Signature]] = {
    ("init", 1): ("true", 1),
    ("next", 1): ("true", 1),
    ("legal", 2): ("does", 2),
}


@final
class Domain:
    """A set of terms: constants in lower case, and functions with a domain for each argument.

    If `anything` is True, it is the set of all terms.
    """

    __slots__ = ("anything", "constants", "functions")

    def __init__(self) -> None:
        """Start with the empty set."""
        self.anything = False
        self.constants: set[str] = set()
        self.functions: dict[Signature, list[Domain]] = {}

    def __bool__(self) -> bool:
        """Return True if the set is not empty."""
        return self.anything or bool(self.constants) or bool(self.functions)

    def names(self) -> Set[str]:
        """Return the names of the constants and functions in the set."""
        return self.constants | {name for name, _ in self.functions} if self.functions else self.constants

    def add(self, other: Domain, depth: int = 0) -> bool:
        """Add the terms of another domain. Return True if any of them is new."""
        if self.anything:
            return False
        if other.anything or depth > _DEPTH:
            self.anything = True
            return True
        new = not other.constants <= self.constants
        self.constants |= other.constants
        for key, args in list(other.functions.items()):
            own = self.functions.get(key)
            if own is None:
                own = self.functions[key] = [Domain() for _ in args]
                new = True
            for mine, theirs in zip(own, args, strict=True):
                new = mine.add(theirs, depth + 1) or new
        return new

    def meet(self, other: Domain) -> Domain:
        """Return the intersection of two domains."""
        if self.anything or other is self:
            return other
        if other.anything:
            return self
        common = Domain()
        common.constants = self.constants & other.constants
        for key in self.functions.keys() & other.functions.keys():
            args = [mine.meet(theirs) for mine, theirs in zip(self.functions[key], other.functions[key], strict=True)]
            if all(args):
                common.functions[key] = args
        return common


Binding = dict[Variable, Domain]


def admits(domain: Domain, pattern: Term, binding: Binding) -> bool:
    """Return True if a domain contains an instance of a pattern.

    The variables of the pattern are narrowed in `binding` to the values that remain.
    """
    if isinstance(pattern, Variable):
        known = binding.get(pattern)
        found = binding[pattern] = domain if known is None else known.meet(domain)
        return bool(found)
    if domain.anything:
        for leaf in leaves(pattern):
            if isinstance(leaf, Variable):
                binding.setdefault(leaf, domain)
        return True
    if isinstance(pattern, Constant):
        return pattern.key in domain.constants
    args = domain.functions.get(shape_of(pattern))
    return args is not None and all(admits(arg, part, binding) for arg, part in zip(args, pattern.args, strict=True))


def instances(term: Term, binding: Mapping[Variable, Domain]) -> Domain:
    """Return the set of terms that a term denotes if its variables range over the given domains."""
    if isinstance(term, Variable):
        return binding.get(term) or _anything()
    domain = Domain()
    if isinstance(term, Constant):
        domain.constants.add(term.key)
    else:
        domain.functions[shape_of(term)] = [instances(arg, binding) for arg in term.args]
    return domain


def _anything() -> Domain:
    domain = Domain()
    domain.anything = True
    return domain


@final
@dataclass(frozen=True, slots=True)
class Failure:
    """A reason why a rule can never fire: a condition that cannot hold.

    `alone` is True if the condition can never hold by itself; otherwise it cannot hold together with those before it.
    """

    condition: Literal | Distinct
    alone: bool


@final
class Domains:
    """The domains of all columns of all relations.

    If a rule is `supposed` to fire, it does so regardless of its conditions; its variables are then restricted only by
    those conditions that can hold.
    """

    def __init__(self, rules: Sequence[Rule], supposed: Rule | None = None) -> None:
        """Apply the rules until nothing changes."""
        self.columns: dict[Signature, list[Domain]] = {}
        self._supposed = supposed
        self._facts = {rule.head for rule in rules if not rule.body}
        users: dict[Signature, list[int]] = {}
        for number, rule in enumerate(rules):
            for signature in {literal.atom.signature for literal in rule.literals() if not literal.negated}:
                users.setdefault(signature, []).append(number)
        # In rounds, apply the rules that use a relation that has gained something in the round before.
        waiting: Iterable[int] = range(len(rules))
        while waiting:
            gained = dict.fromkeys(signature for number in waiting for signature in self._fire(rules[number]))
            waiting = dict.fromkeys(user for signature in gained for user in users.get(signature, ()))

    def _fire(self, rule: Rule) -> list[Signature]:
        """Apply a rule, and return the relations that gained something."""
        binding: Binding = {}
        if rule == self._supposed:
            for literal in rule.literals():
                if not literal.negated:
                    self._narrow(literal.atom, binding)
        elif self._failing(rule, binding) is not None:
            return []
        found = [instances(arg, binding) for arg in rule.head.args]
        signature = rule.head.signature
        targets = [signature, *([_FLOWS[signature]] if signature in _FLOWS else [])]
        return [target for target in targets if self._add(target, found)]

    def _add(self, signature: Signature, found: Iterable[Domain]) -> bool:
        found = list(found)
        new = signature not in self.columns
        columns = self.columns.setdefault(signature, [Domain() for _ in found])
        for own, other in zip(columns, found, strict=True):
            new = own.add(other) or new
        return new

    def failures(self, rule: Rule) -> list[Failure]:
        """Return the reasons why a rule can never fire; empty if it may.

        These are all conditions that can never hold by themselves, or else the first that is incompatible with those
        before it.
        """
        if rule == self._supposed:
            return []
        alone = [x for x in rule.literals() if not x.negated and not self.possible(x.atom)]
        if alone:
            return [Failure(condition, True) for condition in alone]
        condition = self._failing(rule, {})
        return [] if condition is None else [Failure(condition, False)]

    def possible(self, atom: Atom) -> bool:
        """Return True if an instance of an atom may hold at some time."""
        return self._narrow(atom, {})

    def covers(self, signature: Signature, atom: Atom, rule: Rule) -> bool:
        """Return True if a relation may contain what a rule derives, or if the rule never fires.

        `atom` has the relation's columns as its arguments, in terms of the rule's variables.
        """
        binding: Binding = {}
        if self._failing(rule, binding) is not None:
            return True
        columns = self.columns.get(signature, [])
        return bool(columns) and all(
            column.meet(instances(arg, binding)) for column, arg in zip(columns, atom.args, strict=True)
        )

    def _failing(self, rule: Rule, binding: Binding) -> Literal | Distinct | None:
        """Return the first condition that is incompatible with those before it, and fill `binding` on the way."""
        for literal in rule.literals():
            if not literal.negated and not self._narrow(literal.atom, binding):
                return literal
        for condition in rule.body:
            if isinstance(condition, Distinct):
                if _same(condition.left, condition.right, binding):
                    return condition
            elif condition.negated and condition.atom in self._facts:
                return condition
        return None

    def _narrow(self, atom: Atom, binding: Binding) -> bool:
        columns = self.columns.get(atom.signature)
        return columns is not None and all(
            admits(column, arg, binding) for column, arg in zip(columns, atom.args, strict=True)
        )


def _same(left: Term, right: Term, binding: Mapping[Variable, Domain]) -> bool:
    """Return True if two terms are always equal."""
    if left == right:
        return True
    only = _only(left, binding)
    return only is not None and only == _only(right, binding)


def _only(term: Term, binding: Mapping[Variable, Domain]) -> str | None:
    """Return the only constant that a term can be; None if there are others."""
    if isinstance(term, Constant):
        return term.key
    domain = binding.get(term) if isinstance(term, Variable) else None
    if domain is None or domain.anything or domain.functions or len(domain.constants) != 1:
        return None
    return next(iter(domain.constants))


def never_fires(rules: Sequence[Rule], domains: Domains) -> bool:
    """Return True if none of a statement's flat rules can ever fire."""
    return all(domains.failures(rule) for rule in rules)


def dead_conditions(rule: Rule, rules: Sequence[Rule], domains: Domains) -> list[Condition]:
    """Return the conditions of a flat rule that none of its statement's rules that may fire has, in their order.

    A flat rule is one choice from each `or` of its statement. Its conditions may hold in other choices.
    """
    alive = [other for other in rules if not domains.failures(other)]
    places = {id(syntax) for other in alive for syntax in other.written}
    known = {condition for other in alive for condition in other.body}
    return [one for one in rule.body if one.syntax is not None and id(one.syntax) not in places and one not in known]
