"""The player `alphabeta`: iterative deepening within the time limit, for games of two roles that take turns."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Final

from gdl.codegen.ahead import import_ahead
from gdl.errors import GdlError
from gdl.terms import Term
from ggp.players.alphabeta.image_search import ImageSearch
from ggp.players.background import Background
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation, compiled_game
from ggp.players.learned_values.value import Learned, unfit
from ggp.players.margin import Margin
from ggp.players.meanwhile import Meanwhile
from ggp.players.player import End, Start, Turn
from ggp.players.pondering import Pondering, may_ponder
from ggp.players.thought import Thought

if TYPE_CHECKING:
    from gdl.engine import State
    from ggp.players.alphabeta.chooser import MoveChooser

#: The module that imports all compiled functions of the search.
_SEARCH: Final = "ggp.players.alphabeta.chooser"

#: Seconds of a clock held in reserve, and, in addition, this share of the time left.
MARGIN: Final = 0.025
SHARE: Final = 0.02

#: Seconds for writing down what was learned.
_KEEPING: Final = 0.05

#: Lessons end after this many seconds, however long the start clock is.
LONGEST_LESSONS: Final = 60.0

#: The share of the start clock that is spent on random playouts.
PLAYOUTS: Final = 0.2

#: Nodes per move if no clock is running.
NODES: Final = 200_000


class AlphaBetaPlayer:
    """Searches by iterative deepening, with an evaluation learned from games against itself during the start clock.

    It plays as `mcts` does without a search in games that it does not support (not two roles, hidden states, chance),
    in games that cannot be compiled, and until the game is compiled; `reason` says why, in one line.
    """

    name = "alphabeta"
    compiles = True
    functions = (_SEARCH,)

    def __init__(
        self,
        nodes: int | None = None,
        ponder: bool = True,
        remember: bool = True,
        threads: int | None = None,
        *,
        learned: Learned | None = None,
    ) -> None:
        """Take a limit of nodes per move; without one, only the clock limits a move, or `NODES` if none is running.

        Without `ponder`, it never thinks between moves, even if the match permits it. Without `remember`, it learns
        nothing for later matches of the game, nor from earlier ones. Without `threads`, there are as many as the match
        permits; but with a limit there is one, so that the same seed leads to the same moves. With learned values,
        there is nothing to learn during the start clock.
        """
        self._threads = threads
        self._nodes = nodes
        self._learned = learned
        self._meanwhile = Meanwhile()
        self._start: Start | None = None
        self._preparing: Background[MoveChooser] | None = None
        self._random = Random(0)
        self._began = 0.0
        self._margin = Margin()
        self._images = ImageSearch()
        self._ponders = ponder
        self._remembers = remember
        self._pondering = Pondering()
        #: The nodes before the last move that was searched, while the other role was thinking.
        self._pondered = 0
        #: The thought about the last move, if the search has gone on since.
        self._told: Thought | None = None
        #: Why it plays as `greedy` does, in one line; empty if it does not.
        self.reason = ""

    def start(self, start: Start, deadline: Deadline) -> None:
        """Compile the game and learn to evaluate its positions until the deadline."""
        self.prepare(start, deadline)
        self.learn(deadline)

    def prepare(self, start: Start, deadline: Deadline) -> None:
        """Begin the start of a match, without waiting. `learn` completes it."""
        self._pondering.leave()
        self._images.end()
        self._start, self._told = start, None
        self._random = Random(start.seed)
        self._margin = Margin()
        self._meanwhile.start(start, deadline)
        self.reason = "states are hidden in this game" if start.hidden else unfit(start.game)
        self._preparing = None
        if self.reason:
            return
        began = self._began = monotonic()
        learned, remembers = self._learned, self._remembers and start.timed and not self.limited
        images = self._images = ImageSearch()
        threads = start.threads_for(self._threads, limited=self.limited)
        self._preparing = Background(
            lambda: _prepare(start, deadline, began, learned, images, remembers=remembers, threads=threads),
            "preparation of alphabeta",
        )

    def chooser(self, deadline: Deadline) -> MoveChooser | None:
        """Return the search if it is ready by the deadline. It may be used until `learn` is called."""
        return None if self._preparing is None else self._preparing.result(deadline, MARGIN)

    def learn(self, deadline: Deadline) -> None:
        """Learn from games against itself until the deadline, if the search is ready."""
        chooser = self.chooser(deadline)
        if chooser is None or self._start is None:
            return
        if self._learned is None:
            lessons = deadline.earlier(MARGIN + _KEEPING).until(self._began + LONGEST_LESSONS)
            chooser.learn_games(None if deadline.at is None else lessons.left)
        self._images.end()
        if not self._start.past:
            self._ponder(chooser, self._start.game.initial_state())

    def move(self, turn: Turn) -> Term:
        """Search from the state of the turn and return the best move."""
        if self._start is None:
            raise RuntimeError("move() called before start()")
        self._told = None
        if self._preparing is None:
            return self._meanwhile.move(turn)
        if not self._pondering.end(turn.deadline):
            self.reason = "a step of the last search takes long"
            return self._meanwhile.move(turn)
        chooser = self._preparing.ready()
        if chooser is None or turn.state is None:
            self.reason = self._preparing.reason or "the game is not compiled yet"
            return self._meanwhile.move(turn)
        try:
            bits = chooser.bits(turn.state)
        except GdlError as error:  # the match's rules differ from those announced
            self.reason = str(error)
            return self._meanwhile.move(turn)
        self.reason = ""
        chooser.saw(turn)
        chooser.found = None
        move: Term | None = turn.legal[0]
        if len(turn.legal) > 1:
            timed = turn.deadline.at is not None
            nodes = self._nodes if timed or self._nodes is not None else NODES
            self._margin.begin(turn.deadline, MARGIN + SHARE * turn.deadline.left() if timed else 0.0)
            move = chooser.choose(bits, self._margin.look, nodes)
            self._margin.end()
            self._pondered = self._pondering.taken()
        chooser.remember(bits)
        self._ponder(chooser, turn.state)
        return self._random.choice(turn.legal) if move is None else move

    def _ponder(self, chooser: MoveChooser, state: State) -> None:
        """Go on with the search from a state, where the other role is still choosing."""
        start = self._start
        if start is None or not self._ponders or self.limited or not may_ponder(start):
            return
        self._told = self.thought()
        self._pondering.begin(start, lambda until: chooser.ponder(state, until.left))

    def thought(self) -> Thought | None:
        """Return the thought of the last search; None before the first. Playing as `greedy`, return the reason."""
        if self._told is not None:
            return self._told
        chooser = self._preparing.ready() if self._preparing is not None else None
        if chooser is None or chooser.found is None or self.reason:
            return Thought(note=self.reason) if self.reason else None
        found = chooser.thought()
        return None if found is None else replace(found, pondered=self._pondered)

    @property
    def limited(self) -> bool:
        """True if it was given a number of nodes."""
        return self._nodes is not None

    def stop(self, end: End) -> None:
        """Forget the match."""
        self._pondering.leave()
        self._images.end()
        self._meanwhile.stop(end)
        self._told = None
        self._start = self._preparing = None


def _prepare(
    start: Start,
    deadline: Deadline,
    began: float,
    learned: Learned | None,
    images: ImageSearch,
    *,
    remembers: bool,
    threads: int,
) -> MoveChooser:
    """Do the work of the start: compile the game, make the search, and learn a first evaluation from playouts."""
    compiling = compilation(start)
    if start.timed:
        import_ahead(_SEARCH)
    simulator = compiled_game(compiling)
    from ggp.players.alphabeta.chooser import MoveChooser

    if learned is not None:
        network = learned.value.network(simulator, learned.file)
        return MoveChooser(simulator, start.role, start.seed, network, threads=threads)
    if start.timed:
        images.begin(simulator, duel=True, seconds=deadline.left())
        chooser = MoveChooser(
            simulator, start.role, start.seed, images=images.ready, remembers=remembers, threads=threads
        )
        if chooser.states:
            return chooser
    else:  # When they are found differs from match to match.
        chooser = MoveChooser(simulator, start.role, start.seed, threads=threads)
    # If compiling has used up the share, learn from just a few playouts.
    share = deadline if deadline.at is None else replace(deadline, at=monotonic() + (deadline.at - began) * PLAYOUTS)
    chooser.learn_playouts(share.left)
    return chooser
