"""The player `auto`: plays as the player does that is strongest in games of this kind.

One role alone is played by `planner`; two roles that take turns, with all in sight and no chance, by `alphabeta`, if
the game's circuit is not too large for that, and if random playouts are long, so that they say little about a state;
and all other games by `mcts`: more roles, moves at the same time, chance. docs/alphabeta.md has the matches behind
that.
"""

from __future__ import annotations

from time import monotonic
from typing import Final

from gdl.engine import is_nature
from gdl.errors import CircuitSizeError
from gdl.terms import Term
from ggp.players.alphabeta import AlphaBetaPlayer
from ggp.players.background import Background
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation
from ggp.players.mcts import MctsPlayer
from ggp.players.planner import PlannerPlayer
from ggp.players.player import End, Player, Start, Turn
from ggp.players.thought import Thought
from ggp.players.traits import thought_of

#: Of the start clock, so large a share may pass before the kind of a game is known; and so many seconds at most.
_SHARE: Final = 0.2
_LONGEST: Final = 3.0

#: In games whose random playouts have so many plies or fewer, mcts was the stronger one: connect four has 22, battle
#: 33; alphabeta was in those with 40 and more.
_SHORT: Final = 35


class AutoPlayer:
    """Chooses a player when the match starts; `chosen` is that player."""

    name = "auto"
    compiles = True

    def __init__(self) -> None:
        self.chosen: Player | None = None

    def start(self, start: Start, deadline: Deadline) -> None:
        self.chosen = _choice(start, deadline)
        self.chosen.start(start, deadline)

    def move(self, turn: Turn) -> Term | str:
        if self.chosen is None:
            raise RuntimeError("move asked for before start")
        return self.chosen.move(turn)

    def thought(self) -> Thought | None:
        """What the player that it chose thinks."""
        return thought_of(self.chosen)

    def stop(self, end: End) -> None:
        if self.chosen is not None:
            self.chosen.stop(end)
            self.chosen = None


def _choice(start: Start, deadline: Deadline) -> Player:
    roles = start.game.roles
    if start.hidden or any(map(is_nature, roles)) or len(roles) > 2:
        return MctsPlayer()
    if len(roles) == 1:
        return PlannerPlayer()
    # Where the kind is not known in time, it is the player for all kinds.
    seconds = min(_LONGEST, _SHARE * deadline.left())
    return AlphaBetaPlayer() if _is_long_duel(start, deadline.until(monotonic() + seconds)) else MctsPlayer()


def _is_long_duel(start: Start, deadline: Deadline) -> bool:
    """Whether two roles take turns, for long, and there is machine code for single states, as known by the deadline."""

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
