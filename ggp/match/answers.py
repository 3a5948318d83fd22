"""The legal move that a player's answer denotes, and the policies for answers that are late, illegal or missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from gdl.errors import GdlError
from gdl.language.parser import parse_term
from gdl.simulator.seeds import generator
from gdl.terms import Constant, Function, Term
from ggp.match.channels import ILLEGAL, Answer, one_line
from ggp.match.settings import Policy

#: Maximum length of a move sent as text; longer texts are illegal and not parsed.
LONGEST_MOVE: Final = 10_000


def legal_move(value: object, legal: tuple[Term, ...]) -> tuple[Term | None, str]:
    """Return the legal move that an answer denotes and an empty text, or None and the error."""
    if isinstance(value, str) and len(value) <= LONGEST_MOVE:
        try:
            move: object = parse_term(value)
        except GdlError:
            move = value
    else:
        move = value
    if isinstance(move, Constant | Function):
        for candidate in legal:
            if candidate == move:
                return candidate, ""
        return None, f"{ILLEGAL} {one_line(move.text)}"
    shown = one_line(value) if isinstance(value, str) else f"not a move: {type(value).__name__}"
    return None, f"{ILLEGAL} {shown}"


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
