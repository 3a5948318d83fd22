"""The interface between games and their users, such as players and matches, whatever the engine.

`gdl.Reasoner` satisfies `Engine`; other objects may, too, such as a compiled game or one written by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, runtime_checkable

from gdl.language.rulesheet import Rulesheet
from gdl.terms import Term, name_key

#: The role that stands for chance (GDL-II). The match runner chooses its moves, uniformly at random.
NATURE: Final = "random"


def is_nature(role: str) -> bool:
    """Return True if a role is the one that stands for chance. Case is ignored, as in all symbols."""
    return name_key(role) == NATURE


def player_roles(game: Engine) -> tuple[str, ...]:
    """Return the roles of a game that players take: all except chance."""
    return tuple(role for role in game.roles if not is_nature(role))


class State(Protocol):
    """A state of a game: immutable and hashable; iterates over its facts in a stable order."""

    def __iter__(self) -> Iterator[Term]:
        """Iterate over the facts."""
        ...

    def __len__(self) -> int:
        """Return the number of facts."""
        ...

    def __hash__(self) -> int:
        """Return a hash of the facts."""
        ...


class Engine(Protocol):
    """A game. States are only valid for the engine that made them; moves are terms or KIF text."""

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles, in the order of the rules."""
        ...

    def initial_state(self) -> State:
        """Return the initial state."""
        ...

    def legal_moves(self, state: Any, role: str, /) -> tuple[Term, ...]:
        """Return the legal moves of a role, sorted by their text, without duplicates."""
        ...

    def next_state(self, state: Any, moves: Mapping[str, Term | str] | Sequence[Term | str], /) -> State:
        """Return the state after a joint move, given as a mapping from roles or as moves in the order of the roles."""
        ...

    def is_terminal(self, state: Any, /) -> bool:
        """Return True if the game is over in a state."""
        ...

    def goal(self, state: Any, role: str, /) -> int:
        """Return the goal value of a role, 0 to 100. Raises `gdl.GoalError` unless there is exactly one."""
        ...


@runtime_checkable
class PerceptEngine(Protocol):
    """An engine that also knows the percepts of each role after a joint move (GDL-II)."""

    def percepts(
        self, state: Any, moves: Mapping[str, Term | str] | Sequence[Term | str], /
    ) -> Mapping[str, tuple[Term, ...]]:
        """Return the percepts of each role after a joint move."""
        ...


def hides_states(game: Engine) -> bool:
    """Return True if the roles of a game see only their percepts, not the state: its rules define `sees` (GDL-II)."""
    rulesheet = getattr(game, "rulesheet", None)
    if not isinstance(rulesheet, Rulesheet) or not isinstance(game, PerceptEngine):
        return False
    return any(True for _ in rulesheet.defining(("sees", 2)))


def rule_text(game: Engine) -> str:
    """Return the text of the rules that an engine was made from, or an empty string if there is none."""
    rulesheet = getattr(game, "rulesheet", None)
    return rulesheet.source.text if isinstance(rulesheet, Rulesheet) else ""
