"""What programs think of a position, as far as they tell: for those who watch.

A player that tells has the trait `ggp.players.traits.Thinker`.
"""

from __future__ import annotations

from dataclasses import dataclass


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
