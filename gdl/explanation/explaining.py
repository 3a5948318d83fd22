"""Builds the explanation of an atom from derivations, instances or a refutation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gdl.explanation.answers import Answers, ground_of
from gdl.explanation.derivations import ExplanationBudget, derivations
from gdl.explanation.explanation import Explanation
from gdl.explanation.refutations import Refuter
from gdl.language.rules import Atom, substitute
from gdl.terms import Term, Variable

#: Limits on the explanation of failing conditions: the depth of nested rules, and the total number of rules.
_DEPTH = 6
_RULES = 60


def explained(atom: Atom, found: Sequence[Mapping[str, Term]], answers: Answers, most: int, limit: int) -> Explanation:
    """Return the explanation of an atom, given the substitutions under which it holds."""
    budget = ExplanationBudget(limit)
    if found and found[0]:
        instances = tuple(_filled(atom, substitution) for substitution in found)
        return Explanation(atom, True, instances=instances)
    if found:
        shown, ways = derivations(answers, ground_of(atom, {}), most, budget)
        return Explanation(atom, True, shown, ways, complete=not budget.is_spent)
    refuter = Refuter(answers, budget, _DEPTH, _RULES)
    refutation = refuter.refute(atom)
    return Explanation(atom, False, refutation=refutation, complete=refuter.complete and not budget.is_spent)


def _filled(atom: Atom, substitution: Mapping[str, Term]) -> Atom:
    binding = {Variable(text[1:]): term for text, term in substitution.items()}
    return replace(atom, args=tuple(substitute(arg, binding) for arg in atom.args))
