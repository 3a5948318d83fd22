"""The player `learned`: a search with values of positions from a file that `ggp train` has made."""

from __future__ import annotations

from pathlib import Path

from gdl.engine import Engine
from gdl.terms import Term
from ggp.players.alphabeta import AlphaBetaPlayer
from ggp.players.alphabeta.array_file import ArrayFileError
from ggp.players.alphabeta.learned_value import Learned, read_value
from ggp.players.clock import Deadline
from ggp.players.mcts import MctsPlayer
from ggp.players.mcts.mcts import WEIGHT
from ggp.players.player import End, Start, Turn
from ggp.players.thought import Thought


class LearnedPlayer:
    """Plays as `alphabeta` does with values of a duel, and as `mcts` with those of roles.

    The values were learned before, so it needs no start clock but for compiling. It refuses games of other rules than
    those that the file was made for.
    """

    compiles = True

    def __init__(
        self,
        file: str = "",
        nodes: int | None = None,
        simulations: int | None = None,
        ponder: float = True,
        weight: float | None = None,
        *,
        limit: int | None = None,
    ) -> None:
        """Read a file, and take the options that the player of its kind has.

        `nodes` is for values of a duel. `simulations`, and the `weight` of the values against playouts, 0 to 1, are for
        those of roles. `limit` stands for either limit. Raises ArrayFileError, TypeError for options of the other kind,
        and ValueError if no file is given.
        """
        if not file:
            raise ValueError("name a file of `ggp train`: learned(FILE.learned)")
        value = read_value(file)
        if value.roles and nodes is not None:
            raise TypeError("nodes is for values of a duel; these are for mcts, whose limit is simulations")
        if not value.roles and (simulations is not None or weight is not None):
            raise TypeError("simulations and weight are for values of roles; these are for alphabeta, with nodes")
        self._value = value
        self._file = file
        given = next((one for one in (nodes, simulations, limit) if one is not None), None)
        self._player = learned_player(Learned(value, file), given, ponder, WEIGHT if weight is None else weight)
        self.name = f"learned({Path(file).name})"

    def refusal(self, game: Engine) -> str:
        """Return why it cannot play a game, in one line; empty if it can."""
        reason = self._value.refusal(game)
        return f"{self._file}: {reason}" if reason else ""

    def start(self, start: Start, deadline: Deadline) -> None:
        """Compile the game. Raises ArrayFileError if the file is not for its rules."""
        if reason := self._value.refusal(start.game):
            raise ArrayFileError(self._file, reason)
        self._player.start(start, deadline)

    def move(self, turn: Turn) -> Term:
        """Search from the state of the turn and return the best move."""
        return self._player.move(turn)

    def thought(self) -> Thought | None:
        """Return the thought of the last search."""
        return self._player.thought()

    @property
    def reason(self) -> str:
        """Why it plays without a search, in one line; empty if it does not."""
        return self._player.reason

    @property
    def limited(self) -> bool:
        """True if it was given a number of nodes or simulations."""
        return self._player.limited

    def stop(self, end: End) -> None:
        """Forget the match."""
        self._player.stop(end)


def learned_player(
    learned: Learned, limit: int | None = None, ponder: float = True, weight: float = WEIGHT
) -> AlphaBetaPlayer | MctsPlayer:
    """Return the player for learned values, with a limit of nodes or simulations a move.

    Raises TypeError for a weight that is out of range.
    """
    if not 0 <= weight <= 1:
        raise TypeError(f"weight is {weight:g}, but must be from 0 to 1")
    if learned.value.roles:
        return MctsPlayer.with_values(learned, limit, ponder, weight)
    return AlphaBetaPlayer(limit, ponder, learned=learned)
