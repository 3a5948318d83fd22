"""The player `auto`: delegates to the player that is strongest in games of the same kind.

Single-player games go to `planner`. Games of two roles that take turns, with perfect information and no chance, go to
`alphabeta`, provided that the game's circuit is not too large and that random playouts are long, and so say little
about a state. All other games (more roles, simultaneous moves, chance) go to `mcts`. docs/notes/alphabeta.md reports
the matches behind this choice.
"""

from __future__ import annotations

from time import monotonic
from typing import Final

from gdl.compile_errors import CircuitSizeError
from gdl.engine import is_nature
from gdl.terms import Term
from ggp.players.alphabeta import AlphaBetaPlayer
from ggp.players.background import Background
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation
from ggp.players.levels import HIGHEST, LEVELS, LIMITED, LevelPlayer
from ggp.players.mcts import MctsPlayer
from ggp.players.planner import PlannerPlayer
from ggp.players.player import End, Player, Start, Turn
from ggp.players.thought import Thought
from ggp.players.traits import thought_of

#: The share of the start clock that may be spent on classifying the game, and the limit in seconds.
_SHARE: Final = 0.2
_LONGEST: Final = 3.0

#: In games whose random playouts average at most this many plies, mcts was stronger (connect four has 22, battle 33);
#: in those with 40 or more, alphabeta was.
_SHORT: Final = 35


class AutoPlayer:
    """Chooses a player when the match starts and delegates to it; `chosen` is that player."""

    name = "auto"
    compiles = True

    def __init__(self, simulations: int | None = None, level: int | None = None) -> None:
        """Take a limit of simulations or nodes per move; without one, only the clock limits a move.

        With a level from 1 to 8, play like a beginner (1) or as well as possible (8). Raises TypeError for both, and
        ValueError for a level that does not exist.
        """
        if level is not None and simulations is not None:
            raise TypeError("a level has its own number of simulations")
        if level is not None and (level != int(level) or not 1 <= level <= HIGHEST):
            raise ValueError(f"level must be a whole number from 1 to {HIGHEST}, not {level}")
        self._level = HIGHEST if level is None else int(level)
        self._simulations = LIMITED if self._level == HIGHEST - 1 else simulations
        if level is not None:
            self.name = f"auto(level={self._level})"
        self.chosen: Player | None = None

    @property
    def limited(self) -> bool:
        """True if it was given a number of simulations."""
        return self._simulations is not None or self._level <= len(LEVELS)

    def start(self, start: Start, deadline: Deadline) -> None:
        """Classify the game, choose a player and start it."""
        errs = self._level <= len(LEVELS)
        self.chosen = LevelPlayer(self._level) if errs else _choice(start, deadline, self._simulations)
        self.chosen.start(start, deadline)

    def move(self, turn: Turn) -> Term | str:
        """Return the chosen player's move."""
        if self.chosen is None:
            raise RuntimeError("move() called before start()")
        return self.chosen.move(turn)

    def thought(self) -> Thought | None:
        """Return the thought of the chosen player."""
        return thought_of(self.chosen)

    def stop(self, end: End) -> None:
        """Stop the chosen player and forget it."""
        if self.chosen is not None:
            self.chosen.stop(end)
            self.chosen = None


def _choice(start: Start, deadline: Deadline, simulations: int | None) -> Player:
    roles = start.game.roles
    if start.hidden or any(map(is_nature, roles)) or len(roles) > 2:
        return MctsPlayer(simulations)
    if len(roles) == 1:
        return PlannerPlayer()
    # If the kind is not known in time, use the player that suits any game.
    seconds = min(_LONGEST, _SHARE * deadline.left())
    long = _is_long_duel(start, deadline.until(monotonic() + seconds))
    return AlphaBetaPlayer(simulations) if long else MctsPlayer(simulations)


def _is_long_duel(start: Start, deadline: Deadline) -> bool:
    """Return True if the game is a long one of two roles taking turns, with machine code for single states.

    Return False if this is not known by the deadline.
    """

    def work() -> bool:
        simulator = compilation(start).result(deadline)
        if simulator is None:
            return False
        kind = classify_game(simulator, seconds=max(0.0, deadline.left()))
        if not kind.duel or kind.plies <= _SHORT:
            return False
        try:
            return simulator.kernels is not None
        except CircuitSizeError:
            return False

    from ggp.rules.game_type import classify_game

    return Background(work, "kind of game").result(deadline, 0.0) or False
