"""The player `ismcts`: Monte Carlo tree search over information sets, for hidden information and moves at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl.terms import Term
from ggp.players.clock import Deadline
from ggp.players.knowing import KnowingPlayer
from ggp.players.player import Start, Turn
from ggp.players.thought import Option

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator
    from ggp.players.ismcts.search import Search
    from ggp.players.knowledge import Draw

#: Simulations per move if no clock is running.
SIMULATIONS: Final = 20_000

#: Simulations when the search is made, so that all code is loaded before the clock starts.
_WARM: Final = 64


class IsmctsPlayer(KnowingPlayer["Search"]):
    """Searches with what each role knows, as long as its clock allows.

    Where several roles choose at once it mixes its moves by regret matching, so that it cannot be found out. Until the
    game is compiled, or if it cannot be, it plays as `random` does; `reason` says why, in one line.
    """

    name = "ismcts"

    def __init__(
        self,
        simulations: int | None = None,
        particles: int = 4096,
        exploration: float = 0.7,
        explored: float = 0.2,
        matching: bool = False,
    ) -> None:
        """Take a limit of simulations per move, the number of states of the belief, and options of the search.

        `exploration` is its weight in UCB1, `explored` its share in regret matching. With `matching`, regrets are
        matched even where one role chooses.
        """
        super().__init__(simulations, particles)
        self._options = exploration, explored, matching

    def _made(self, game: Simulator, start: Start) -> Search:
        from ggp.players.ismcts.search import Search

        exploration, explored, matching = self._options
        search = Search(game, start.role, start.seed, exploration=exploration, explored=explored, matching=matching)
        search.run(search.worlds.initial, simulations=_WARM)
        return search

    def _ahead(self, search: Search, deadline: Deadline) -> None:
        search.run(search.worlds.initial, deadline=deadline)

    def _searched(
        self, search: Search, draw: Draw, turn: Turn, until: Deadline
    ) -> tuple[dict[Term, float], list[Option], int, float]:
        limit = self._limit
        if limit is None and turn.deadline.at is None:
            limit = SIMULATIONS
        before = search.simulations
        search.run(draw, deadline=until, simulations=limit)
        choices = [choice for choice in search.choices(draw(1)) if choice.move in turn.legal]
        visits = sum(choice.visits for choice in choices)
        expected = sum(choice.visits * choice.value for choice in choices) / max(1, visits)
        options = [Option(choice.move.text, choice.visits, 100 * choice.value) for choice in choices]
        shares = {choice.move: choice.probability for choice in choices}
        return shares, options, search.simulations - before, 100 * expected
