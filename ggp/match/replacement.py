"""The policies for players that answer late, illegally or not at all.

- `replace`: a random legal move is played for the player and the match continues, as is customary in GGP. A player
  whose `start` failed is still asked for moves.
- `disqualify`: the match ends at once, with 0 for the offender and 100 for the others. No move is made in the ply in
  which a role is disqualified.
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
    """Random replacements for the moves of players.

    Each role has its own generator, so that replacing one role's moves does not change the replacements of others.
    """

    def __init__(self, roles: Iterable[str], seed: int) -> None:
        """Derive a generator for each role from the match's seed."""
        self._generators = {role: generator(seed, "replacement", role) for role in roles}

    def settle(self, role: str, answer: Answer, legal: Sequence[Term]) -> tuple[Answer, Term]:
        """Return the answer with its error, if any, and the move to make: the player's own or a random one."""
        move, error = (None, answer.error) if answer.error else legal_move(answer.value, tuple(legal))
        return replace(answer, error=error), self.draw(role, legal) if move is None else move

    def draw(self, role: str, legal: Sequence[Term]) -> Term:
        """Draw a role's next random move."""
        return self._generators[role].choice(legal)


def disqualified(errors: Mapping[str, str], policy: Policy) -> tuple[str, ...]:
    """Return the roles that the policy disqualifies for their errors."""
    return tuple(role for role, error in errors.items() if error) if policy is Policy.DISQUALIFY else ()
