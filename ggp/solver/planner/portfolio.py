"""The search for a plan, which alternates between breadth-first search, beams and clingo, for longer in each round."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import chain
from random import Random
from typing import Final, final

from gdl.engine import Engine, State
from ggp.solver.planner.beam import LEARNED, beam, looks_for
from ggp.solver.planner.breadth import Breadth
from ggp.solver.planner.effects import Effects
from ggp.solver.planner.puzzle import Puzzle
from ggp.solver.planner.unrolling import GATE, LARGEST, Layers, Unrolled

#: The initial time for breadth-first search: seconds, and share of the total time. The larger one applies.
FIRST: Final = 0.5
SHARE: Final = 0.1

#: Shares are taken of at most this many seconds.
LONG: Final = 120.0

#: The width of the first beam; each further one is four times as wide.
NARROW: Final = 256

#: The number of plies that clingo searches first; it grows by half each time.
HORIZON: Final = 8

#: If the order matters for more than this share of all pairs of moves, layers of moves are not used.
CONFLICTS: Final = 0.5

#: Seconds for finding out the effects of moves.
PREPARING: Final = 5.0

#: The number of orders that are tried for the moves of layers.
ORDERS: Final = 100


@final
class Portfolio:
    """A search that can be continued, with the best plan found so far and what is proved of it.

    `goal` is what the plan is worth, -1 as long as there is none. `highest` is True if no plan has a higher goal,
    `shortest` if none with this goal is shorter.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        *,
        memory: int,
        shortest: bool = True,
        progress: Callable[[str], None] | None = None,
        improved: Callable[[Portfolio], None] | None = None,
    ) -> None:
        """Prepare to search from the puzzle's state.

        `memory` is in bytes; `progress` is called with each step of the work, `improved` after each better plan.
        """
        self.puzzle = puzzle
        self.memory = memory
        self.largest = min(LARGEST, memory // GATE)
        self.want_shortest = shortest
        self.progress = progress or (lambda _: None)
        self.improved = improved or (lambda _: None)
        self.goal, self.moves = -1, tuple[int, ...]()
        self.highest = self.shortest = False
        #: The methods that found the plan and proved something of it.
        self.found_by, self.proof = "no plan was found", ""
        self.states = 1
        self.random = Random(0)
        self._deadline = 0.0
        self._breadth: Breadth | None = None
        self._unrolled: Unrolled | None = None
        self._layers: list[Layers] | None = None
        #: The number of layers searched last, and how often in a row that took too long.
        self._asked: dict[Layers, int] = {}
        self._late: dict[Layers, int] = {}
        #: For each goal, the largest number of plies for which clingo has proved that there is no plan.
        self._none: dict[int, int] = {}
        self._horizon = HORIZON
        self._widths: dict[str, int] = {}
        #: A beam has been wide enough for all states, so that wider ones would not find more.
        self._whole = False

    @property
    def over(self) -> bool:
        """True if there is nothing more to find out."""
        return self.highest and (self.shortest or not self.want_shortest or self.goal <= self.puzzle.lowest)

    @property
    def how(self) -> str:
        """The method that found the plan, and the one that proved something of it, as text."""
        return f"{self.found_by}, proved {self.proof}" if self.proof not in ("", self.found_by) else self.found_by

    def run(self, deadline: float) -> None:
        """Search until everything is known, or until the deadline (of `time.monotonic()`)."""
        self._deadline = deadline
        whole = min(deadline - time.monotonic(), LONG)
        self._begin()
        share = max(0.25, whole / 60)
        if not self.over and self.puzzle.large:
            self._in_layers(min(deadline, time.monotonic() + whole / 4))
        if not self.over:
            self._beams(("random",), deadline, NARROW)
            if not self.over and self.puzzle.values is not None:
                self._beams((LEARNED,), min(deadline, time.monotonic() + share), NARROW)
            self._search(min(deadline, time.monotonic() + max(FIRST, SHARE * whole)))
        while not self.over and time.monotonic() < deadline:
            before = time.monotonic()
            for ask in (self._in_layers, self._by_plies, self._all_beams, self._search):
                if not self.over and time.monotonic() < deadline:
                    ask(min(deadline, time.monotonic() + share))
            share *= 2
            if time.monotonic() - before < 0.001:
                break  # no method has anything left to do

    def _begin(self) -> None:
        """Check if the state itself is an end."""
        simulator = self.puzzle.simulator
        if simulator.is_terminal(self.puzzle.state):
            looked = self.puzzle.arrays.look(self.puzzle.arrays.pack([self.puzzle.state]).copy())
            self.goal = int(self.puzzle.ends(looked)[0])
            self.highest = self.shortest = True
            self.found_by = "the game is over"

    def _note(self, goal: int, moves: Sequence[int], how: str, *, shortest: bool = False) -> None:
        """Take note of a plan; it may be no better than the best so far."""
        better = goal > self.goal or (goal == self.goal and len(moves) < len(self.moves))
        if better:
            if goal > self.goal:
                self.shortest, self.proof = False, ""
            self.goal, self.moves, self.found_by = goal, tuple(moves), how
        if shortest and goal == self.goal and len(moves) == len(self.moves):
            self.shortest, self.proof = True, how
        self.highest = self.highest or self.goal == self.puzzle.times.highest
        if better:
            self.improved(self)

    # Breadth-first search

    def _search(self, deadline: float) -> None:
        """Continue breadth-first search; when it is over, repeat it with more states distinguished, if necessary."""
        times = self.puzzle.times
        if self._breadth is None:
            self._breadth = Breadth(self.puzzle, memory=self.memory // 2)
        while not self.over and not self._breadth.full:
            breadth = self._breadth
            before = breadth.count
            breadth.advance(deadline, self.progress)
            self.states += breadth.count - before
            found = breadth.found
            # If ends depend on the time, the same state differs from ply to ply, and has to be visited at each.
            same = breadth.fresh >= times.settled
            if found.goal >= 0:
                self._note(found.goal, found.moves, "breadth-first", shortest=same)
            if not breadth.over:
                return
            # All ends before the limit are known, and none at the limit is better than the plan.
            enough = self.goal == times.highest or self.goal >= times.late or breadth.fresh >= (times.limit or 0)
            if same and enough:
                self.highest, self.proof = True, "breadth-first"
                if found.goal < self.goal:
                    self.shortest = True  # it ends at the limit
                elif found.goal == -1:
                    self.found_by, self.shortest = "no end can be reached", True
                return
            # Goals only reached at the limit require every state at every ply: one seen early may be needed late.
            late = times.limit if times.limit is not None and self.goal < times.late else 0
            self._breadth = Breadth(self.puzzle, memory=self.memory // 2, fresh=max(late, times.settled))

    # Beams

    def _all_beams(self, deadline: float) -> None:
        if not (self.highest or self._whole):
            share = deadline - time.monotonic()
            looks = looks_for(self.puzzle)
            for look in looks:
                if not (self.highest or self._whole):
                    self._beams((look,), min(deadline + len(looks) * share, time.monotonic() + share), None)

    def _beams(self, looks: Sequence[str], deadline: float, most: int | None) -> None:
        """Run beams, each four times as wide as the one before; one that is not done in time is repeated later."""
        for look in looks:
            while not self.highest and time.monotonic() < deadline:
                width = self._widths.get(look, NARROW)
                self.progress(f"beam of {width:,} by {look}")
                course = beam(self.puzzle, look, width, deadline=deadline, memory=self.memory // 4, seed=width)
                self.states += course.states
                if course.goal >= 0:
                    self._note(course.goal, course.moves, f"beam of {width:,} by {look}")
                if time.monotonic() < deadline:
                    self._widths[look] = 4 * width
                self._whole = self._whole or course.whole
                if self._whole or (most is not None and width >= most):
                    break

    # clingo

    def _by_plies(self, deadline: float) -> None:
        """Let clingo search for plans with the highest goals within a number of plies, then within more."""
        puzzle, times = self.puzzle, self.puzzle.times
        if self._unrolled is None:
            if puzzle.loops:
                return
            self._unrolled = Unrolled(puzzle)
        unrolled = self._unrolled
        if self.highest:
            self._shorten(unrolled, deadline)
            return
        open_ = sorted((goal for goal in puzzle.goal_literals if self.goal < goal <= times.highest), reverse=True)
        while time.monotonic() < deadline:
            most = self._horizon if times.limit is None else min(self._horizon, times.limit)
            if unrolled.size * most > self.largest:
                self._horizon = HORIZON
                return
            for goal in open_:
                if most > self._none.get(goal, -1) and time.monotonic() < deadline:
                    self.progress(f"clingo: goal {goal} within {most} plies")
                    answer = unrolled.solve(goal, most, deadline)
                    if answer is None:
                        break
                    if answer.moves is not None:
                        self._note(goal, [*chain(*answer.moves)], f"clingo, {most} plies")
                        return
                    self._none[goal] = most
            if most == times.limit:
                if all(self._none.get(goal, -1) >= most for goal in open_):
                    self.highest, self.proof = True, "by clingo"
                # Searches that took too long are repeated after all other horizons.
                self._horizon = HORIZON
                return
            self._horizon += self._horizon // 2

    def _shorten(self, unrolled: Unrolled, deadline: float) -> None:
        """Let clingo search for shorter plans, until there is none."""
        while self.moves and not self.shortest and unrolled.size * len(self.moves) <= self.largest:
            fewer = len(self.moves) - 1
            self.progress(f"clingo: goal {self.goal} within {fewer} plies")
            if time.monotonic() > deadline:
                return
            answer = unrolled.solve(self.goal, fewer, deadline)
            if answer is None:
                return
            if answer.moves is None:
                self.shortest, self.proof = True, "by clingo"
            else:
                self._note(self.goal, [*chain(*answer.moves)], f"clingo, {fewer} plies")

    def _in_layers(self, deadline: float) -> None:
        """Let clingo search for layers of moves, twice as many each time."""
        goal = self.puzzle.times.highest
        if self._layers is None:
            effects = self._effects_of(deadline)
            moments = self._moments() if effects is not None else ()
            self._layers = [Layers(self.puzzle, effects, last=last) for last in moments if effects is not None]
        for layers in self._layers:
            # The first layer is always made; each further one takes about as long.
            count = 2 * self._asked.get(layers, 0) or 1
            if layers.size * count > self.largest or time.monotonic() > deadline or self.highest:
                continue
            if not layers.extend(count, max(deadline, time.monotonic() + 0.01) if count == 1 else deadline):
                continue
            self.progress(f"clingo: goal {goal} in {count} layers")
            answer = layers.solve(goal, deadline)
            moves = None if answer is None or answer.moves is None else self._in_order(answer.moves, deadline)
            if moves is not None:
                self._note(goal, moves, f"clingo, {count} layer{'s' * (count > 1)} of moves")
            if answer is not None or self._late.get(layers, 0) == 2:
                self._asked[layers] = count
            # A search that takes too long is repeated for longer; after that, more layers are tried instead.
            self._late[layers] = self._late.get(layers, 0) + 1 if answer is None else 0

    def _moments(self) -> tuple[bool, ...]:
        """Return the values of `last` for layers to try, in order; ends at the limit come first if they may be best."""
        times = self.puzzle.times
        if not times.limit:
            return (False,)
        return (True, False) if times.late == times.highest else (False, True)

    def _effects_of(self, deadline: float) -> Effects | None:
        if self.puzzle.loops:
            return None
        try:
            effects = Effects(self.puzzle, max(deadline, min(self._deadline, time.monotonic() + PREPARING)))
        except TimeoutError:
            return None
        count = len(effects.moves)
        few = len(effects.conflicts) <= CONFLICTS * count * (count - 1) / 2
        return effects if few and count > 1 else None

    def _in_order(self, layers: Sequence[Sequence[int]], deadline: float) -> list[int] | None:
        """Return the moves of layers in a playable order that does not end the game too early; None if not found."""
        terms = self.puzzle.game.moves
        # For a large circuit, making code takes longer than playing some plies with the Reasoner.
        simulator: Engine = self.puzzle.simulator.reasoner if self.puzzle.large else self.puzzle.simulator
        role = simulator.roles[0]
        begin: State = (
            self.puzzle.simulator.reasoner.state(self.puzzle.state) if self.puzzle.large else self.puzzle.state
        )
        for _ in range(ORDERS):
            state, order = begin, list[int]()
            for layer in layers:
                left = list(layer)
                self.random.shuffle(left)
                while left and not simulator.is_terminal(state):
                    legal = set(simulator.legal_moves(state, role))
                    move = next((move for move in left if terms[move][1] in legal), None)
                    if move is None:
                        break
                    left.remove(move)
                    order.append(move)
                    state = simulator.next_state(state, [terms[move][1]])
            if simulator.is_terminal(state) and self.puzzle.end(simulator, state) == self.puzzle.times.highest:
                return order
            if time.monotonic() > deadline:
                break
        return None
