"""Thoughts: a player's own view of a position, shown to spectators.

Players that share their thoughts have the trait `ggp.players.traits.Thinker`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """A move that was considered: the number of visits, and the expected goal, 0 to 100."""

    move: str
    visits: int
    goal: float
    proven: bool = False


@dataclass(frozen=True, slots=True)
class Thought:
    """A player's view of a position.

    `expected` is the player's own expected goal, 0 to 100. `line` is the expected continuation, joint moves as text.
    `work` is the amount of search, in the `unit` simulations or nodes, and `pondered` the amount before the question.
    `note` is a remark in words. `probabilities` are those that a policy gives to moves, the highest first.
    """

    expected: float | None = None
    work: int = 0
    unit: str = ""
    depth: int = 0
    proven: bool = False
    line: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    note: str = ""
    pondered: int = 0
    probabilities: tuple[tuple[str, float], ...] = ()
