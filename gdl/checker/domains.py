"""Which values each column of each relation can ever have: more than will come, but never less.

All rules are applied to columns instead of rows until nothing is new. What a state may hold is all that `init` and
`next` derive, what may be done all that `legal` derives. (Set-based analysis: Heintze and Jaffar, A finite presentation
theorem for approximating logic programs, 1990.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

from gdl.language.rules import Atom, Distinct, Literal, Rule, Signature
from gdl.terms import Constant, Term, Variable, leaves

#: Terms nested deeper than this are taken to be anything.
_DEPTH: Final = 5

#: Where what is derived goes besides its own relation.
_FLOWS: Final[Mapping[Signature, Signature]] = {
    ("init", 1): ("true", 1),
    ("next", 1): ("true", 1),
    ("legal", 2): ("does", 2),
}


@final
class Domain:
    """A set of terms: constants without their case, and functions with a domain for each argument; or any terms."""

    __slots__ = ("anything", "constants", "functions")

    def __init__(self) -> None:
        self.anything = False
        self.constants: set[str] = set()
        self.functions: dict[Signature, list[Domain]] = {}

    def __bool__(self) -> bool:
        return self.anything or bool(self.constants) or bool(self.functions)

    def add(self, other: Domain, depth: int = 0) -> bool:
        """Take in another domain; whether anything was new."""
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
        """The terms that are in both."""
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
    """Whether some instance of a pattern is in a domain; its variables are narrowed to what is left for them."""
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
        return pattern.name.lower() in domain.constants
    args = domain.functions.get((pattern.name.lower(), len(pattern.args)))
    return args is not None and all(admits(arg, part, binding) for arg, part in zip(args, pattern.args, strict=True))


def instances(term: Term, binding: Mapping[Variable, Domain]) -> Domain:
    """The terms that a term stands for where its variables are bound to domains."""
    if isinstance(term, Variable):
        return binding.get(term) or _anything()
    domain = Domain()
    if isinstance(term, Constant):
        domain.constants.add(term.name.lower())
    else:
        domain.functions[term.name.lower(), len(term.args)] = [instances(arg, binding) for arg in term.args]
    return domain


def _anything() -> Domain:
    domain = Domain()
    domain.anything = True
    return domain


@final
@dataclass(frozen=True, slots=True)
class Failure:
    """Why a rule can never fire: a condition that can never hold `alone`, or cannot together with those before it."""

    condition: Literal | Distinct
    alone: bool


@final
class Domains:
    """The domains of all columns, after all rules.

    A rule that is `supposed` to fire does so whatever its conditions are: of its variables only is known what those
    conditions say that can hold.
    """

    def __init__(self, rules: Sequence[Rule], supposed: Rule | None = None) -> None:
        self.columns: dict[Signature, list[Domain]] = {}
        self._supposed = supposed
        self._facts = {rule.head for rule in rules if not rule.body}
        users: dict[Signature, list[Rule]] = {}
        for rule in rules:
            for literal in rule.literals():
                users.setdefault(literal.atom.signature, []).append(rule)
        waiting = dict.fromkeys(rules)
        while waiting:
            rule = next(iter(waiting))
            del waiting[rule]
            for signature in self._fire(rule):
                waiting.update(dict.fromkeys(users.get(signature, ())))

    def _fire(self, rule: Rule) -> list[Signature]:
        """Apply a rule; the relations that have something new."""
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
        """Why a rule can never fire: each condition that can never hold; else the first that fits none before it."""
        if rule == self._supposed:
            return []
        alone = [x for x in rule.literals() if not x.negated and not self.possible(x.atom)]
        if alone:
            return [Failure(condition, True) for condition in alone]
        condition = self._failing(rule, {})
        return [] if condition is None else [Failure(condition, False)]

    def possible(self, atom: Atom) -> bool:
        """Whether an instance of an atom may hold at some time."""
        return self._narrow(atom, {})

    def covers(self, signature: Signature, atom: Atom, rule: Rule) -> bool:
        """Whether a relation may have what a rule derives for an atom of its columns; True if it never fires."""
        binding: Binding = {}
        if self._failing(rule, binding) is not None:
            return True
        columns = self.columns.get(signature, [])
        return bool(columns) and all(
            column.meet(instances(arg, binding)) for column, arg in zip(columns, atom.args, strict=True)
        )

    def _failing(self, rule: Rule, binding: Binding) -> Literal | Distinct | None:
        """The first condition that cannot hold together with those before it; `binding` is filled."""
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
    """Whether two terms are always equal."""
    if left == right:
        return True
    only = _only(left, binding)
    return only is not None and only == _only(right, binding)


def _only(term: Term, binding: Mapping[Variable, Domain]) -> str | None:
    """The one constant that a term can be."""
    if isinstance(term, Constant):
        return term.name.lower()
    domain = binding.get(term) if isinstance(term, Variable) else None
    if domain is None or domain.anything or domain.functions or len(domain.constants) != 1:
        return None
    return next(iter(domain.constants))
