"""Explanations: why an atom holds in a state of a game, or why it does not.

- `tree`: derivations and refutations, the parts of explanations
- `answers`: the rule instances that apply in one context
- `derivations`, `refutations`: shortest derivations of atoms that hold, and failed attempts for those that do not
- `explaining`: puts these together into an `explanation`; `outline`: explanations as lines of text and as JSON
"""

from gdl.explanation.explanation import Explanation
from gdl.explanation.tree import (
    Absence,
    Attempt,
    Derivation,
    Difference,
    Premise,
    Refutation,
    Source,
)

__all__ = ["Absence", "Attempt", "Derivation", "Difference", "Explanation", "Premise", "Refutation", "Source"]
