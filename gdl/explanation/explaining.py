"""Explanations put together: derivations, instances or a refutation, whichever an atom has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gdl.explanation.answers import Answers, ground_of
from gdl.explanation.derivations import DerivationBudget, derivations
from gdl.explanation.refutations import Refuter
from gdl.explanation.tree import Explanation
from gdl.language.rules import Atom, substitute
from gdl.terms import Term, Variable

#: Instances of rules that are looked at for one explanation: a second or so.
EXPLAINED = 20_000

#: Failing conditions are explained down to so many rules one below the other, and so many rules in all.
_DEPTH = 6
_RULES = 60


def explained(atom: Atom, found: Sequence[Mapping[str, Term]], answers: Answers, most: int, limit: int) -> Explanation:
    """The explanation of an atom under which these substitutions hold."""
    budget = DerivationBudget(limit)
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
