"""The player `hyperplay2`: values what it can find out, by nested playouts."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

from gdl.terms import Term
from ggp.players.clock import Deadline, StepTime
from ggp.players.knowing import KnowingPlayer
from ggp.players.player import Start, Turn
from ggp.players.thought import Option

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator
    from ggp.players.hyperplay2.nested import NestedPlayouts
    from ggp.players.knowledge import Draw

#: Nested playouts of each move, at a time, and in all if no clock is running.
ROUND: Final = 256
PLAYOUTS: Final = 1024

#: The time that a round may take, as a multiple of the longest of the last rounds.
_CAUTION: Final = 1.5

#: A round is no smaller: with fewer states, roles would seem to know which one is the true one.
_FEWEST: Final = 32


class Hyperplay2Player(KnowingPlayer["NestedPlayouts"]):
    """Plays the move with the best mean in nested playouts, as long as its clock allows.

    Until the game is compiled, or if it cannot be, it plays as `random` does; `reason` says why, in one line.
    """

    name = "hyperplay2"

    def __init__(self, playouts: int | None = None, particles: int = 4096) -> None:
        """Take a limit of nested playouts of each move, and the number of states of the belief."""
        super().__init__(playouts, particles)
        self._times = StepTime()

    def _made(self, game: Simulator, start: Start) -> NestedPlayouts:
        from ggp.players.hyperplay2.nested import NestedPlayouts

        self._times = StepTime()
        nested = NestedPlayouts(game, start.role, start.seed)
        nested.values(nested.initial(_FEWEST), game.legal_moves(game.initial_state(), start.role))
        return nested

    def _searched(
        self, search: NestedPlayouts, draw: Draw, turn: Turn, until: Deadline
    ) -> tuple[dict[Term, float], list[Option], int, float]:
        limit = self._limit
        if limit is None and turn.deadline.at is None:
            limit = PLAYOUTS
        sums, done, size = [0.0] * len(turn.legal), 0, _FEWEST
        self._times.begin()
        while limit is None or done < limit:
            count = size if limit is None else min(ROUND, limit - done)
            if until.left() <= _CAUTION * count * self._times.slowest:
                break
            began = monotonic()
            values = search.values(draw(count), turn.legal)
            sums = [total + count * float(value) for total, value in zip(sums, values, strict=True)]
            done += count
            size = min(ROUND, 2 * size)
            self._times.add((monotonic() - began) / count)
        if not done:
            return {}, [], 0, 0.0
        options = [Option(move.text, done, 100 * total / done) for move, total in zip(turn.legal, sums, strict=True)]
        options.sort(key=lambda option: option.goal, reverse=True)
        best = {move: float(total == max(sums)) for move, total in zip(turn.legal, sums, strict=True)}
        return best, options, done * len(sums), options[0].goal
