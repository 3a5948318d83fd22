"""Finds the relations that explode when a program is grounded."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import closing
from dataclasses import replace

from gdl.compile_budget import BudgetExceeded, CompileBudget
from gdl.grounder.child import ClingoFailed, run
from gdl.grounder.encoding import Encoding
from gdl.grounder.projection import Projected
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
