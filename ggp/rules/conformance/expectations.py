"""The expectations about a game: counts of joint moves, and positions with the facts and moves expected in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from gdl.errors import TextError
from gdl.reasoner.state import State
from gdl.terms import Term

SUFFIX: Final = ".expect.toml"

#: The default limit for playouts, and the largest one that a file may have.
MAX_PLIES: Final = 1000
MOST_PLIES: Final = 10**9


class ExpectationError(TextError):
    """An expectation file was refused."""


@dataclass(frozen=True, slots=True)
class Position:
    """A start state, a line of joint moves, and the expectations about the state at its end.

    `place` is file and line. A joint move may leave out roles that have only one legal move; a term alone is the move
    of the role that has a choice. `legal` has all the legal moves of a role, `facts` all the facts of the state.
    Nothing is expected of fields that are None or empty.
    """

    name: str
    place: str
    start: State
    joint_moves: tuple[Mapping[str, Term] | Term, ...] = ()
    terminal: bool | None = None
    goals: Mapping[str, int] = field(default_factory=dict)
    legal: Mapping[str, tuple[Term, ...]] = field(default_factory=dict)
    legal_includes: Mapping[str, tuple[Term, ...]] = field(default_factory=dict)
    legal_excludes: Mapping[str, tuple[Term, ...]] = field(default_factory=dict)
    legal_count: Mapping[str, int] = field(default_factory=dict)
    facts: tuple[Term, ...] | None = None
    holds: tuple[Term, ...] = ()
    absent: tuple[Term, ...] = ()

    @property
    def expects_something(self) -> bool:
        """True if there is any expectation."""
        by_role = (self.goals, self.legal, self.legal_includes, self.legal_excludes, self.legal_count)
        return self.terminal is not None or self.facts is not None or any((*by_role, self.holds, self.absent))


@dataclass(frozen=True, slots=True)
class Expectations:
    """All expectations about a game; `perft[d]` counts the sequences of `d` joint moves from the initial state."""

    perft: tuple[int, ...] = ()
    max_plies: int = MAX_PLIES
    ends: bool = True
    positions: tuple[Position, ...] = ()


def expectations_path(rule_file: Path) -> Path:
    """Return the path of the file with expectations about a rule file: `NAME.expect.toml` next to `NAME.kif`."""
    return rule_file.with_suffix(SUFFIX)
