"""The players `random` and `legal`, which do not search."""

from __future__ import annotations

from random import Random

from gdl.terms import Term
from ggp.players.clock import Deadline
from ggp.players.player import End, Start, Turn


class RandomPlayer:
    """Plays each legal move with the same probability."""

    name = "random"

    def __init__(self) -> None:
        """Start with seed 0, until a match brings its own."""
        self._random = Random(0)

    def start(self, start: Start, deadline: Deadline) -> None:  # noqa: ARG002
        """Take the seed of the match."""
        self._random = Random(start.seed)

    def move(self, turn: Turn) -> Term:
        """Return a random legal move."""
        return self._random.choice(turn.legal)

    def stop(self, end: End) -> None:
        """Do nothing."""


class LegalPlayer:
    """Plays the first legal move by text order."""

    name = "legal"

    def start(self, start: Start, deadline: Deadline) -> None:
        """Do nothing."""

    def move(self, turn: Turn) -> Term:
        """Return the first legal move."""
        return turn.legal[0]

    def stop(self, end: End) -> None:
        """Do nothing."""
