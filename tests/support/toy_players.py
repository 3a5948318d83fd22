"""Players that do what a test says."""

from __future__ import annotations

from collections.abc import Callable

from gdl.terms import Term
from ggp.match.match import AnyPlayer, play_match
from ggp.match.record import MatchRecord
from ggp.match.settings import Settings
from ggp.players import End, Start, Turn
from ggp.players.clock import Deadline
from support.toy_games import Nim

SEED = Settings(seed=1)


class Scripted:
    """Does what a test says; keeps what it was told."""

    def __init__(
        self,
        move: Callable[[Turn], object] = lambda turn: turn.legal[0],
        start: Callable[[Start, Deadline], object] = lambda *_: None,
        stop: Callable[[End], object] = lambda _: None,
    ) -> None:
        self.name = "scripted"
        self.turns: list[Turn] = []
        self.starts: list[Start] = []
        self.ends: list[End] = []
        self._move, self._start, self._stop = move, start, stop

    def start(self, start: Start, deadline: Deadline) -> None:
        self.starts.append(start)
        self._start(start, deadline)

    def move(self, turn: Turn) -> Term:
        self.turns.append(turn)
        return self._move(turn)  # type: ignore[return-value]

    def stop(self, end: End) -> None:
        self.ends.append(end)
        self._stop(end)


def fail(*_: object) -> object:
    raise ZeroDivisionError("division by\nzero")


def nim(left: AnyPlayer, right: AnyPlayer, settings: Settings = SEED, heap: int = 10) -> MatchRecord:
    return play_match(Nim(heap), {"left": left, "right": right}, settings, name="nim")
