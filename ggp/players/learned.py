"""The player `learned`: alpha-beta search with values of positions from a file that `ggp train` has made."""

from __future__ import annotations

from pathlib import Path

from gdl.engine import Engine
from ggp.players.alphabeta import AlphaBetaPlayer
from ggp.players.alphabeta.alphabeta import Learned
from ggp.players.alphabeta.array_file import ArrayFileError
from ggp.players.alphabeta.learned_value import read_value
from ggp.players.clock import Deadline
from ggp.players.player import Start


class LearnedPlayer(AlphaBetaPlayer):
    """Plays as `alphabeta` does, with values learned before, so that it needs no start clock but for compiling.

    It refuses games of other rules than those that the file was made for.
    """

    def __init__(self, file: str = "", nodes: int | None = None, ponder: float = True) -> None:
        """Read a file, and take the options that `alphabeta` has.

        Raises ArrayFileError, and ValueError if no file is given.
        """
        if not file:
            raise ValueError("name a file of `ggp train`: learned(FILE.learned)")
        value = read_value(file)
        super().__init__(nodes, ponder, learned=Learned(value, file))
        self._value = value
        self._file = file
        self.name = f"learned({Path(file).name})"

    def refusal(self, game: Engine) -> str:
        """Return why it cannot play a game, in one line; empty if it can."""
        reason = self._value.refusal(game)
        return f"{self._file}: {reason}" if reason else ""

    def start(self, start: Start, deadline: Deadline) -> None:
        """Compile the game. Raises ArrayFileError if the file is not for its rules."""
        if reason := self._value.refusal(start.game):
            raise ArrayFileError(self._file, reason)
        super().start(start, deadline)
