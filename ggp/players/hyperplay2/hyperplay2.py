"""The player `hyperplay2`: values what it can find out, by nested playouts."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

from gdl.terms import Term
from ggp.players.background import Background
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation, compiled_game
from ggp.players.margin import Margin, reserve
from ggp.players.player import End, Start, Turn
from ggp.players.step_time import StepTime
from ggp.players.thought import Option, Thought

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator
    from ggp.players.hyperplay2.nested import NestedPlayouts
    from ggp.players.knowledge import Knowledge

#: Nested playouts of each move, at a time, and in all if no clock is running.
ROUND: Final = 256
PLAYOUTS: Final = 1024

#: A round may take so many times as long as the longest of the last ones.
_CAUTION: Final = 1.5

#: A round is no smaller: with fewer states, roles would seem to know which one is the true one.
_FEWEST: Final = 32


class Hyperplay2Player:
    """Plays the move with the best mean in nested playouts, as long as its clock allows.

    Until the game is compiled, or if it cannot be, it plays as `random` does; `reason` says why, in one line.
    """

    name = "hyperplay2"
    compiles = True

    def __init__(self, playouts: int | None = None, particles: int = 4096) -> None:
        """Take a limit of nested playouts of each move, and the number of states in the belief.

        Raises ValueError if either is less than 1.
        """
        if (playouts is not None and playouts < 1) or particles < 1:
            raise ValueError("hyperplay2 needs at least 1 playout and particle")
        self._limit = playouts
        self._particles = int(particles)
        self._start: Start | None = None
        self._compiling: Background[Simulator] | None = None
        self._making: Background[NestedPlayouts] | None = None
        self._knowledge: Knowledge | None = None
        self._moved: tuple[Option, ...] = ()
        self._times = StepTime()
        self._margin = Margin()
        self.reason = ""

    @property
    def limited(self) -> bool:
        """True if it was given a number of playouts."""
        return self._limit is not None

    def start(self, start: Start, deadline: Deadline) -> None:
        """Compile the game."""
        from ggp.players.knowledge import Knowledge

        self._start, self._moved, self.reason = start, (), ""
        self._margin, self._times = Margin(), StepTime()
        self._compiling = compiling = compilation(start)
        self._knowledge = Knowledge(start, self._particles)

        def make() -> NestedPlayouts:
            from ggp.players.hyperplay2.nested import NestedPlayouts

            game = compiled_game(compiling)
            nested = NestedPlayouts(game, start.role, start.seed)
            initial = game.initial_state()
            nested.values(nested.initial(_FEWEST), game.legal_moves(initial, start.role))
            return nested

        self._making = Background(make, "preparation of hyperplay2")
        self._making.result(deadline)

    def move(self, turn: Turn) -> Term:
        """Return the move with the best mean."""
        if self._start is None or self._making is None or self._knowledge is None or self._compiling is None:
            raise RuntimeError("move() called before start()")
        self._moved = ()
        knowledge = self._knowledge
        knowledge.hear(turn)
        nested = self._making.ready()
        if nested is None:
            self.reason = self._compiling.reason or self._making.reason or "the game is not compiled yet"
            return knowledge.random.choice(turn.legal)
        until = self._margin.begin(turn.deadline, reserve(turn.deadline))
        draw = knowledge.drawing(compiled_game(self._compiling), turn, until)
        self.reason = knowledge.reason
        if draw is None or len(turn.legal) == 1:
            return knowledge.random.choice(turn.legal)
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
            values = nested.values(draw(count), turn.legal)
            sums = [total + count * float(value) for total, value in zip(sums, values, strict=True)]
            done += count
            size = min(ROUND, 2 * size)
            self._times.add((monotonic() - began) / count)
        self._margin.end()
        if not done:
            self.reason = "there was no time for a playout"
            return knowledge.random.choice(turn.legal)
        options = [Option(move.text, done, 100 * total / done) for move, total in zip(turn.legal, sums, strict=True)]
        self._moved = tuple(sorted(options, key=lambda option: option.goal, reverse=True))
        best = max(sums)
        return knowledge.random.choice([move for move, total in zip(turn.legal, sums, strict=True) if total == best])

    def thought(self) -> Thought | None:
        """Return the mean goals of the moves at the last move."""
        if not self._moved:
            return Thought(note=self.reason) if self.reason else None
        work = sum(option.visits for option in self._moved)
        return Thought(self._moved[0].goal, work=work, unit="simulations", options=self._moved, note=self.reason)

    def stop(self, end: End) -> None:  # noqa: ARG002
        """Forget the match."""
        self._start = self._compiling = self._making = self._knowledge = None
        self._moved = ()
