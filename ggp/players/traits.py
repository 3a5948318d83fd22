"""Optional traits of players: attributes that a `Player` may have beyond the protocol.

A player class has a trait if it defines the attribute; no base class is needed:

    class MyPlayer:
        name = "mine"
        compiles = True                          # searches the compiled game, see `Compiling`

        def thought(self) -> Thought | None:     # shares its thoughts, see `Thinker`
            ...

`ggp.players.player.Correspondent` is another trait: a player that answers by messages.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from gdl.engine import Engine
from ggp.players.thought import Thought


@runtime_checkable
class Compiling(Protocol):
    """A player that searches the compiled game."""

    @property
    def compiles(self) -> bool:
        """True if the game is to be compiled before a match."""
        ...


@runtime_checkable
class Planning(Protocol):
    """A player that may look for the whole plan of a puzzle before its first move."""

    @property
    def plans(self) -> bool:
        """True if it does, and so makes use of more time to get ready."""
        ...


@runtime_checkable
class Limited(Protocol):
    """A player that may limit its work for a move by itself."""

    @property
    def limited(self) -> bool:
        """True if it does a fixed amount of work for each move if no clock is running, because a person chose one."""
        ...


@runtime_checkable
class Personal(Protocol):
    """A player that may be a person."""

    @property
    def person(self) -> bool:
        """True if a person chooses the moves here, who must not be shown what its role does not see."""
        ...


@runtime_checkable
class Particular(Protocol):
    """A player that plays only some games, and says before a match if it cannot play one."""

    def refusal(self, game: Engine) -> str:
        """Return why it cannot play a game, in one line; empty if it can."""
        ...


@runtime_checkable
class Remarking(Protocol):
    """A player that has a remark about how it plays a match."""

    @property
    def note(self) -> str:
        """The remark, in one line, from the start of a match on; empty if there is none."""
        ...


@runtime_checkable
class Thinker(Protocol):
    """A player that shares its thoughts."""

    def thought(self) -> Thought | None:
        """Return the player's view of the position at its last move, or None if it has none.

        Called between moves, from the thread that calls `move`.
        """
        ...


@runtime_checkable
class Staged(Protocol):
    """A player that says how it prepared for the match."""

    @property
    def stages(self) -> str:
        """The durations of the stages of compiling the game so far, in words."""
        ...


def stages_of(player: object) -> str:
    """Return the durations of the stages of compiling the game, in words; empty if the player has no such trait."""
    return player.stages if isinstance(player, Staged) else ""


def refusal(player: object, game: Engine) -> str:
    """Return why a player cannot play a game, in one line; empty if it can, or does not say."""
    return player.refusal(game) if isinstance(player, Particular) else ""


def note_of(player: object) -> str:
    """Return a player's remark about how it plays; empty if it has none."""
    return player.note if isinstance(player, Remarking) else ""


def compiles(player: object) -> bool:
    """Return True if a player searches the compiled game."""
    return isinstance(player, Compiling) and bool(player.compiles)


def plans(player: object) -> bool:
    """Return True if a player looks for the whole plan of a puzzle before its first move."""
    return isinstance(player, Planning) and bool(player.plans)


def limited(player: object) -> bool:
    """Return True if a player limits its work for a move by itself."""
    return isinstance(player, Limited) and bool(player.limited)


def is_person(player: object) -> bool:
    """Return True if a person chooses a player's moves on this machine or at one of its pages."""
    return isinstance(player, Personal) and bool(player.person)


def thought_of(player: object) -> Thought | None:
    """Return a player's thought at its last move; None if it does not share its thoughts or has none."""
    return player.thought() if isinstance(player, Thinker) else None
