"""Choose the moves of one role, by a search with a learned evaluation of positions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final, final

import numpy as np

from gdl.simulator.packed_state import PackedState
from ggp.players.alphabeta.lessons import Lessons
from ggp.players.alphabeta.search import Finding, Search
from ggp.players.alphabeta.simultaneous import both_choose
from ggp.players.alphabeta.values import WON, plies_to_end
from ggp.players.background import Background
from ggp.players.clock import Deadline
from ggp.players.finishing import PLAYOUTS, SURE, Candidates, soonest
from ggp.players.learned_values.units import POINT
from ggp.players.race_results import players_version
from ggp.players.resistance import Resistance, Resisting
from ggp.players.thought import Thought

if TYPE_CHECKING:
    from gdl.engine import State
    from gdl.simulator.simulator import Simulator
    from gdl.terms import Term
    from ggp.players.learned_values.images import Images
    from ggp.players.learned_values.network import Network
    from ggp.players.mcts.world import LanesWorld
    from ggp.players.player import Turn

#: The share of the time or the nodes for comparing moves that win, and the plies by which these searches are shallower.
_COMPARING: Final = 0.5
_SHALLOWER: Final = 4

#: The nodes of a search that finds out what is known of a state, and the nodes that take as long as a simulation.
_KNOWING: Final = 2000
_SIMULATION: Final = 4

#: More seconds than any clock has.
_ENDLESS: Final = 1e8

#: Lessons if no clock is running: a fixed number, so that the same seed leads to the same moves.
_LESSONS: Final = 12


@final
class MoveChooser:
    """Chooses the moves of one role. Not thread-safe."""

    def __init__(
        self,
        simulator: Simulator,
        role: str,
        seed: int,
        network: Network | None = None,
        images: Callable[[], Images | None] = lambda: None,
        *,
        remembers: bool = False,
        threads: int = 1,
    ) -> None:
        """Make a search that has learned nothing yet, or that values positions by a network.

        `images` returns the images by symmetries once they are known, for lessons. If it `remembers`, it goes on from
        the lessons for earlier matches of the game, and keeps what it learns for later ones. The search for
        a move has `threads` threads where one role chooses. Raises CompileError if the game has no kernels.
        """
        self._simulator = simulator
        self._threads = threads
        self._me = simulator.roles.index(role)
        self._terms = simulator.all_moves(role)
        self._random = np.random.default_rng(seed)
        self._search = Search(simulator, self._me)
        self._search.shuffle(seed)
        self._lessons = Lessons(self._search, len(simulator.all_facts), simulator.initial_state().bits, seed, images)
        self._entries = simulator.entries("lessons", players_version()) if remembers else None
        if network is not None:
            self._search.install(network)
        elif self._entries is not None:
            self._lessons.recall(self._entries)
        #: The result of the search for the last move; None if there was none.
        self.found: Finding | None = None
        self._work = 0
        #: The last search found a win, but did not prove it; and the time that playouts take, see `soonest`.
        self._won = False
        self._seconds = 0.0
        self._seed = seed
        self._resistance = Resistance(role, seed)
        #: What was found where it could not force more; None if the last move was not of that kind.
        self._resisted: Resisting | None = None
        self._world: Background[LanesWorld] | None = None

    def learn_playouts(self, time_left: Callable[[], float]) -> None:
        """Learn a first evaluation of positions from random playouts. This mostly takes less than a second."""
        self._lessons.playouts(time_left)

    def learn_games(self, time_left: Callable[[], float] | None) -> None:
        """Learn from games against itself while time is left; for None, from a fixed number of lessons."""
        if time_left is None:
            self._lessons.games(lambda: 1e9, _LESSONS)
        else:
            self._lessons.games(time_left)
        if self._entries is not None:
            self._lessons.keep(self._entries)

    @property
    def states(self) -> int:
        """The number of states of games that it has learned from, those for earlier matches included."""
        return self._lessons.states

    @property
    def plies(self) -> float:
        """The mean plies of the games that it has learned from, as far as their states were kept; 0 without any."""
        return self._lessons.plies

    @property
    def nodes(self) -> int:
        """The number of nodes visited so far."""
        return self._search.nodes

    def bits(self, state: State) -> bytes:
        """Return a state of the match, packed. Raises UnreachableStateError."""
        return self._simulator.state(state).bits

    def saw(self, turn: Turn) -> None:
        """Take note of the move that led to a turn."""
        self._resistance.saw(turn)

    def remember(self, bits: bytes) -> None:
        """Record a state that the match has passed through."""
        self._search.remember(bits)

    def thought(self) -> Thought | None:
        """Return the result of the last search for spectators; None if there is none."""
        found = self.found
        if found is None or found.move < 0:
            return None
        own = found.value if self._me == 0 else -found.value
        won = abs(own) >= WON
        # A value is the difference of two goals. If they add up to 100, a role's goal is 50 plus half the difference.
        expected = (100.0 if own > 0 else 0.0) if won else min(100.0, max(0.0, 50 + own / POINT / 2))
        return Thought(
            expected=expected,
            work=self._work,
            unit="nodes",
            depth=found.depth,
            proven=found.proved,
            line=(self._terms[found.move].text,),
            note="" if self._resisted is None else self._resisted.note,
        )

    def forget(self) -> None:
        """Forget the values of positions, and the states that the match has passed through."""
        self._search.forget()
        self._search.memory.seen.fill(0)

    def best(self, bits: bytes, role: int, time_left: Callable[[], float]) -> Term | None:
        """Return the best move of any role in a state; None if there was no time to find one."""
        choices = self._search.choices(bits)
        if min(map(len, choices)) > 1:
            move = both_choose(self._search, role, bits, choices, time_left, None, self._random)
        else:
            move = self._search.run(bits, time_left).move
        return self._simulator.all_moves(self._simulator.roles[role])[move] if move >= 0 else None

    def ponder(self, state: State, time_left: Callable[[], float]) -> int:
        """Search from a state while there is time, and return the number of nodes. It shows in the next search.

        Where both roles choose at once, there is no such search.
        """
        bits = self.bits(state)
        if min(map(len, self._search.choices(bits))) > 1:
            return 0
        before = self._search.nodes
        self._search.run(bits, time_left, threads=self._threads)
        return self._search.nodes - before

    def choose(self, bits: bytes, time_left: Callable[[], float], nodes: int | None) -> Term | None:
        """Return the move to play; None if there was no time to find one. `nodes` limits the nodes of the search."""
        choices = self._search.choices(bits)
        before = self._search.nodes
        compares, self._resisted = self._won or self._resisted is not None, None
        if min(map(len, choices)) > 1:
            move = both_choose(self._search, self._me, bits, choices, time_left, nodes, self._random)
        else:
            # The last search tells whether some time will be needed to compare moves.
            kept = _COMPARING * time_left() if compares and nodes is None else 0.0
            self.found = self._search.run(bits, lambda: time_left() - kept, nodes, threads=self._threads)
            self._won = self._wins(self.found)
            move = self.found.move
            if self._won:
                move = self._soonest(bits, self.found, choices, time_left, nodes)
            elif move >= 0:
                move = self._resist(bits, self.found, choices, time_left, nodes)
            if move != self.found.move:
                self.found = replace(self.found, move=move)
        self._work = self._search.nodes - before
        return self._terms[move] if move >= 0 else None

    def _wins(self, found: Finding) -> bool:
        """Return True if a search has found a sure win that it could not prove."""
        best = self._search.best_value(self._me)
        return not found.proved and found.move >= 0 and self._own(found.value) >= (1 - SURE) * best > 0

    def _own(self, value: int) -> int:
        return value if self._me == 0 else -value

    def _resist(
        self,
        bits: bytes,
        found: Finding,
        choices: tuple[list[int], list[int]],
        time_left: Callable[[], float],
        nodes: int | None,
    ) -> int:
        """Return the move that the other role is most likely to answer wrongly, where nothing is lost by that."""
        own, worst = self._own(found.value), -self._search.best_value(1 - self._me)
        lost = own <= -WON or (worst < 0 and own <= (1 - SURE) * worst)
        if len(choices[self._me]) < 2 or own >= WON or not (lost or found.proved):
            return found.move
        if own <= -WON:
            alike = [found.move, *(move for move in choices[self._me] if move != found.move)]
        else:
            alike = self._alike(bits, found, choices, time_left, nodes)
        if len(alike) < 2:
            return found.move
        until = Deadline.after(None if time_left() > _ENDLESS else time_left())
        if self._world is None:
            self._world = Background(lambda: _lanes(self._simulator, self._seed), "model of the other role")
        world = self._world.result(until.earlier(time_left() / 2))
        if world is None:
            return found.move
        sure = self._goal(own, world) if found.proved else None
        moves = tuple(self._terms[move] for move in alike)
        work = None if nodes is None else nodes // _SIMULATION
        state = PackedState(self._simulator, bits)
        self._resisted = self._resistance.choose(
            world, state, Candidates(moves, sure, lost), until, work, lambda one: self._known(one, world, time_left)
        )
        return alike[moves.index(self._resisted.move)]

    def _known(self, state: PackedState, world: LanesWorld, time_left: Callable[[], float]) -> tuple[float, int] | None:
        """Return the goal that is proved in a state, 0 to 1, and the plies until then; None if none is."""
        if self._simulator.is_terminal(state) or min(map(len, self._search.choices(state.bits))) > 1:
            return None
        found = self._search.run(state.bits, time_left, _KNOWING)
        if not found.proved:
            return None
        plies = plies_to_end(found.value)
        return self._goal(self._own(found.value), world), found.depth if plies is None else plies

    def _goal(self, own: int, world: LanesWorld) -> float:
        """Return the role's goal, 0 to 1, for a proved value."""
        if abs(own) >= WON:
            return world.limits[own > 0][self._me]
        # If the goals of both roles add up to 100.
        return min(1.0, max(0.0, 0.5 + own / POINT / 200))

    def _soonest(
        self,
        bits: bytes,
        found: Finding,
        choices: tuple[list[int], list[int]],
        time_left: Callable[[], float],
        nodes: int | None,
    ) -> int:
        """Return the move that seems to win soonest, of those that are nearly as good as the one that was found."""
        alike = self._alike(bits, found, choices, time_left, nodes)
        if len(alike) < 2:
            return found.move
        game, role = self._simulator, self._simulator.roles[self._me]
        state = PackedState(game, bits)
        others = game.all_moves(game.roles[1 - self._me])[choices[1 - self._me][0]]
        joint = [(self._terms[one], others) if self._me == 0 else (others, self._terms[one]) for one in alike]
        if not self._seconds:
            self._seconds = game.playouts(PLAYOUTS, state, self._seed).seconds
        return alike[
            soonest(
                game, [game.next_state(state, moves) for moves in joint], role, self._seed, self._seconds, time_left()
            )
        ]

    def _alike(
        self,
        bits: bytes,
        found: Finding,
        choices: tuple[list[int], list[int]],
        time_left: Callable[[], float],
        nodes: int | None,
    ) -> list[int]:
        """Return the moves that are nearly as good as the one that was found, which is the first of them.

        They are compared by searches that are a little shallower than the one that found it. If its value is proved,
        that of the others is, too, and is not worse.
        """
        bound = self._own(found.value)
        if not found.proved:
            bound -= int(SURE / 2 * max(self._search.best_value(role) for role in range(2)))
        window = (bound - 1, bound) if self._me == 0 else (-bound, 1 - bound)
        last = None if nodes is None else self._search.nodes + int(_COMPARING * nodes)
        alike = [found.move]
        for depth in range(1, found.depth):
            passed = [found.move]
            for move in choices[self._me]:
                pair = (move, choices[1][0]) if self._me == 0 else (choices[0][0], move)
                few = None if last is None else last - self._search.nodes
                if move != found.move:
                    value = self._own(self._search.after(bits, pair, depth, time_left, few, window))
                    if value >= bound and (self._search.exact or not found.proved):
                        passed.append(move)
            if time_left() <= 0 or (last is not None and self._search.nodes >= last):
                break
            alike = passed if found.proved or depth >= found.depth - _SHALLOWER else alike
        return alike


def _lanes(simulator: Simulator, seed: int) -> LanesWorld:
    """Return the game for the model of the other role, whose code is loaded."""
    import ggp.players.mcts.search  # noqa: F401
    from ggp.players.mcts.world import LanesWorld

    return LanesWorld(simulator, seed)
