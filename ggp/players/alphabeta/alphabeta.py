"""The player `alphabeta`: looks as many plies ahead as its time allows, in games of two roles that take turns."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Final

from gdl.engine import is_nature
from gdl.errors import GdlError
from gdl.terms import Term
from ggp.players.clock import Deadline
from ggp.players.compiled import Background, compilation
from ggp.players.greedy import GreedyPlayer
from ggp.players.player import End, Start, Turn
from ggp.players.thought import Thought

if TYPE_CHECKING:
    from ggp.players.alphabeta.thinker import Thinker

#: Seconds of the play clock that are kept back.
MARGIN: Final = 0.025

#: Lessons end after so many seconds, however long the start clock is.
LONGEST_LESSONS: Final = 60.0

#: The share of the start clock that is spent on random playouts.
PLAYOUTS: Final = 0.2

#: Nodes of a move where no clock runs.
NODES: Final = 200_000


class AlphaBetaPlayer:
    """Iterative deepening; what positions at the horizon are worth it has learned from games in the start clock.

    It plays as `greedy` does in games that it is not made for (other than two roles, hidden states), where a game
    cannot be compiled, and until it is: `reason` says why, in one line. `nodes` bounds the nodes of a move.
    """

    name = "alphabeta"
    compiles = True

    def __init__(self, nodes: int | None = None) -> None:
        self._nodes = nodes
        self._greedy = GreedyPlayer()
        self._start: Start | None = None
        self._preparing: Background[Thinker] | None = None
        self._random = Random(0)
        #: Why it plays as `greedy` does; empty if it does not, or not yet.
        self.reason = ""

    def start(self, start: Start, deadline: Deadline) -> None:
        self._start = start
        self._random = Random(start.seed)
        self._greedy.start(start, deadline)
        self.reason = _unfit(start)
        self._preparing = None
        if self.reason:
            return
        began = monotonic()
        self._preparing = Background(lambda: _prepare(start, deadline, began), "preparation of alphabeta")
        thinker = self._preparing.result(deadline, MARGIN)
        if thinker is not None:
            lessons = deadline.earlier(MARGIN).until(began + LONGEST_LESSONS)
            thinker.learn_games(None if deadline.at is None else lessons.left)

    def move(self, turn: Turn) -> Term:
        if self._start is None:
            raise RuntimeError("move asked for before start")
        if self._preparing is None:
            return self._greedy.move(turn)
        thinker = self._preparing.ready()
        if thinker is None or turn.state is None:
            self.reason = self._preparing.reason or "the game is not compiled yet"
            return self._greedy.move(turn)
        try:
            bits = thinker.bits(turn.state)
        except GdlError as error:  # the match plays by other rules than it said
            self.reason = str(error)
            return self._greedy.move(turn)
        self.reason = ""
        move: Term | None = turn.legal[0]
        if len(turn.legal) > 1:
            timed = turn.deadline.at is not None
            nodes = self._nodes if timed or self._nodes is not None else NODES
            move = thinker.choose(bits, lambda: turn.deadline.left() - MARGIN, nodes)
        thinker.remember(bits)
        return self._random.choice(turn.legal) if move is None else move

    def thought(self) -> Thought | None:
        """What the last search came to; None before the first, and where it plays as `greedy`."""
        thinker = self._preparing.ready() if self._preparing is not None else None
        if thinker is None or thinker.found is None or self.reason:
            return Thought(note=self.reason) if self.reason else None
        return thinker.thought()

    def stop(self, end: End) -> None:
        self._greedy.stop(end)
        self._start = self._preparing = None


def _unfit(start: Start) -> str:
    """Why a game is not one for this player; empty if it may be."""
    if start.hidden:
        return "states are hidden in this game"
    if any(map(is_nature, start.game.roles)):
        return "there is chance in this game"
    if len(start.game.roles) != 2:
        return f"this is a game of {len(start.game.roles)} roles, not of two"
    return ""


def _prepare(start: Start, deadline: Deadline, began: float) -> Thinker:
    """All that is made once: the compiled game, the search, and a first idea of what positions are worth."""
    making = compilation(start)
    simulator = making.result()
    if simulator is None:
        raise NotCompiledError(making.reason)
    from ggp.players.alphabeta.thinker import Thinker

    thinker = Thinker(simulator, start.role, start.seed)
    # Some playouts must do if that has taken longer than the start clock.
    share = deadline if deadline.at is None else replace(deadline, at=monotonic() + (deadline.at - began) * PLAYOUTS)
    thinker.learn_playouts(share.left)
    return thinker


class NotCompiledError(GdlError):
    """There is no compiled game to search in."""

    code = "not-compiled"

    def __str__(self) -> str:
        return str(self.args[0])
