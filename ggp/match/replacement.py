"""The policy for a player that answers late, illegally or not at all.

- `replace`: a random legal move is made for the player and the match goes on, as is the custom in GGP. A player whose
  `start` failed is still asked for its moves.
- `disqualify`: the match ends at once, with 0 for the offender and 100 for the others. In a ply in which a role is
  disqualified no move is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from gdl.simulator.seeds import generator
from gdl.terms import Term
from ggp.match.answers import legal_move
from ggp.match.channels import Answer
from ggp.match.settings import Policy


class Replacement:
    """The random moves that replace those of players: each role has random numbers of its own, from the match's seed.

    So the same players make the same moves, whichever moves of others are replaced.
    """

    def __init__(self, roles: Iterable[str], seed: int) -> None:
        self._generators = {role: generator(seed, "replacement", role) for role in roles}

    def settle(self, role: str, answer: Answer, legal: Sequence[Term]) -> tuple[Answer, Term]:
        """Return the answer with its error, if there is one, and the move to make: the player's own or a random one."""
        move, error = (None, answer.error) if answer.error else legal_move(answer.value, tuple(legal))
        return replace(answer, error=error), self.draw(role, legal) if move is None else move

    def draw(self, role: str, legal: Sequence[Term]) -> Term:
        """Draw a role's next random move."""
        return self._generators[role].choice(legal)


def disqualified(errors: Mapping[str, str], policy: Policy) -> tuple[str, ...]:
    """The roles with an error whom the policy disqualifies."""
    return tuple(role for role, error in errors.items() if error) if policy is Policy.DISQUALIFY else ()
