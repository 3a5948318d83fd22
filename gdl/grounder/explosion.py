"""Which relations explode when a program is grounded."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import closing
from dataclasses import replace

from gdl.grounder.budget import GroundingBudget
from gdl.grounder.child import BudgetExceeded, ClingoFailed, run
from gdl.grounder.encoding import Encoding
from gdl.grounder.projection import Projected
from gdl.language.splitting import whole_text

#: Relations are counted for so many seconds at most.
_SECONDS = 10.0
#: So many relations are named, and none that has less than this share of the rules of the first.
_NAMED = 3
_SHARE = 0.2

_HEAD = re.compile(rb"\{?(r[0-9]+)\b")


def largest(text: str, encoding: Encoding, projected: Projected, budget: GroundingBudget) -> list[tuple[str, int]]:
    """The relations with most ground rules, each with their number, in as much of the ground program as comes quickly.

    The program is grounded once more, as text: only there a rule says what its head is before the program is complete.
    """
    counts: Counter[bytes] = Counter()
    try:
        with closing(run(text, "--text", replace(budget, seconds=min(budget.seconds, _SECONDS)))) as blocks:
            for lines in blocks:
                counts.update(match[1] for line in lines if (match := _HEAD.match(line)))
                if counts.total() > budget.rules:
                    break
    except (BudgetExceeded, ClingoFailed):
        pass  # What was counted until then is the answer.
    relations: Counter[str] = Counter()
    for identifier, count in counts.items():
        signature = encoding.signature(identifier.decode())
        relations[whole_text(projected.origin.get(signature, signature))] += count
    ranked = relations.most_common(_NAMED)
    return [(relation, count) for relation, count in ranked if count >= _SHARE * ranked[0][1]]
