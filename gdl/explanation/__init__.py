"""Why an atom holds in a state of a game, or why it does not.

- `tree`: what an explanation is: trees of values
- `lookup`, `answers`: what holds in one context, and which instances of rules apply there
- `derivations`, `refutations`: the shortest derivations of what holds, and how far rules come for what does not
- `explaining`: all of it put together; `outline`: as lines of text, and as JSON
"""

from gdl.explanation.tree import (
    Absence,
    Attempt,
    Derivation,
    Difference,
    Explanation,
    Premise,
    Refutation,
    Source,
)

__all__ = ["Absence", "Attempt", "Derivation", "Difference", "Explanation", "Premise", "Refutation", "Source"]
