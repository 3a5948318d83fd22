"""What is expected of a game: counts of joint moves, and positions with what holds in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from gdl.errors import TextError
from gdl.reasoner.state import State
from gdl.terms import Term

SUFFIX: Final = ".expect.toml"

#: Playouts are cut off here where neither the caller nor the file says otherwise.
MAX_PLIES: Final = 1000


class ExpectationError(TextError):
    """An expectation file was refused."""


@dataclass(frozen=True, slots=True)
class Position:
    """A start state, a line of joint moves, and what is expected where it ends.

    `place` is file and line. A joint move may leave out roles that have one legal move only. `legal` holds all the
    legal moves of a role, `facts` all the facts of the state. What is None or empty is not expected of anything.
    """

    name: str
    place: str
    start: State
    joint_moves: tuple[Mapping[str, Term], ...] = ()
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
        """Whether anything at all is expected here."""
        by_role = (self.goals, self.legal, self.legal_includes, self.legal_excludes, self.legal_count)
        return self.terminal is not None or self.facts is not None or any((*by_role, self.holds, self.absent))


@dataclass(frozen=True, slots=True)
class Expectations:
    """All that is expected of a game; `perft[d]` counts the sequences of `d` joint moves from the initial state."""

    perft: tuple[int, ...] = ()
    max_plies: int = MAX_PLIES
    ends: bool = True
    positions: tuple[Position, ...] = ()


def expectations_path(rule_file: Path) -> Path:
    """The file with what is expected of a rule file: `NAME.expect.toml` beside `NAME.kif`."""
    return rule_file.with_suffix(SUFFIX)
