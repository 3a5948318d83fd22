"""The player `learned`: a search with values of positions from a file that `ggp train` has made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gdl.engine import Engine
from gdl.terms import Term
from ggp.players.alphabeta import AlphaBetaPlayer
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation
from ggp.players.learned_values.array_file import ArrayFileError
from ggp.players.learned_values.value import ALPHABETA, MCTS, Learned, read_value
from ggp.players.mcts import MctsPlayer
from ggp.players.mcts.mcts import PRIOR, WEIGHT
from ggp.players.player import End, Start, Turn
from ggp.players.thought import Thought


class LearnedPlayer:
    """Plays as `alphabeta` does with values of a duel, and as `mcts` with those of roles, or if the file says so.

    The values were learned before, so it needs no start clock but for compiling. It refuses games of other rules than
    those that the file was made for.
    """

    compiles = True
    functions = (*AlphaBetaPlayer.functions, *MctsPlayer.functions)

    def __init__(
        self,
        file: str = "",
        nodes: int | None = None,
        simulations: int | None = None,
        ponder: bool = True,
        weight: float | None = None,
        prior: float | None = None,
        exploration: float | None = None,
        threads: int | None = None,
        *,
        limit: int | None = None,
    ) -> None:
        """Read a file, and take the options of either search, which then is the one that plays.

        `nodes` is for `alphabeta`, which needs values of a duel. `simulations`, the `weight` of the values against
        playouts, 0 to 1, that of the `prior` probabilities that they give to moves, and the constant of the
        `exploration` by UCT beside these are for `mcts`. `limit` stands for either limit, and `threads` is for either
        search. Raises ArrayFileError, TypeError for options that do not go together, and ValueError if no file is
        given.
        """
        if not file:
            raise ValueError("name a file of `ggp train`: learned(FILE.learned)")
        by_mcts = any(option is not None for option in (simulations, weight, prior, exploration))
        if by_mcts and nodes is not None:
            raise TypeError(
                "nodes is for alphabeta; simulations, weight, prior and exploration are for mcts: choose one of them"
            )
        value = read_value(file)
        if value.roles and nodes is not None:
            raise TypeError("nodes is for values of a duel; these are for mcts, whose limit is simulations")
        if by_mcts or nodes is not None:
            value = replace(value, search=MCTS if by_mcts else ALPHABETA)
        self._value = value
        self._file = file
        given = next((one for one in (nodes, simulations, limit) if one is not None), None)
        weights = WEIGHT if weight is None else weight, PRIOR if prior is None else prior, exploration
        self._player = learned_player(Learned(value, file), given, ponder, *weights, threads)
        self.name = f"learned({Path(file).name})"

    def refusal(self, game: Engine) -> str:
        """Return why it cannot play a game, in one line; empty if it can."""
        reason = self._value.refusal(game)
        return f"{self._file}: {reason}" if reason else ""

    def doubt(self) -> str:
        """Return why `auto` does not play with the values, in a few words; empty if it does."""
        return self._value.doubt()

    def start(self, start: Start, deadline: Deadline) -> None:
        """Compile the game. Raises ArrayFileError if the file is not for its rules, or does not fit it."""
        if reason := self._value.refusal(start.game):
            raise ArrayFileError(self._file, reason)
        self._player.start(start, deadline)
        simulator = compilation(start).ready()
        if simulator is not None and (reason := self._value.refusal(simulator)):
            raise ArrayFileError(self._file, reason)

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
    learned: Learned,
    limit: int | None = None,
    ponder: bool = True,
    weight: float = WEIGHT,
    prior: float = PRIOR,
    exploration: float | None = None,
    threads: int | None = None,
) -> AlphaBetaPlayer | MctsPlayer:
    """Return the player for learned values, with a limit of nodes or simulations a move, and a number of threads.

    `weight`, `prior` and `exploration` are for `mcts`; the last is that of the file if it is None.
    """
    if learned.value.search == MCTS:
        exploration = learned.value.exploration if exploration is None else exploration
        return MctsPlayer.with_values(learned, limit, ponder, weight, prior, exploration, threads)
    return AlphaBetaPlayer(limit, ponder, threads=threads, learned=learned)
