"""What the solver refuses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from gdl.errors import GdlError

#: More of a state is not shown.
_LONGEST: Final = 300


class SolverError(GdlError):
    """A game that cannot be solved, or a proof that cannot be read."""


@final
class NotSolvableError(SolverError):
    """A game of a kind that the solver has no method for; `reason` says which."""

    code = "not-solvable"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)

    def __str__(self) -> str:
        return f"{self.code}: {self.reason}"


@final
class LineError(SolverError):
    """The moves that lead to a position cannot be played; `ply` counts from 1."""

    code = "moves-to-position"

    def __init__(self, ply: int, reason: str, legal: Sequence[str] = ()) -> None:
        self.ply = ply
        self.reason = reason
        self.legal = tuple(legal)
        super().__init__(ply, reason, self.legal)

    def __str__(self) -> str:
        listed = "; legal: " + ", ".join(self.legal) if self.legal else ""
        return f"{self.code}: ply {self.ply}: {self.reason}{listed}"


@final
class ProofFileError(SolverError):
    """A file that is no proof, or not one for these rules."""

    code = "proof-file"

    def __init__(self, file: str, reason: str) -> None:
        self.file = file
        self.reason = reason
        super().__init__(file, reason)

    def __str__(self) -> str:
        return f"{self.file}: {self.code}: {self.reason}"


def simultaneous(state: str) -> NotSolvableError:
    """The error for a state in which several roles have a choice."""
    return NotSolvableError(f"several roles have a choice at the same time, in the state {_shown(state)}")


def without_move(role: str, state: str) -> NotSolvableError:
    """The error for a state that is not terminal, but in which a role has no legal move."""
    return NotSolvableError(f"{role} has no legal move, and the game is not over, in the state {_shown(state)}")


def _shown(state: str) -> str:
    return state if len(state) <= _LONGEST else state[:_LONGEST] + " ..."
