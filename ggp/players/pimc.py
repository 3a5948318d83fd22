"""The player `pimc`: perfect information Monte Carlo search.

It draws states that may be the current one, searches each as if all roles knew it, and plays the move with the best
mean. In truth it will not know the state at its next move either. So it sees no value in information, and counts
on choosing differently in states that it cannot tell apart (Frank and Basin 1998, strategy fusion). In many games it is
strong nonetheless (Long, Sturtevant, Buro and Furtak 2010).
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final, final

from gdl.terms import Term
from ggp.players.background import Background
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation, compiled_game
from ggp.players.margin import Margin, reserve
from ggp.players.mcts.options import Options
from ggp.players.player import End, Start, Turn
from ggp.players.thought import Option, Thought

if TYPE_CHECKING:
    from gdl.engine import Engine
    from ggp.players.knowledge import Knowledge
    from ggp.players.mcts.search import Search

#: The number of states searched for a move, and simulations in all if no clock is running: on a compiled game, and on
#: an engine that works state by state.
STATES: Final = 24
SIMULATIONS: Final = 24_000
SLOW_SIMULATIONS: Final = 200

#: Memory in bytes for the trees of one state, which are emptied for the next.
_MEMORY: Final = 1 << 24

#: Simulations when a search is made, so that all code is loaded before the clock starts.
_WARM: Final = 64


@final
class _Searched:
    """A search, and the engine whose states it takes."""

    def __init__(self, search: Search, game: Engine) -> None:
        self.search = search
        self.game = game


class PimcPlayer:
    """Searches states that may be the current one as if they were known, as long as its clock allows.

    A game that cannot be compiled is searched on the match's engine, which is slower; `reason` says why, in one line.
    Without any state it plays at random.
    """

    name = "pimc"
    compiles = True

    def __init__(self, simulations: int | None = None, states: int = STATES, particles: int | None = None) -> None:
        """Take a limit of simulations per move, the number of states to search, and that of states of the belief."""
        self._simulations = simulations
        self._states = states
        self._particles = particles
        self._start: Start | None = None
        self._fast: Background[_Searched] | None = None
        self._slow: Background[_Searched] | None = None
        self._knowledge: Knowledge | None = None
        self._moved: tuple[int, tuple[Option, ...]] | None = None
        self._margin = Margin()
        self.reason = ""

    @property
    def limited(self) -> bool:
        """True if it was given a number of simulations."""
        return self._simulations is not None

    def start(self, start: Start, deadline: Deadline) -> None:
        """Compile the game."""
        from gdl.simulator.simulator import Simulator
        from ggp.players.knowledge import Knowledge

        self._start, self._moved, self.reason = start, None, ""
        self._margin = Margin()
        self._knowledge = Knowledge(start, self._particles)
        compiling = compilation(start)

        def fast() -> _Searched:
            from ggp.players.mcts.search import Search
            from ggp.players.mcts.world import LanesWorld

            game = compiled_game(compiling)
            search = Search(LanesWorld(game, start.seed), start.seed, Options(memory=_MEMORY))
            search.advance(game.initial_state())
            search.warm_up()
            search.run(simulations=_WARM)
            return _Searched(search, game)

        def slow() -> _Searched:
            from ggp.players.mcts.mcts import SLOW
            from ggp.players.mcts.search import Search
            from ggp.players.mcts.world import EngineWorld

            options = Options(**SLOW | {"memory": _MEMORY})
            return _Searched(Search(EngineWorld(start.game, start.seed), start.seed, options), start.game)

        self._fast = Background(fast, "preparation of pimc")
        self._slow = None if isinstance(start.game, Simulator) else Background(slow, "slow preparation of pimc")
        if self._fast.result(deadline) is None and self._slow is not None:
            self._slow.result(deadline)

    def move(self, turn: Turn) -> Term:
        """Search possible states, and return the move with the best mean."""
        if self._start is None or self._knowledge is None or self._fast is None:
            raise RuntimeError("move() called before start()")
        knowledge, self._moved = self._knowledge, None
        knowledge.hear(turn)
        fast = self._fast.ready()
        found = fast or (self._slow.ready() if self._slow is not None else None)
        if found is None:
            self.reason = self._fast.reason or "the game is not compiled yet"
            return knowledge.random.choice(turn.legal)
        until = self._margin.begin(turn.deadline, reserve(turn.deadline))
        states = knowledge.states(found.game, turn, self._states, until) if len(turn.legal) > 1 else []
        self.reason = knowledge.reason or ("" if fast else self._fast.reason)
        if not states:
            return knowledge.random.choice(turn.legal)
        limit = self._simulations
        if limit is None and turn.deadline.at is None:
            limit = SIMULATIONS if fast else SLOW_SIMULATIONS
        role = self._start.game.roles.index(self._start.role)
        before = found.search.simulations
        visits, sums, counts = (dict.fromkeys(turn.legal, 0.0) for _ in range(3))
        for number, state in enumerate(states):
            left = until.left() / (len(states) - number)
            if left <= 0:
                break
            found.search.advance(state, until)
            each = None if limit is None else -(-limit // len(states))
            found.search.run(deadline=until.until(monotonic() + left), simulations=each)
            for one in found.search.statistics(role):
                if one.move in sums and (one.visits or one.proven):
                    visits[one.move] += one.visits
                    sums[one.move] += one.goal
                    counts[one.move] += 1
        self._margin.end()
        tried = [move for move in turn.legal if counts[move]]
        if not tried:
            self.reason = "there was no time for a search"
            return knowledge.random.choice(turn.legal)
        goals = {move: sums[move] / counts[move] for move in tried}
        options = [Option(move.text, int(visits[move]), goals[move]) for move in tried]
        options.sort(key=lambda option: option.goal, reverse=True)
        self._moved = found.search.simulations - before, tuple(options)
        best = max(goals.values())
        return knowledge.random.choice([move for move in tried if goals[move] >= best - 1e-9])

    def thought(self) -> Thought | None:
        """Return the mean goals of the moves that were considered at the last move."""
        if self._moved is None:
            return Thought(note=self.reason) if self.reason else None
        simulations, options = self._moved
        return Thought(options[0].goal, work=simulations, unit="simulations", options=options, note=self.reason)

    def stop(self, end: End) -> None:  # noqa: ARG002
        """Forget the match."""
        self._start = self._fast = self._slow = self._knowledge = self._moved = None
