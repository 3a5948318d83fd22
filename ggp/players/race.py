"""Short matches in the start clock between searches, to find out which of them suits a game of two roles.

    race = Race(Duel(simulator, plies), seconds, seed)
    standing = race.run(first, second, time_left)
    standing.lead > 0                           # the first one won more
    race.choose(favoured, chooser, deadline)    # the player to begin the match with

Both sides have the same processor time for each move, so that other work on the machine favours neither. Matches come
in pairs, from both seats, which begin with the same random moves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import sqrt
from random import Random
from typing import TYPE_CHECKING, Final, Protocol, final

from gdl.errors import GoalError
from ggp.players.clock import Deadline
from ggp.players.mcts.options import options_of

if TYPE_CHECKING:
    from gdl.simulator.packed_state import PackedState
    from gdl.simulator.simulator import Simulator
    from gdl.terms import Term
    from ggp.players.alphabeta.chooser import MoveChooser

#: The matches for which there is to be time, if they are as long as random playouts.
_MATCHES: Final = 4

#: The least and the most processor time for a move, in seconds. With less, searches hardly begin, and the results say
#: little: alphabeta had 8 of 15 points in othello with 5 ms, and 6 of 9 with 15 ms; with 0.2 s, 9 of 12.
LEAST: Final = 0.01
MOST: Final = 0.1

#: A step of `mcts` takes about this share of the time for a move.
_STEP: Final = 0.1

#: In so little time, a step begins with more leaves than in a match, as a share of the root's visits: small steps would
#: take most of the time. Connect four has 30,000 simulations in 20 ms so, and 2,000 with the usual share.
_LEAVES: Final = 0.5

#: The most random moves with which a match begins.
_OPENING: Final = 4

#: A match with so many times the plies of random playouts, and some more, is a draw.
_LONG: Final = 4.0
_MORE: Final = 40

#: A lead of so many standard deviations of an equal race decides it, after at least so many matches.
_CLEAR: Final = 1.9
_FEW: Final = 4

#: Bytes for the tree of a search.
_MEMORY: Final = 1 << 26

#: The lead by which a player has to win that the rule of thumb does not favour.
_BETTER: Final = 2

#: The share of the time for the race between players; the rest is for the ways in which `mcts` may search.
_PLAYERS: Final = 0.65

#: Options of `mcts` that are raced against its usual ones: it tries the moves of a new node one by one, in any order,
#: or in an order that depends on what the same moves are worth elsewhere in the tree.
_WAYS: Final[tuple[Mapping[str, float], ...]] = ({"expand": 0}, {"expand": 0, "unvisited": 0.5})


@final
@dataclass(frozen=True, slots=True)
class Duel:
    """A compiled game in which two roles take turns, and the mean length of its random playouts in plies."""

    game: Simulator
    plies: float


@final
@dataclass(frozen=True, slots=True)
class Choice:
    """The name of a player, its options, and why it was chosen."""

    name: str
    reason: str
    options: Mapping[str, float] = field(default_factory=dict)


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

    def __init__(self, simulator: Simulator, seed: int, options: Mapping[str, float]) -> None:
        """Make the search. This loads its code."""
        from ggp.players.mcts.search import Search
        from ggp.players.mcts.world import LanesWorld

        kept = options_of({**options, "memory": _MEMORY, "leaves_share": _LEAVES})
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
@dataclass(frozen=True, slots=True)
class Standing:
    """Matches between two searches: those that the first one has won, drawn and lost."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def matches(self) -> int:
        """The number of matches."""
        return self.won + self.drawn + self.lost

    @property
    def lead(self) -> int:
        """The matches that the first one has won more than the second."""
        return self.won - self.lost

    @property
    def clear(self) -> bool:
        """True if chance alone would hardly give such a lead."""
        return self.matches >= _FEW and abs(self.lead) >= _CLEAR * sqrt(self.matches)

    @property
    def reversed(self) -> Standing:
        """The same matches, as the second one sees them."""
        return Standing(self.lost, self.drawn, self.won)

    def after(self, first: int, second: int) -> Standing:
        """Return the standing after a match with these goals."""
        if first == second:
            return replace(self, drawn=self.drawn + 1)
        return replace(self, won=self.won + 1) if first > second else replace(self, lost=self.lost + 1)

    def __str__(self) -> str:
        """Return the points, where a draw counts half, and the matches: `7.5-2.5 in 10 matches`."""
        points = self.won + self.drawn / 2
        return f"{points:g}-{self.matches - points:g} in {self.matches} matches"


