"""Explains why an atom does not hold.

For each rule whose head matches, finds how many of its conditions can be met, and which one fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import final

from gdl.explanation.answers import Answers, ground_of, schedule
from gdl.explanation.derivations import ExplanationBudget, derivations
from gdl.explanation.tree import Attempt, Derivation, Refutation, Source
from gdl.language.rules import Atom, Condition, Distinct, Rule, substitute, unify
from gdl.reasoner.lookup import Binding
from gdl.terms import Term, Variable

#: The maximum number of rules tried for one atom, and of similar facts shown.
_MOST_RULES = 30
_MOST_NEAR = 3

#: The maximum number of bindings followed for one condition.
_MOST_WAYS = 2_000


@final
class Refuter:
    """Finds reasons why atoms do not hold in one context.

    Conditions that fail are explained in turn, up to `depth` nested rules and `rules` rules in total. The number of
    bindings tried for each rule is what is left in the budget at the start. `complete` is True as long as no binding
    was skipped.
    """

    def __init__(self, answers: Answers, budget: ExplanationBudget, depth: int, rules: int) -> None:
        """Start with the given limits."""
        self._answers = answers
        self._budget = budget
        self._limit = budget.left
        self._depth = depth
        self._rules = rules
        self.complete = True

    def refute(self, atom: Atom) -> Refutation:
        """Explain why no instance of an atom holds."""
        return self._refute(atom, ())

    def _refute(self, atom: Atom, above: Sequence[Atom]) -> Refutation:
        """Explain why no instance of an atom holds, as part of the refutations of the atoms `above`."""
        if atom.signature in (("true", 1), ("does", 2)):
            source = Source.STATE if atom.signature == ("true", 1) else Source.MOVES
            return Refutation(atom, source, near=self._answers.lookup.near(atom, _MOST_NEAR))
        rules = [rule for rule in self._answers.rules(atom.signature) if _applied(rule, atom) is not None]
        if not rules:
            near = self._answers.lookup.near(atom, _MOST_NEAR)
            derived = self._answers.rules(atom.signature)
            return Refutation(atom, Source.RULE if derived else Source.FACT, near=near)
        self._rules -= min(len(rules), _MOST_RULES)
        attempts = tuple(self._attempt(rule, atom, above) for rule in rules[:_MOST_RULES])
        return Refutation(atom, Source.RULE, attempts, max(0, len(rules) - _MOST_RULES))

    def _attempt(self, rule: Rule, atom: Atom, above: Sequence[Atom]) -> Attempt:
        binding = _applied(rule, atom)
        assert binding is not None
        applied = _instance(rule, binding)
        conditions = schedule(applied)
        nearest, met, complete = self._nearest(conditions)
        self.complete = self.complete and complete
        held = tuple(self._answers.instance(condition, nearest) for condition in conditions[:met])
        failed = self._answers.instance(conditions[met], nearest)
        known = {variable: self._answers.terms[value] for variable, value in nearest.items()}
        bound = []
        for variable in dict.fromkeys(v for part in (rule.head, *rule.body) for v in part.variables()):
            term = substitute(substitute(variable, binding), known)
            if term != variable:
                bound.append((variable, term))
        because = self._because(failed, (*above, atom))
        return Attempt(rule, tuple(bound), held, failed, because, complete)

    def _nearest(self, conditions: Sequence[Condition]) -> tuple[Binding, int, bool]:
        """Find a binding under which as many leading conditions as possible hold.

        Returns the binding, the number of conditions that hold, and True if all bindings were tried.
        """
        best: tuple[Binding, int] | None = None
        left, complete = self._limit, True
        pending: list[tuple[Binding, int]] = [({}, 0)]
        while pending and (best is None or left > 0):
            binding, met = pending.pop()
            if met == len(conditions):
                raise AssertionError("the rule applies, yet what it derives does not hold")
            found = list(islice(self._answers.lookup.extensions(conditions[met], binding), _MOST_WAYS + 1))
            complete = complete and len(found) <= _MOST_WAYS
            left -= len(found)
            # Sorted, so that the result is deterministic. The last one is tried first.
            found.sort(key=lambda extended: str(list(extended.values())), reverse=True)
            pending += [(extended, met + 1) for extended in found]
            if not found and (best is None or met > best[1]):
                best = binding, met
        assert best is not None
        return *best, complete and not pending

    def _because(self, failed: Condition, above: Sequence[Atom]) -> Refutation | Derivation | None:
        """Explain why a condition fails. Returns None for atoms in `above`, and if a limit is reached."""
        if isinstance(failed, Distinct):
            return None
        if failed.negated:
            found, _ = derivations(self._answers, ground_of(failed.atom, {}), 1, self._budget)
            return found[0]
        if len(above) >= self._depth or self._rules <= 0 or _shape(failed.atom) in map(_shape, above):
            return None
        return self._refute(failed.atom, above)


def _applied(rule: Rule, atom: Atom) -> dict[Variable, Term] | None:
    """Return the most general unifier of a rule's head and an atom, or None if they do not unify.

    Variables of the atom that also occur in the rule are renamed first.
    """
    own = {variable for part in (rule.head, *rule.body) for variable in part.variables()}
    taken = own | set(atom.variables())
    names: dict[Variable, Term] = {}
    for variable in sorted(own & set(atom.variables())):
        name = variable.name
        while Variable(name) in taken:
            name += "'"
        taken.add(Variable(name))
        names[variable] = Variable(name)
    binding: dict[Variable, Term] = {}
    for arg, wanted in zip(rule.head.args, atom.args, strict=True):
        # Where possible, variables of the atom are replaced by those of the rule.
        if not unify(arg, substitute(wanted, names), binding):
            return None
    return binding


def _instance(rule: Rule, binding: dict[Variable, Term]) -> Rule:
    """Return the rule with its variables replaced."""

    def filled(condition: Condition) -> Condition:
        if isinstance(condition, Distinct):
            left, right = substitute(condition.left, binding), substitute(condition.right, binding)
            return replace(condition, left=left, right=right)
        return replace(condition, atom=_filled(condition.atom, binding))

    return Rule(_filled(rule.head, binding), tuple(map(filled, rule.body)), rule.location)


def _filled(atom: Atom, binding: dict[Variable, Term]) -> Atom:
    return replace(atom, args=tuple(substitute(arg, binding) for arg in atom.args))


def _shape(atom: Atom) -> Atom:
    """Return the atom with its variables numbered: equal for atoms that differ only in the names of variables."""
    numbers: dict[Variable, Term] = {}
    for variable in atom.variables():
        numbers.setdefault(variable, Variable(f" {len(numbers)}"))
    return _filled(atom, numbers)
