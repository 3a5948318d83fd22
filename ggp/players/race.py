"""Short matches in the start clock between searches, to find out which of them suits a game.

    race = Race(Contest(simulator, plies), seconds, seed)
    results = race.run(results, "mcts", chooser, deadline)

All have the same processor time for each move, so that other work on the machine favours none. Matches come in pairs,
which begin with the same random moves. Two searches alternate over the roles, and swap in the second match of a pair;
the one whose roles have the higher mean goal wins.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import cycle
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final, Protocol, final

from gdl.engine import is_nature
from gdl.errors import GoalError
from ggp.players.mcts.options import Options
from ggp.players.player import UNKNOWN
from ggp.players.race_results import CANDIDATES, RaceResults

if TYPE_CHECKING:
    from gdl.simulator.packed_state import PackedState
    from gdl.simulator.simulator import Simulator
    from gdl.terms import Term
    from ggp.players.alphabeta.chooser import MoveChooser

#: The matches for which there is to be time, if they are as long as random playouts; and the least for which there is a
#: race. On a core that others use, there is time for half of them.
_MATCHES: Final = 8
_PAIR: Final = 2

#: The least and the most processor time for a move, in seconds, and the most as a share of the play clock. With less,
#: searches hardly begin, and the results say little: alphabeta had 8 of 15 points in othello with 5 ms, and 6 of 9 with
#: 15 ms; with 0.2 s, 9 of 12. Below the middle, fewer matches are played instead.
LEAST: Final = 0.01
_MIDDLE: Final = 0.02
MOST: Final = 0.1
_SHARE: Final = 0.25

#: A step of `mcts` takes about this share of the time for a move.
_STEP: Final = 0.1

#: In so little time, a step begins with more leaves than in a match, as a share of the root's visits: small steps would
#: take most of the time. In 20 ms of connect four, there are then 30,000 simulations instead of 2,000.
_LEAVES: Final = 0.5

#: The most random moves with which a match begins.
_OPENING: Final = 4

#: A match is a draw once it has more plies than this: a multiple of those of random playouts, and some more.
_LONG: Final = 4.0
_MORE: Final = 40

#: Bytes for the tree of a search.
_MEMORY: Final = 1 << 26


@final
@dataclass(frozen=True, slots=True)
class Contest:
    """A compiled game of several roles, and what a race has to know about it.

    - `plies`: the mean length of random playouts.
    - `together`: the share of the states in which several roles have a choice.
    - `duel`: True if `alphabeta` can play it, as two roles take turns.
    """

    game: Simulator
    plies: float
    together: float = 0.0
    duel: bool = True

    @property
    def players(self) -> list[int]:
        """The numbers of the roles that are not chance."""
        return [number for number, role in enumerate(self.game.roles) if not is_nature(role)]

    @property
    def choices(self) -> float:
        """An upper bound on the mean number of choices in a random playout, but at least 1."""
        return max(1.0, self.plies * (1 + self.together * (len(self.players) - 1)))


class Entrant(Protocol):
    """A search that takes part in a race, for any role."""

    def begin(self) -> None:
        """Forget the last match."""
        ...

    def choose(self, state: PackedState, role: int, time_left: Callable[[], float]) -> Term | None:
        """Return a move of a role that has a choice, found while there is time; None if there was none."""
        ...


@final
class TreeEntrant:
    """The search of `mcts`."""

    def __init__(self, simulator: Simulator, seed: int, options: Mapping[str, Any]) -> None:
        """Make the search. This loads its code."""
        from ggp.players.mcts.search import Search
        from ggp.players.mcts.world import LanesWorld

        kept = Options(**{**options, "memory": _MEMORY, "leaves_share": _LEAVES})
        self._search = Search(LanesWorld(simulator, seed), seed, kept)
        self._search.advance(simulator.initial_state())
        self._search.warm_up()

    def begin(self) -> None:
        """Empty the tree."""
        self._search.forget()

    def choose(self, state: PackedState, role: int, time_left: Callable[[], float]) -> Term | None:
        """Return the best move."""
        self._search.advance(state)
        self._search.run(stop=lambda: time_left() <= 0, glance=_STEP * time_left())
        return self._search.best_move(role)


@final
class AlphaBetaEntrant:
    """The search of `alphabeta`, with what it has learned."""

    def __init__(self, chooser: MoveChooser) -> None:
        """Take the search."""
        self._chooser = chooser

    def begin(self) -> None:
        """Forget the values of positions, and the states of the last match."""
        self._chooser.forget()

    def choose(self, state: PackedState, role: int, time_left: Callable[[], float]) -> Term | None:
        """Return the best move, and remember the state."""
        move = self._chooser.best(state.bits, role, time_left)
        self._chooser.remember(state.bits)
        return move


@final
class Race:
    """Races in one game."""

    def __init__(self, contest: Contest, seconds: float, seed: int, clock: float | None = None) -> None:
        """Take the game, the seconds for the race, and those that the match gives a move."""
        #: The game, and what is known about it.
        self.contest = contest
        self.game = contest.game
        choices = contest.choices
        self._longest = _LONG * contest.plies + _MORE
        self._random = Random(seed)
        self._seed = seed
        self._clock = clock
        self.seconds = seconds
        most = MOST if clock is None else max(LEAST, min(MOST, _SHARE * clock))
        #: The processor time for a move, in seconds.
        self.budget = min(most, max(seconds / _MATCHES, min(_MIDDLE * choices, seconds / _PAIR)) / choices)
        self._entrants: dict[str, Entrant] = {}

    def shorter(self, plies: float) -> Race:
        """Return this race for matches of fewer plies; itself if they are not known, or not fewer."""
        if not 0 < plies < self.contest.plies:
            return self
        return Race(replace(self.contest, plies=plies), self.seconds, self._seed, self._clock)

    @property
    def fair(self) -> bool:
        """True if there is enough time for a move."""
        return self.budget >= LEAST

    def run(
        self, results: RaceResults, favourite: str, chooser: MoveChooser | None, time_left: Callable[[], float]
    ) -> RaceResults:
        """Return results with those of as many matches as there is time for, or as are needed for a decision.

        `chooser` is the search of `alphabeta`, if that takes part.
        """
        openings: dict[tuple[str, str], PackedState] = {}
        while (rival := results.rival(best := results.best(favourite))) is not None:
            first, second = self._entrant(best, chooser), self._entrant(rival, chooser)
            seat = results.between(best, rival).matches % 2
            if not seat or (best, rival) not in openings:
                openings[best, rival] = self._opening()
            goals = self._match(openings[best, rival], (second, first) if seat else (first, second), time_left)
            if goals is None:
                break
            results = results.after(best, rival, goals[seat], goals[1 - seat])
        return results

    def _entrant(self, name: str, chooser: MoveChooser | None) -> Entrant:
        if name not in self._entrants:
            if name != "alphabeta":
                self._entrants[name] = TreeEntrant(self.game, self._seed, CANDIDATES[name])
            elif chooser is not None:
                self._entrants[name] = AlphaBetaEntrant(chooser)
        return self._entrants[name]

    def _opening(self) -> PackedState:
        """Return the state after some random moves, or the initial state if the game may be over so soon."""
        game = self.game
        state = game.initial_state()
        for _ in range(self._random.randint(0, _OPENING)):
            state = game.next_state(state, [self._random.choice(game.legal_moves(state, role)) for role in game.roles])
            if game.is_terminal(state):
                return game.initial_state()
        return state

    def _match(
        self, state: PackedState, seats: tuple[Entrant, Entrant], time_left: Callable[[], float]
    ) -> tuple[float, float] | None:
        """Return the mean goals at the end of a match, equal ones if it takes too long; None if the time is up before.

        Without time for a match of the usual length, none begins: others need the time.
        """
        game, players = self.game, self.contest.players
        if time_left() < self.contest.choices * self.budget:
            return None
        entrants = dict(zip(players, cycle(seats)))
        for entrant in seats:
            entrant.begin()
        plies = 0
        while not game.is_terminal(state):
            if plies > self._longest:
                return 0.0, 0.0
            if time_left() <= 0:
                return None
            moves = [self._move(state, number, entrants.get(number)) for number in range(len(game.roles))]
            state = game.next_state(state, moves)
            plies += 1
        goals = [self._goal(state, number) for number in players]
        return fmean(goals[::2]), fmean(goals[1::2])

    def _goal(self, state: PackedState, role: int) -> float:
        try:
            return self.game.goal(state, self.game.roles[role])
        except GoalError:
            return 100 * UNKNOWN

    def _move(self, state: PackedState, role: int, entrant: Entrant | None) -> Term:
        legal = self.game.legal_moves(state, self.game.roles[role])
        if len(legal) == 1:
            return legal[0]
        if entrant is None:
            return self._random.choice(legal)
        until = time.thread_time() + self.budget
        return entrant.choose(state, role, lambda: until - time.thread_time()) or self._random.choice(legal)