@final
class Race:
    """Races in one game of two roles."""

    def __init__(self, duel: Duel, seconds: float, seed: int) -> None:
        """Take the game, and the seconds for all races."""
        self._simulator = duel.game
        self._longest = _LONG * duel.plies + _MORE
        self._random = Random(seed)
        self._seed = seed
        self.seconds = seconds
        #: The processor time for a move, in seconds.
        self.budget = min(MOST, _PLAYERS * seconds / (_MATCHES * duel.plies))

    @property
    def fair(self) -> bool:
        """True if there is enough time for a move."""
        return self.budget >= LEAST

    def choose(self, favoured: Choice, chooser: MoveChooser, until: Deadline) -> Choice:
        """Return the player that wins: `alphabeta`, whose search is `chooser`, or `mcts` with the options that suit it.

        Without any matches, it is the favoured one.
        """
        usual = TreeEntrant(self._simulator, self._seed, {})
        between = until.until(time.monotonic() + _PLAYERS * self.seconds)
        favourite = 1 if favoured.name == "alphabeta" else -1

        def decided(standing: Standing) -> bool:
            """Return True if more matches would hardly change the choice: time is worth more to the favourite."""
            return standing.clear or favourite * standing.lead >= _BETTER

        standing = self.run(AlphaBetaEntrant(chooser), usual, between.left, decided)
        if not standing.matches:
            return favoured
        if standing.lead >= (1 - _BETTER if favourite > 0 else _BETTER):
            return Choice("alphabeta", f"{standing} against mcts")
        reason = f"{standing.reversed} against alphabeta"
        for options in _WAYS:
            way = self.run(TreeEntrant(self._simulator, self._seed, options), usual, until.left)
            if way.clear and way.lead > 0:
                names = ", ".join(f"{name}={value:g}" for name, value in options.items())
                return Choice("mcts", f"{reason}, and with {names} {way} against its usual way", options)
        return Choice("mcts", reason)

    def run(
        self,
        first: Entrant,
        second: Entrant,
        time_left: Callable[[], float],
        decided: Callable[[Standing], bool] = lambda standing: standing.clear,
    ) -> Standing:
        """Return the standing after as many matches as there is time for, or as are needed for a decision."""
        standing = Standing()
        while not decided(standing) and time_left() > 0:
            opening = self._opening()
            for seat in (0, 1):
                goals = self._match(opening, (second, first) if seat else (first, second), time_left)
                if goals is None:
                    return standing
                standing = standing.after(goals[seat], goals[1 - seat])
        return standing

    def _opening(self) -> PackedState:
        """Return the state after some random moves, or the initial state if the game may be over so soon."""
        game = self._simulator
        state = game.initial_state()
        for _ in range(self._random.randint(0, _OPENING)):
            state = game.next_state(state, [self._random.choice(game.legal_moves(state, role)) for role in game.roles])
            if game.is_terminal(state):
                return game.initial_state()
        return state

    def _match(
        self, state: PackedState, seats: tuple[Entrant, Entrant], time_left: Callable[[], float]
    ) -> tuple[int, int] | None:
        """Return the goals at the end of a match, equal ones if it takes too long; None if the time is up before."""
        game = self._simulator
        for entrant in seats:
            entrant.begin()
        plies = 0
        while not game.is_terminal(state):
            if plies > self._longest:
                return 0, 0
            if time_left() <= 0:
                return None
            moves = [self._move(state, number, entrant) for number, entrant in enumerate(seats)]
            state = game.next_state(state, moves)
            plies += 1
        try:
            return game.goal(state, game.roles[0]), game.goal(state, game.roles[1])
        except GoalError:
            return 0, 0

    def _move(self, state: PackedState, role: int, entrant: Entrant) -> Term:
        legal = self._simulator.legal_moves(state, self._simulator.roles[role])
        if len(legal) == 1:
            return legal[0]
        until = time.thread_time() + self.budget
        return entrant.choose(state, role, lambda: until - time.thread_time()) or self._random.choice(legal)
