"""The errors of the solver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from gdl.errors import GdlError, NamedFileError

#: The maximum number of characters of a state shown in a message.
_LONGEST: Final = 300


class SolverError(GdlError):
    """A game that cannot be solved, or a proof that cannot be read."""


@final
class NotSolvableError(SolverError):
    """A game of a kind that the solver cannot handle, for the given `reason`.

    `at_once` is True if the reason is that several roles have a choice at the same time.
    """

    code = "not-solvable"
    template = "{code}: {0}"

    def __init__(self, reason: str, *, at_once: bool = False) -> None:
        """Keep the reason."""
        self.reason = reason
        self.at_once = at_once
        super().__init__(reason)


@final
class LineError(SolverError):
    """The moves that lead to a position cannot be played; `ply` counts from 1."""

    code = "moves-to-position"

    def __init__(self, ply: int, reason: str, legal: Sequence[str] = ()) -> None:
        """Keep the ply, the reason and the legal moves there."""
        self.ply = ply
        self.reason = reason
        self.legal = tuple(legal)
        super().__init__(ply, reason, self.legal)

    def __str__(self) -> str:
        """Return the code, the ply, the reason and the legal moves."""
        listed = "; legal: " + ", ".join(self.legal) if self.legal else ""
        return f"{self.code}: ply {self.ply}: {self.reason}{listed}"


@final
class ProofFileError(SolverError, NamedFileError):
    """A file that is not a proof, or not one for these rules."""

    code = "proof-file"


def simultaneous(state: str) -> NotSolvableError:
    """Return the error for a state in which several roles have a choice."""
    return NotSolvableError(f"several roles have a choice at the same time, in the state {_shown(state)}", at_once=True)


def without_move(role: str, state: str) -> NotSolvableError:
    """Return the error for a state that is not terminal, but in which a role has no legal move."""
    return NotSolvableError(f"{role} has no legal move, and the game is not over, in the state {_shown(state)}")


def _shown(state: str) -> str:
    return state if len(state) <= _LONGEST else state[:_LONGEST] + " ..."
