"""Levels of strength, from beginner to expert, for people who want a game and not a lesson.

A level has a budget of simulations, which limits how far it sees, and a temperature, which makes it err: of the moves
that the search rates, it plays each with a probability that falls with what the move seems to give away. So small
mistakes are more frequent than large ones, and even the lowest level seldom overlooks what can be seen at once. The
budget counts simulations, not seconds, so that a level is as strong on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from random import Random
from typing import Final, final

from gdl.terms import Term
from ggp.players.clock import Deadline
from ggp.players.greedy import GreedyPlayer
from ggp.players.ismcts import IsmctsPlayer
from ggp.players.mcts import MctsPlayer
from ggp.players.player import End, Start, Turn
from ggp.players.thought import Thought


@final
@dataclass(frozen=True, slots=True)
class Level:
    """The simulations for a move, and the temperature, in points of the goal."""

    simulations: int
    temperature: float


#: The levels that err, from the lowest on.
LEVELS: Final = (
    Level(30, 25.0),
    Level(60, 14.0),
    Level(150, 8.0),
    Level(400, 5.0),
    Level(1_200, 3.0),
    Level(5_000, 1.5),
)

#: After these comes the player that suits the game, with this many simulations or nodes for a move, and then the same
#: player without limits.
LIMITED: Final = 20_000

#: The number of levels.
HIGHEST: Final = len(LEVELS) + 2

#: Bytes for the tree, which is small.
_MEMORY: Final = 1 << 26


@final
class LevelPlayer:
    """Plays at a level that errs.

    Until its search is ready, it plays as `greedy` does, or at random where states are hidden.
    """

    name = "level"
    compiles = True
    limited = True

    def __init__(self, level: int) -> None:
        """Take a level from 1 to `len(LEVELS)`."""
        self._level = LEVELS[level - 1]
        #: The search: where states are hidden, one that keeps to what its role knows.
        self._player: MctsPlayer | IsmctsPlayer = self._open()
        self._greedy = GreedyPlayer()
        self._random = Random(0)
        self._role = 0
        #: The search was asked for the last move.
        self._searched = False

    def start(self, start: Start, deadline: Deadline) -> None:
        """Prepare the search."""
        self._random = Random(start.seed)
        self._role = start.game.roles.index(start.role)
        self._player = IsmctsPlayer(self._level.simulations) if start.hidden else self._open()
        self._player.start(start, deadline)
        self._greedy.start(start, deadline)

    def _open(self) -> MctsPlayer:
        return MctsPlayer(self._level.simulations, keep=0, memory=_MEMORY)

    def move(self, turn: Turn) -> Term:
        """Return a move that seems good enough."""
        if isinstance(self._player, IsmctsPlayer):
            return self._from_knowledge(self._player, turn)
        self._searched = self._player.search is not None and turn.state is not None
        if not self._searched:
            return self._greedy.move(turn)
        best = self._player.move(turn)
        search = self._player.search
        if len(turn.legal) == 1 or search is None:
            return best
        rated = {one.move: one.goal if one.visits or one.proven else None for one in search.statistics(self._role)}
        return _choice(rated, self._level.temperature, self._random)

    def _from_knowledge(self, player: IsmctsPlayer, turn: Turn) -> Term:
        """Return a move where states are hidden. Without a search, it is any legal move."""
        move = player.move(turn)
        thought = player.thought()
        self._searched = thought is not None and bool(thought.options)
        if thought is None or not self._searched:
            return move
        goals = {option.move: option.goal for option in thought.options if option.visits}
        return _choice({one: goals.get(one.text) for one in turn.legal}, self._level.temperature, self._random)

    def thought(self) -> Thought | None:
        """Return the thought of the search for the last move, if there was one."""
        return self._player.thought() if self._searched else None

    def stop(self, end: End) -> None:
        """Forget the match."""
        self._player.stop(end)
        self._greedy.stop(end)


def _choice(goals: Mapping[Term, float | None], temperature: float, random: Random) -> Term:
    """Return a move: each `temperature` that it is worse than the best makes it less probable by the factor e.

    Moves whose goals are not known, since they were not tried, count as the worst of the others.
    """
    known = [goal for goal in goals.values() if goal is not None]
    worst, best = min(known, default=0.0), max(known, default=0.0)
    weights = [exp(((worst if goal is None else goal) - best) / temperature) for goal in goals.values()]
    return random.choices(list(goals), weights)[0]
