"""The player `ismcts`: Monte Carlo tree search over information sets, for hidden information and moves at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl.terms import Term
from ggp.players.background import Background
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation, compiled_game
from ggp.players.margin import Margin, reserve
from ggp.players.player import End, Start, Turn
from ggp.players.thought import Option, Thought

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator
    from ggp.players.ismcts.search import Choice, Search
    from ggp.players.knowledge import Knowledge

#: Simulations per move if no clock is running.
SIMULATIONS: Final = 20_000

#: Simulations when the search is made, so that all code is loaded before the clock starts.
_WARM: Final = 64


class IsmctsPlayer:
    """Searches with what each role knows, as long as its clock allows.

    Where several roles choose at once it mixes its moves by regret matching, so that it cannot be found out. Until the
    game is compiled, or if it cannot be, it plays as `random` does; `reason` says why, in one line.
    """

    name = "ismcts"
    compiles = True

    def __init__(
        self,
        simulations: int | None = None,
        particles: int = 4096,
        exploration: float = 0.7,
        explored: float = 0.2,
        matching: int = 0,
    ) -> None:
        """Take a limit of simulations per move, the number of states in the belief, and options of the search.

        `exploration` is its weight in UCB1, `explored` its share in regret matching. With `matching` 1, regret matching
        is used even where one role chooses. Raises ValueError for numbers that make no sense.
        """
        if (simulations is not None and simulations < 1) or particles < 1 or exploration < 0 or matching not in (0, 1):
            raise ValueError("ismcts needs 1 simulation and particle or more, exploration from 0 on, matching 0 or 1")
        if not 0 < explored <= 1:
            raise ValueError(f"explored must be more than 0 and at most 1, not {explored}")
        self._simulations = simulations
        self._particles = particles
        self._options = exploration, explored, bool(matching)
        self._start: Start | None = None
        self._compiling: Background[Simulator] | None = None
        self._making: Background[Search] | None = None
        self._knowledge: Knowledge | None = None
        self._moved: tuple[int, list[Choice]] | None = None
        self._margin = Margin()
        self.reason = ""

    @property
    def limited(self) -> bool:
        """True if it was given a number of simulations."""
        return self._simulations is not None

    def start(self, start: Start, deadline: Deadline) -> None:
        """Compile the game, and search from the initial state until the deadline."""
        from ggp.players.knowledge import Knowledge

        self._start, self._moved, self.reason = start, None, ""
        self._margin = Margin()
        self._compiling = compiling = compilation(start)
        self._knowledge = Knowledge(start, self._particles)

        def make() -> Search:
            from ggp.players.ismcts.search import Search

            exploration, explored, matching = self._options
            search = Search(
                *(compiled_game(compiling), start.role, start.seed),
                exploration=exploration,
                explored=explored,
                matching=matching,
            )
            search.run(search.worlds.initial, simulations=_WARM)
            return search

        self._making = Background(make, "preparation of ismcts")
        search = self._making.result(deadline)
        if search is not None and deadline.at is not None and not self.limited and not start.resumed:
            search.run(search.worlds.initial, deadline=deadline.earlier(reserve(deadline)))

    def move(self, turn: Turn) -> Term:
        """Search with what is known and return a move, drawn if it should be."""
        if self._start is None or self._making is None or self._knowledge is None or self._compiling is None:
            raise RuntimeError("move() called before start()")
        self._moved = None
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
        limit = self._simulations
        if limit is None and turn.deadline.at is None:
            limit = SIMULATIONS
        before = search.simulations
        search.run(draw, deadline=until, simulations=limit)
        choices = [choice for choice in search.choices(draw(1)) if choice.move in turn.legal]
        self._margin.end()
        self._moved = search.simulations - before, choices
        if not choices or not any(choice.probability for choice in choices):
            self.reason = "there was no time for a search"
            return knowledge.random.choice(turn.legal)
        return knowledge.random.choices(choices, [choice.probability for choice in choices])[0].move

    def thought(self) -> Thought | None:
        """Return the moves that were considered at the last move, with their mean goals."""
        if self._moved is None or not self._moved[1]:
            return Thought(note=self.reason) if self.reason else None
        simulations, choices = self._moved
        visits = sum(choice.visits for choice in choices)
        expected = sum(choice.visits * choice.value for choice in choices) / max(1, visits)
        options = tuple(Option(choice.move.text, choice.visits, 100 * choice.value) for choice in choices)
        return Thought(100 * expected, work=simulations, unit="simulations", options=options, note=self.reason)

    def stop(self, end: End) -> None:  # noqa: ARG002
        """Forget the match."""
        self._start = self._compiling = self._making = self._knowledge = self._moved = None
