"""Mistakes in a match: moves after which a role expects less than before."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ggp.players.analyst import Evaluation


class MistakeKind(StrEnum):
    """The size of a mistake."""

    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


#: The least loss of expected goal (0 to 100) for each kind, the worst first.
LOSSES: Final = ((30.0, MistakeKind.BLUNDER), (20.0, MistakeKind.MISTAKE), (10.0, MistakeKind.INACCURACY))


@dataclass(frozen=True, slots=True)
class MoveMistake:
    """A mistake: the role, its loss of expected goal, and what would have been better."""

    role: str
    kind: MistakeKind
    loss: float
    better: str


def mistake_of(before: Evaluation, after: Evaluation, moves: dict[str, str]) -> MoveMistake | None:
    """Return the mistake in a joint move, given as the move of each role, or None.

    If several roles or chance had a choice, it is not known who is to blame, and there is none.
    """
    if not before.alone or not before.best:
        return None
    ((role, best),) = before.best.items()
    if moves.get(role) == best[0].move or role not in before.expected or role not in after.expected:
        return None
    loss = before.expected[role] - after.expected[role]
    kind = next((kind for least, kind in LOSSES if loss >= least), None)
    return None if kind is None else MoveMistake(role, kind, loss, best[0].move)
