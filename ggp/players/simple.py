"""The players that do not think: `random` and `legal`."""

from __future__ import annotations

from random import Random

from gdl.terms import Term
from ggp.players.clock import Deadline
from ggp.players.player import End, Start, Turn


class RandomPlayer:
    """Plays each legal move with the same probability."""

    name = "random"

    def __init__(self) -> None:
        self._random = Random(0)

    def start(self, start: Start, deadline: Deadline) -> None:  # noqa: ARG002
        self._random = Random(start.seed)

    def move(self, turn: Turn) -> Term:
        return self._random.choice(turn.legal)

    def stop(self, end: End) -> None:
        pass


class LegalPlayer:
    """Plays the first legal move in the order of their text."""

    name = "legal"

    def start(self, start: Start, deadline: Deadline) -> None:
        pass

    def move(self, turn: Turn) -> Term:
        return turn.legal[0]

    def stop(self, end: End) -> None:
        pass
