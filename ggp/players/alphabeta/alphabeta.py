"""The player `alphabeta`: iterative deepening within the time limit, for games of two roles that take turns."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Final

from gdl.codegen.ahead import import_ahead
from gdl.engine import is_nature
from gdl.errors import GdlError
from gdl.terms import Term
from ggp.players.background import Background
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation, compiled_game
from ggp.players.meanwhile import Meanwhile
from ggp.players.player import End, Start, Turn
from ggp.players.thought import Thought

if TYPE_CHECKING:
    from ggp.players.alphabeta.chooser import MoveChooser

#: Seconds of the play clock held in reserve.
MARGIN: Final = 0.025

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

    def __init__(self, nodes: int | None = None) -> None:
        """Take a limit of nodes per move; without one, only the clock limits a move, or `NODES` if none is running."""
        self._nodes = nodes
        self._meanwhile = Meanwhile()
        self._start: Start | None = None
        self._preparing: Background[MoveChooser] | None = None
        self._random = Random(0)
        #: Why it plays as `greedy` does, in one line; empty if it does not.
        self.reason = ""

    def start(self, start: Start, deadline: Deadline) -> None:
        """Compile the game and learn to evaluate its positions until the deadline."""
        self._start = start
        self._random = Random(start.seed)
        self._meanwhile.start(start, deadline)
        self.reason = _unfit(start)
        self._preparing = None
        if self.reason:
            return
        began = monotonic()
        self._preparing = Background(lambda: _prepare(start, deadline, began), "preparation of alphabeta")
        chooser = self._preparing.result(deadline, MARGIN)
        if chooser is not None:
            lessons = deadline.earlier(MARGIN).until(began + LONGEST_LESSONS)
            chooser.learn_games(None if deadline.at is None else lessons.left)

    def move(self, turn: Turn) -> Term:
        """Search from the state of the turn and return the best move."""
        if self._start is None:
            raise RuntimeError("move() called before start()")
        if self._preparing is None:
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
        move: Term | None = turn.legal[0]
        if len(turn.legal) > 1:
            timed = turn.deadline.at is not None
            nodes = self._nodes if timed or self._nodes is not None else NODES
            move = chooser.choose(bits, lambda: turn.deadline.left() - MARGIN, nodes)
        chooser.remember(bits)
        return self._random.choice(turn.legal) if move is None else move

    def thought(self) -> Thought | None:
        """Return the thought of the last search; None before the first. Playing as `greedy`, return the reason."""
        chooser = self._preparing.ready() if self._preparing is not None else None
        if chooser is None or chooser.found is None or self.reason:
            return Thought(note=self.reason) if self.reason else None
        return chooser.thought()

    @property
    def limited(self) -> bool:
        """True if it was given a number of nodes."""
        return self._nodes is not None

    def stop(self, end: End) -> None:
        """Forget the match."""
        self._meanwhile.stop(end)
        self._start = self._preparing = None


def _unfit(start: Start) -> str:
    """Return the reason why a game does not suit this player; empty if it may."""
    if start.hidden:
        return "states are hidden in this game"
    if any(map(is_nature, start.game.roles)):
        return "this game has a chance role"
    if len(start.game.roles) != 2:
        return f"the number of roles in this game is {len(start.game.roles)}, not 2"
    return ""


def _prepare(start: Start, deadline: Deadline, began: float) -> MoveChooser:
    """Do the work of the start: compile the game, make the search, and learn a first evaluation from playouts."""
    compiling = compilation(start)
    if start.timed:
        import_ahead("ggp.players.alphabeta.chooser")
    simulator = compiled_game(compiling)
    from ggp.players.alphabeta.chooser import MoveChooser

    chooser = MoveChooser(simulator, start.role, start.seed)
    # If compiling has used up the share, learn from just a few playouts.
    share = deadline if deadline.at is None else replace(deadline, at=monotonic() + (deadline.at - began) * PLAYOUTS)
    chooser.learn_playouts(share.left)
    return chooser
