"""Finds the relations that explode when a program is grounded, and says why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

from gdl.compile_budget import BudgetExceeded, CompileBudget
from gdl.grounder.child import ClingoFailed, run
from gdl.grounder.encoding import Encoding
from gdl.grounder.projection import Projected
from gdl.grounder.sizes import Sizes, parts
from gdl.language.rules import Rule, signature_text
from gdl.language.splitting import whole_text

#: The time limit for counting, in seconds.
_SECONDS = 10.0
#: The maximum number of relations named, and the least number of rules of each, as a share of the largest relation's.
_NAMED = 3
_SHARE = 0.2

_HEAD = re.compile(rb"\{?(r[0-9]+)\b")


def largest(text: str, encoding: Encoding, projected: Projected, budget: CompileBudget) -> list[tuple[str, int]]:
    """Return the relations with the most ground rules, each with their number.

    The program is grounded once more as text, which names the head of each rule as it comes; aspif gives the names only
    at the end. Only the part of the program that comes quickly is counted.
    """
    counts: Counter[bytes] = Counter()
    try:
        with closing(run(text, "--text", replace(budget, seconds=min(budget.seconds, _SECONDS)))) as blocks:
            for lines in blocks:
                counts.update(match[1] for line in lines if (match := _HEAD.match(line)))
                if counts.total() > budget.rules:
                    break
    except (BudgetExceeded, ClingoFailed):
        pass  # Return what has been counted so far.
    relations: Counter[str] = Counter()
    for identifier, count in counts.items():
        signature = encoding.signature(identifier.decode())
        relations[whole_text(projected.origin.get(signature, signature))] += count
    ranked = relations.most_common(_NAMED)
    return [(relation, count) for relation, count in ranked if count >= _SHARE * ranked[0][1]]


def advice(rules: Sequence[Rule], relation: str) -> str | None:
    """Return which rule of a relation has the most combinations of values, how many, and how to have fewer."""
    own = [rule for rule in rules if rule.body and signature_text(rule.head.signature) == relation]
    if not own:
        return None
    sizes = Sizes(rules)
    rule = max(own, key=sizes.cost)
    variables = max(parts(rule), key=lambda part: sizes.instances(rule, part))
    if rule.location is None or not variables:
        return None
    names = list(dict.fromkeys(v for condition in rule.body for v in condition.variables() if v in variables))
    # The variable of which the least is asked is most likely to be out of place.
    least = min(names, key=lambda v: sum(v in condition.variables() for condition in rule.body))
    most, few = sizes.instances(rule, variables), sizes.instances(rule, variables - {least})
    return (
        f"the rule for {relation} at {rule.location.line}:{rule.location.column} relates up to {most:,} combinations of"
        f" {', '.join(map(str, names))}, and {few:,} without {least}: write the conditions that do not need {least} as"
        " a relation of their own, with as few arguments as possible"
    )
