"""The base of players that search the compiled game, given what their role knows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

from gdl.terms import Term
from ggp.players.background import Background
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation, compiled_game
from ggp.players.margin import Margin, reserve
from ggp.players.player import End, Start, Turn
from ggp.players.thought import Option, Thought

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator
    from ggp.players.knowledge import Draw, Knowledge

#: What a player makes of a game to search it.
Search = TypeVar("Search")


class KnowingPlayer(ABC, Generic[Search]):
    """A player that searches states that may be the current one, as long as its clock allows.

    Until the game is compiled, or if it cannot be, it plays as `random` does; `reason` says why, in one line.
    """

    name = ""
    compiles = True

    def __init__(self, limit: int | None, particles: int) -> None:
        """Take a limit of the work for a move, in the unit of the player, and the number of states of the belief."""
        self._limit = limit
        self._particles = particles
        self._start: Start | None = None
        self._compiling: Background[Simulator] | None = None
        self._making: Background[Search] | None = None
        self._knowledge: Knowledge | None = None
        self._thought: Thought | None = None
        self._margin = Margin()
        self.reason = ""

    @property
    def limited(self) -> bool:
        """True if it was given a limit of work."""
        return self._limit is not None

    def start(self, start: Start, deadline: Deadline) -> None:
        """Compile the game, and make what searches it."""
        from ggp.players.knowledge import Knowledge

        self._start, self._thought, self.reason = start, None, ""
        self._margin = Margin()
        self._compiling = compiling = compilation(start)
        self._knowledge = Knowledge(start, self._particles)
        self._making = Background(lambda: self._made(compiled_game(compiling), start), f"preparation of {self.name}")
        search = self._making.result(deadline)
        if search is not None and deadline.at is not None and not self.limited and not start.resumed:
            self._ahead(search, deadline.earlier(reserve(deadline)))

    def move(self, turn: Turn) -> Term:
        """Search with what is known, and return a move."""
        if self._start is None or self._making is None or self._knowledge is None or self._compiling is None:
            raise RuntimeError("move() called before start()")
        self._thought = None
        knowledge = self._knowledge
        knowledge.hear(turn)
        search = self._making.ready()
        if search is None:
            self.reason = self._compiling.reason or self._making.reason or "the game is not compiled yet"
            return knowledge.random.choice(turn.legal)
        until = self._margin.begin(turn.deadline, reserve(turn.deadline))
        draw = knowledge.drawing(compiled_game(self._compiling), turn, until)
        self.reason = knowledge.reason
        if draw is None or len(turn.legal) == 1:
            return knowledge.random.choice(turn.legal)
        shares, options, work, expected = self._searched(search, draw, turn, until)
        self._margin.end()
        if not any(shares.values()):
            self.reason = "there was no time for a search"
            return knowledge.random.choice(turn.legal)
        self._thought = Thought(expected, work=work, unit="simulations", options=tuple(options), note=self.reason)
        return knowledge.random.choices(list(shares), list(shares.values()))[0]

    def thought(self) -> Thought | None:
        """Return the moves that were considered at the last move, with their mean goals."""
        return self._thought or (Thought(note=self.reason) if self.reason else None)

    def stop(self, end: End) -> None:  # noqa: ARG002
        """Forget the match."""
        self._start = self._compiling = self._making = self._knowledge = self._thought = None

    @abstractmethod
    def _made(self, game: Simulator, start: Start) -> Search:
        """Return what searches a game, with all its code loaded. Runs in a thread."""

    def _ahead(self, search: Search, deadline: Deadline) -> None:
        """Search from the initial state until the end of the start clock; by default, do not."""

    @abstractmethod
    def _searched(
        self, search: Search, draw: Draw, turn: Turn, until: Deadline
    ) -> tuple[dict[Term, float], list[Option], int, float]:
        """Search a turn that has several legal moves.

        Return how often each move should be played, all 0 without time; the moves that were considered; the number of
        simulations; and the expected goal.
        """
