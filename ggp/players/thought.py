"""What programs think of a position, as far as they tell: for those who watch.

A player may have a method `thought`, which gives what it found out before its last move, or None. It is called between
moves, from the thread that asks for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Option:
    """A move that was thought about: how often, and the goal that it is expected to lead to, 0 to 100."""

    move: str
    visits: int
    goal: float
    proven: bool = False


@dataclass(frozen=True, slots=True)
class Thought:
    """What a program thinks. `expected` is its own goal, 0 to 100; `line` is how it would go on, joint moves in text.

    `work` counts in `unit`: simulations or nodes. `note` is a remark in words.
    """

    expected: float | None = None
    work: int = 0
    unit: str = ""
    depth: int = 0
    proven: bool = False
    line: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    note: str = ""


@runtime_checkable
class Thinker(Protocol):
    """A player that tells what it thinks."""

    def thought(self) -> Thought | None: ...


def thought_of(player: object) -> Thought | None:
    """What a player thought before its last move; None if it does not tell, or thought nothing."""
    return player.thought() if isinstance(player, Thinker) else None
