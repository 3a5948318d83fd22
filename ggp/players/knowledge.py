"""The knowledge of a player in a match: the state, or its own moves and percepts, which a belief is made of."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Final, final

from ggp.belief.errors import BeliefError, SearchLimitError
from ggp.belief.samples import Samples, Step
from ggp.players.clock import Deadline
from ggp.players.player import Start, Told, Turn

if TYPE_CHECKING:
    from gdl.engine import Engine, State
    from gdl.simulator.simulator import Simulator
    from ggp.belief.belief import Belief

#: The share of the time for a move that the search for states may take.
_SHARE: Final = 0.4

#: Draws a number of states that may be the current one.
Draw = Callable[[int], Samples]


@final
class Knowledge:
    """Follows the turns of a match for one role. `reason` says why no state is known to be possible, in one line."""

    def __init__(self, start: Start, particles: int | None) -> None:
        """Begin at the start of a match, or after the plies of one that is resumed. `Belief` has the other options."""
        self._start = start
        self._particles = particles
        self._belief: Belief | None = None
        self._history = [_step(told) for told in start.past] if start.hidden else []
        self._missed = ""
        #: For the player's own choices.
        self.random = Random(start.seed)
        self.reason = ""

    def hear(self, turn: Turn) -> None:
        """Take in the ply before a turn."""
        known, before = len(self._history), turn.ply - 1
        if not self._start.hidden or before <= known:
            return
        if before > known + 1:
            self._missed = self._missed or f"what was seen of ply {known + 1} is not known, as a turn was missed"
            return
        self._history.append(_step(Told(None, turn.own_move, turn.percepts)))

    def belief(self, game: Engine, deadline: Deadline) -> Belief | None:
        """Return what the role knows where states are hidden; None if no state is found, which `reason` explains."""
        from ggp.belief.belief import Belief

        self.reason = self._missed
        if self._missed:
            return None
        try:
            if self._belief is None or self._belief.game is not game:
                start = self._start
                self._belief = Belief(game, start.role, seed=start.seed, particles=self._particles)
            # Ply by ply: what was taken in stays, even if there is no time for the next ones.
            until = monotonic() + _SHARE * deadline.left()
            for step in self._history[len(self._belief.history) :]:
                self._belief.follow([step], over=False, seconds=until - monotonic())
        except SearchLimitError:
            self.reason = "no state that agrees with the percepts was found in time"
            return None
        except BeliefError as error:
            self.reason = str(error)
            return None
        return self._belief

    def drawing(self, game: Simulator, turn: Turn, deadline: Deadline) -> Draw | None:
        """Return a function that draws states of a compiled game; None if there are none, as `reason` explains."""
        import numpy as np

        from ggp.belief.packed_worlds import PackedWorlds

        if turn.state is not None:
            row = PackedWorlds(game, 0).open(game.arrays.pack([game.state(turn.state)]))
            return lambda count: row.take(np.zeros(count, np.int64))
        belief = self.belief(game, deadline)
        return None if belief is None else belief.sample

    def states(self, game: Engine, turn: Turn, count: int, deadline: Deadline) -> list[State]:
        """Return states that may be the current one: the only one if it is not hidden; none as `reason` explains."""
        if turn.state is not None:
            return [turn.state]
        belief = self.belief(game, deadline)
        return [] if belief is None else belief.states(count)


def _step(told: Told) -> Step:
    if told.own_move is None:
        raise ValueError("a ply without an own move")
    return Step(told.own_move, frozenset(told.percepts))
