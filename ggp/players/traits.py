"""Optional traits of players: attributes that a `Player` may have beyond the protocol.

A player class has a trait by defining the attribute; nothing need be inherited:

    class MyPlayer:
        name = "mine"
        compiles = True                          # searches the compiled game, see `Compiling`

        def thought(self) -> Thought | None:     # shows what it thinks, see `Thinker`
            ...

`ggp.players.player.Correspondent` is another one: a player that answers by messages.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ggp.players.thought import Thought


@runtime_checkable
class Compiling(Protocol):
    """A player that searches the compiled game. With `compiles`, the game is compiled before a match."""

    @property
    def compiles(self) -> bool: ...


@runtime_checkable
class Thinker(Protocol):
    """A player that tells what it thinks."""

    def thought(self) -> Thought | None:
        """Return what it found out before its last move, or None.

        Called between moves, from the thread that asks for them.
        """
        ...


def compiles(player: object) -> bool:
    """Return True if a player searches the compiled game."""
    return isinstance(player, Compiling) and bool(player.compiles)


def thought_of(player: object) -> Thought | None:
    """The thought of a player before its last move; None if it does not tell, or thought nothing."""
    return player.thought() if isinstance(player, Thinker) else None
