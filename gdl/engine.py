"""What a player, a match or a screen may ask of a game, whichever engine answers.

`gdl.Reasoner` satisfies `Engine`, and so may any other object: a compiled game, or one written by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, runtime_checkable

from gdl.language.rulesheet import Rulesheet
from gdl.terms import Term

#: The role that stands for chance (GDL-II). The match runner itself moves it, uniformly at random.
NATURE: Final = "random"


def is_nature(role: str) -> bool:
    """Whether a role is the one that stands for chance: symbols are the same whatever their case."""
    return role.lower() == NATURE


def player_roles(game: Engine) -> tuple[str, ...]:
    """The roles of a game that players take: all but chance."""
    return tuple(role for role in game.roles if not is_nature(role))


class State(Protocol):
    """A position: immutable, hashable, iterates over its facts in a stable order."""

    def __iter__(self) -> Iterator[Term]: ...

    def __len__(self) -> int: ...

    def __hash__(self) -> int: ...


class Engine(Protocol):
    """A game. States are handed back only to the engine that made them; moves are terms or KIF text."""

    @property
    def roles(self) -> tuple[str, ...]: ...

    def initial_state(self) -> State: ...

    def legal_moves(self, state: Any, role: str, /) -> tuple[Term, ...]:
        """The legal moves, sorted by their text, without duplicates."""
        ...

    def next_state(self, state: Any, moves: Mapping[str, Term | str] | Sequence[Term | str], /) -> State:
        """The state after a joint move: role to move, or moves in role order."""
        ...

    def is_terminal(self, state: Any, /) -> bool: ...

    def goal(self, state: Any, role: str, /) -> int:
        """The goal value of a role, 0 to 100. Raises `gdl.GoalError` where there is not exactly one."""
        ...


@runtime_checkable
class PerceptEngine(Protocol):
    """An engine that also tells what each role sees of a joint move (GDL-II)."""

    def percepts(
        self, state: Any, moves: Mapping[str, Term | str] | Sequence[Term | str], /
    ) -> Mapping[str, tuple[Term, ...]]: ...


def hides_states(game: Engine) -> bool:
    """Whether the roles of a game see their percepts only, and not the state: its rules say what they see (GDL-II)."""
    rulesheet = getattr(game, "rulesheet", None)
    if not isinstance(rulesheet, Rulesheet) or not isinstance(game, PerceptEngine):
        return False
    return any(True for _ in rulesheet.defining(("sees", 2)))


def rule_text(game: Engine) -> str:
    """The text of the rules that an engine was made from; empty if it was not made from any."""
    rulesheet = getattr(game, "rulesheet", None)
    return rulesheet.source.text if isinstance(rulesheet, Rulesheet) else ""
