"""The player `mcts`: Monte Carlo tree search, for all games whose states are not hidden."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Self

from gdl.codegen.ahead import import_ahead
from gdl.terms import Term
from ggp.players.background import Background
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation, compiled_game
from ggp.players.margin import Margin, reserve
from ggp.players.mcts.options import Options
from ggp.players.meanwhile import Meanwhile
from ggp.players.player import End, Start, Turn
from ggp.players.pondering import STEP, Pondering, may_ponder
from ggp.players.resistance import Resistance, Resisting
from ggp.players.thought import Thought

if TYPE_CHECKING:
    from gdl.engine import State
    from gdl.simulator.simulator import Simulator
    from ggp.players.learned_values.value import Learned
    from ggp.players.mcts.search import Search
    from ggp.players.mcts.world import World

#: Simulations per move if no clock is running: on a compiled game, and on an engine that works state by state.
SIMULATIONS: Final = 50_000
SLOW_SIMULATIONS: Final = 200

#: Options for a search state by state, which has no lanes to fill and no time to look ahead.
SLOW: Final[dict[str, Any]] = {"leaves": 1, "playouts": 1, "lookahead": False, "memory": 1 << 27}

#: The share of the remaining start clock that may be spent on touching memory once the search is ready, and the limit
#: in seconds.
_TOUCHING_SHARE: Final = 0.3
_TOUCHING: Final = 4.0

#: The module that imports all compiled functions of the search, and the one that imports those of learned values.
_SEARCH: Final = "ggp.players.mcts.search"
_NETWORKS: Final = "ggp.players.mcts.learned_goals"

#: The weight of learned values against playouts. docs/notes/learned.md reports the matches behind it.
WEIGHT: Final = 0.9

#: The weight of the priors that come from learned values.
PRIOR: Final = 0.6

#: The share of the time for a move in which moves are compared where it cannot force more.
_RESISTING: Final = 0.5

#: Simulations when the search is created, so that all code is loaded before the clock starts.
_WARM: Final = 64


class MctsPlayer:
    """Searches as long as its clock allows, and keeps its tree from move to move.

    A game that cannot be compiled is searched on the match's engine, which is slower; `reason` says why, in one line.
    Until a search is ready, moves come from `ggp.players.meanwhile`. If states are hidden, it plays at random.
    """

    name = "mcts"
    compiles = True
    functions = (_SEARCH, _NETWORKS)

    def __init__(
        self, simulations: int | None = None, ponder: bool = True, threads: int | None = None, **options: Any
    ) -> None:
        """Take a limit of simulations per move, and options of `ggp.players.mcts.options.Options`.

        Without `ponder`, it never thinks between moves, even if the match permits it. Without `threads`, there are as
        many as the match permits; but with a limit there is one, so that the same seed leads to the same moves.

        Raises TypeError for an unknown option.
        """
        self._threads = threads
        self._simulations = simulations
        Options(**options)
        self._options = options
        self._learned: Learned | None = None
        self._weight = WEIGHT
        self._meanwhile = Meanwhile()
        self._start: Start | None = None
        self._compiling: Background[Simulator] | None = None
        self._fast: Background[Search] | None = None
        self._slow: Background[Search] | None = None
        #: The search for the last move, its simulations, and the move that it chose; None if there was no search.
        self._moved: tuple[Search, int, Term] | None = None
        self._margin = Margin()
        self._ponders = ponder
        self._pondering = Pondering()
        #: The simulations before the last move that was searched, while others were thinking.
        self._pondered = 0
        #: The thought about the last move, if the search has gone on since.
        self._told: Thought | None = None
        self._resistance: Resistance | None = None
        #: What was found where it could not force more; None if the last move was not of that kind.
        self._resisted: Resisting | None = None
        self.reason = ""

    @classmethod
    def with_values(
        cls,
        learned: Learned,
        simulations: int | None,
        ponder: bool,
        weight: float = WEIGHT,
        prior: float = PRIOR,
        exploration: float = 0.0,
        threads: int | None = None,
    ) -> Self:
        """Return a player with learned values of roles.

        States of the compiled game are worth what these say, with a weight from 0 to 1, and what playouts say, with the
        rest of it. If they count at all, they also give moves priors, with this weight, beside which UCT explores with
        the constant `exploration`.
        """
        player = cls(simulations, ponder, threads, prior=prior if weight else 0, prior_exploration=exploration)
        player._learned, player._weight = learned, weight
        return player

    def start(self, start: Start, deadline: Deadline) -> None:
        """Compile the game and search from the initial state until the deadline."""
        self._pondering.leave()
        self._start, self._moved, self._told, self._resisted = start, None, None, None
        self._resistance = Resistance(start.role, start.seed)
        self.reason = ""
        self._margin = Margin()
        self._meanwhile.start(start, deadline)
        if start.hidden:
            self.reason = "states are hidden in this game"
            return
        from gdl.simulator.simulator import Simulator

        self._compiling = compiling = compilation(start)
        options = {**self._options, "threads": start.threads_for(self._threads, limited=self.limited)}
        self._fast = Background(
            lambda: _compiled_search(compiling, start, options, self._learned, self._weight),
            "preparation of mcts",
        )
        if not isinstance(start.game, Simulator):
            # A fallback that is ready sooner, for a game that takes long to compile or does not compile at all.
            self._slow = Background(lambda: _engine_search(start, self._options), "slow preparation of mcts")
        search = self._fast.result(deadline)
        if search is not None and deadline.at is not None:
            search.touch_memory(min(_TOUCHING, _TOUCHING_SHARE * deadline.left()))
            if not self.limited:
                search.run(deadline=deadline.earlier(reserve(deadline)))
                if not start.past:
                    self._ponder(start.game.initial_state())
        if search is None and deadline.at is None and self._slow is not None:
            # Without a clock, wait, so that the same moves are played every time.
            self._slow.result()

    def move(self, turn: Turn) -> Term:
        """Search from the state of the turn and return the best move."""
        if self._start is None:
            raise RuntimeError("move() called before start()")
        self._told = None
        if not self._pondering.end(turn.deadline):
            self._moved, self.reason = None, "a step of the last search takes long"
            return self._meanwhile.move(turn)
        move = self._chosen(turn, self._start)
        if turn.state is not None:
            self._ponder(turn.state)
        return move

    def _chosen(self, turn: Turn, start: Start) -> Term:
        search, self._moved = self._search(), None
        if self._resistance is not None:
            self._resistance.saw(turn)
        if search is None or turn.state is None:
            return self._meanwhile.move(turn)
        if len(turn.legal) == 1:
            return turn.legal[0]
        until = self._margin.begin(turn.deadline, reserve(turn.deadline))
        # Where it resisted at its last move, it will probably do so again.
        until, end = until.earlier(_RESISTING * until.left()) if self._resisted is not None else until, until
        search.advance(turn.state, turn.deadline)
        limit = self._simulations
        if limit is None and turn.deadline.at is None:
            limit = SIMULATIONS if self._fast is not None and self._fast.ready() is search else SLOW_SIMULATIONS
        before = search.simulations
        search.run(deadline=until, simulations=limit)
        role = start.game.roles.index(start.role)
        self._resisted = self._resist(search, turn, role, end, limit)
        if self._resisted is not None:
            move = self._resisted.move
        else:
            move = search.soonest_win(role, turn.deadline.left()) or search.best_move(role)
        self._margin.end()
        self._moved = search, search.simulations - before, move
        self._pondered = self._pondering.taken()
        return move

    def _resist(self, search: Search, turn: Turn, role: int, end: Deadline, work: int | None) -> Resisting | None:
        """Return the move that others are most likely to answer wrongly, where nothing is lost by that."""
        from ggp.players.mcts.world import LanesWorld

        candidates = search.resisting(role)
        if candidates is None or self._resistance is None or not isinstance(search.world, LanesWorld):
            return None
        assert turn.state is not None
        if end.at is not None:
            end = end.until(monotonic() + _RESISTING * max(0.0, turn.deadline.left()))
        known = partial(search.known, role=role)
        return self._resistance.choose(search.world, turn.state, candidates, end, work, known)

    def _ponder(self, state: State) -> None:
        """Go on with the search from a state, where the other roles are still choosing."""
        search, start = self._search(), self._start
        if search is None or start is None or not self._ponders or self.limited or not may_ponder(start):
            return
        if not search.options.keep:
            return

        def think(until: Deadline) -> int:
            before = search.simulations
            search.advance(state, prune=False)
            search.run(deadline=until, glance=STEP)
            return search.simulations - before

        self._told = self.thought()
        self._pondering.begin(start, think)

    def thought(self) -> Thought | None:
        """Return the thought of the search for the last move; if there was none, the reason as a note, or None."""
        if self._told is not None:
            return self._told
        if self._moved is None or self._start is None:
            return Thought(note=self.reason) if self.reason else None
        from ggp.players.mcts.explanation import thought

        search, simulations, move = self._moved
        role = self._start.game.roles.index(self._start.role)
        note = "; ".join(filter(None, (self._resisted.note if self._resisted is not None else "", self.reason)))
        return replace(thought(search, role, move, simulations, note), pondered=self._pondered)

    @property
    def limited(self) -> bool:
        """True if it was given a number of simulations."""
        return self._simulations is not None

    @property
    def search(self) -> Search | None:
        """The current search, if there is one."""
        return self._search()

    def stop(self, end: End) -> None:
        """Forget the match."""
        self._pondering.leave()
        self._meanwhile.stop(end)
        self._told = None
        self._start = self._compiling = self._fast = self._slow = self._moved = None
        self._resistance = self._resisted = None

    def _search(self) -> Search | None:
        """Return the fastest search that is ready, and set `reason` if it is not that of the compiled game."""
        if self._fast is None or self._compiling is None:
            return None
        fast = self._fast.ready()
        if fast is not None:
            self.reason = ""
            return fast
        self.reason = self._compiling.reason or "the game is not compiled yet"
        return self._slow.ready() if self._slow else None


def _compiled_search(
    compiling: Background[Simulator], start: Start, options: dict[str, Any], learned: Learned | None, weight: float
) -> Search:
    load_search(timed=start.timed)
    goals = None
    if learned is not None and start.timed:
        import_ahead(_NETWORKS)
    simulator = compiled_game(compiling)
    from ggp.players.mcts.world import LanesWorld

    if learned is not None:
        from ggp.players.mcts.learned_goals import LearnedGoals

        goals = LearnedGoals(simulator, learned.value.networks(simulator, learned.file), weight)
    return _warm(LanesWorld(simulator, start.seed, goals), simulator.initial_state(), start, options)


def load_search(*, timed: bool = True) -> bool:
    """Load the compiled functions of the search. If a clock runs, another process compiles those that are missing."""
    if timed:
        import_ahead(_SEARCH)
    import ggp.players.mcts.search  # noqa: F401

    return True


def _engine_search(start: Start, options: dict[str, Any]) -> Search:
    load_search(timed=start.timed)
    from ggp.players.mcts.world import EngineWorld

    game = start.game
    return _warm(EngineWorld(game, start.seed), game.initial_state(), start, SLOW | options, simulations=1)


def _warm(world: World, state: State, start: Start, options: dict[str, Any], simulations: int = _WARM) -> Search:
    from ggp.players.mcts.search import Search

    search = Search(world, start.seed, Options(**options))
    search.advance(state)
    search.warm_up()
    search.run(simulations=simulations)
    return search
