"""Moves for a player whose search is not ready.

Once the game is compiled, they come from a search like that of `uct`, but with many playouts in machine code for each
new node. Before, or if the game cannot be compiled, they come from `uct` itself on the Reasoner, or from `greedy` if
`uct` has no time for enough simulations. Nothing else is compiled for this.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isnan
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, final

from gdl.errors import GdlError
from gdl.terms import Term
from ggp.players.background import Background
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation, compiled_game
from ggp.players.greedy import GreedyPlayer
from ggp.players.player import UNKNOWN, End, Start, Turn
from ggp.players.uct import UctPlayer, UctSearch

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator

#: The share of the time left for a move in which `greedy` looks for one.
_SHARE: Final = 0.3

#: The simulations per legal move from which the move of a search is preferred.
_ENOUGH: Final = 3

#: Playouts for each new node: as many as cost little more than one.
_PLAYOUTS: Final = 512

#: Playouts longer than this multiple of the mean length do not count: a few would take most of the time.
_LONG: Final = 2.0

#: The weight of exploration in UCB1. Means of many playouts are not far off.
_EXPLORATION: Final = 0.3

#: Goals at the end of endless playouts count less by this share. So of two sure wins, the shorter one is preferred.
_HURRY: Final = 0.1


@final
class Meanwhile:
    """Plays until a search is ready. Without a clock it plays as `greedy`, and with hidden states at random."""

    def __init__(self) -> None:
        """Start without a match."""
        self._greedy = GreedyPlayer()
        self._slow: Background[UctPlayer] | None = None
        self._fast: Background[_PlayoutSearch] | None = None

    def start(self, start: Start, deadline: Deadline) -> None:
        """Take the game of the match, and prepare the searches in threads."""
        self._greedy.start(start, deadline)
        self._slow = self._fast = None
        if deadline.at is None or start.hidden:
            return

        def slow() -> UctPlayer:
            uct = UctPlayer()
            uct.start(start, deadline)
            return uct

        compiling = compilation(start)
        self._slow = Background(slow, "preparation of uct")
        self._fast = Background(lambda: _prepared(compiled_game(compiling), start), "preparation of playouts")

    def move(self, turn: Turn) -> Term:
        """Return the move of a search if it has enough simulations, else that of `greedy`."""
        search = self._search(turn)
        if search is None or turn.deadline.at is None or len(turn.legal) == 1:
            return self._greedy.move(turn)
        glance = turn.deadline.until(monotonic() + _SHARE * max(0.0, turn.deadline.left()))
        safe = self._greedy.move(replace(turn, deadline=glance))
        found, done = search()
        return found if done >= _ENOUGH * len(turn.legal) else safe

    def _search(self, turn: Turn) -> Callable[[], tuple[Term, int]] | None:
        """Return a function that searches for a move and counts simulations; None if no search is ready."""
        if turn.state is None:
            return None
        fast = self._fast.ready() if self._fast is not None else None
        uct = self._slow.ready() if self._slow is not None else None
        if fast is not None:
            with suppress(GdlError):  # the match's rules differ from those announced
                state = fast.game.state(turn.state)
                return lambda: (fast.choose(state, turn.legal, turn.deadline, None), fast.done)
        return None if uct is None else lambda: (uct.move(turn), uct.done)

    def stop(self, end: End) -> None:
        """Forget the match."""
        self._greedy.stop(end)
        self._slow = self._fast = None


def _prepared(game: Simulator, start: Start) -> _PlayoutSearch:
    length = game.playouts(_PLAYOUTS, seed=start.seed).mean_length
    return _PlayoutSearch(game, start.role, Random(start.seed), _EXPLORATION, length)


@final
@dataclass(slots=True)
class _PlayoutSearch(UctSearch):
    """The search of `uct` on a compiled game; `length` is the mean length of playouts from the initial state.

    A simulation stands for many playouts, so the mean of few simulations says enough, and of two sure wins, the one
    that playouts reach sooner is worth more.
    """

    game: Simulator
    length: float

    def _rank(self, move: Any) -> float:
        return move.total / move.visits if move.visits else -1.0

    def _playout(self, node: Any) -> tuple[float, ...]:
        most, seed = int(_LONG * self.length) + 8, self.random.getrandbits(63)
        played = self._timed(lambda: self.game.playouts(_PLAYOUTS, node.state, seed, max_plies=most))
        share = 1 - _HURRY * played.mean_length / (played.mean_length + self.length)
        means = (played.goals[role] / 100 for role in self.game.roles)
        return tuple(UNKNOWN if isnan(mean) else UNKNOWN + share * (mean - UNKNOWN) for mean in means)
