"""The search for a plan, by turns: breadth-first, beams, clingo; each gets more time from round to round."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import chain
from random import Random
from typing import Final, final

from gdl.engine import Engine, State
from ggp.planner.beam import LOOKS, beam
from ggp.planner.breadth import Breadth
from ggp.planner.effects import Effects
from ggp.planner.puzzle import Puzzle
from ggp.planner.unrolling import GATE, LARGEST, Layers, Unrolled

#: Seconds that breadth-first search has at first, and the share of all time.
FIRST: Final = 0.5
SHARE: Final = 0.1

#: Shares are of so many seconds at most.
LONG: Final = 120.0

#: A beam's states at first; four times as many each time.
NARROW: Final = 256

#: Plies that clingo is first asked about; half as many more each time.
HORIZON: Final = 8

#: Where more pairs of moves than this share must not change their order, layers of moves are not worth their while.
CONFLICTS: Final = 0.5

#: Seconds that what moves change may take to be found out.
PREPARING: Final = 5.0

#: Orders that are tried for the moves of layers.
ORDERS: Final = 100


@final
class Portfolio:
    """A search that knows the best plan found so far, what is proved of it, and can go on.

    `goal` is -1 while there is no plan. `highest`: no plan of a higher goal exists. `shortest`: no shorter plan of this
    goal exists.
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
        self.puzzle = puzzle
        self.memory = memory
        self.largest = min(LARGEST, memory // GATE)
        self.want_shortest = shortest
        self.progress = progress or (lambda _: None)
        self.improved = improved or (lambda _: None)
        self.goal, self.moves = -1, tuple[int, ...]()
        self.highest = self.shortest = False
        #: What found the plan, and what proved something of it.
        self.found_by, self.proof = "no plan was found", ""
        self.states = 1
        self.random = Random(0)
        self._deadline = 0.0
        self._breadth: Breadth | None = None
        self._unrolled: Unrolled | None = None
        self._layers: list[Layers] | None = None
        #: Layers that have been asked for, and how often that took too long.
        self._asked: dict[Layers, int] = {}
        self._late: dict[Layers, int] = {}
        #: The most plies for which clingo has said that there is no plan of a goal.
        self._none: dict[int, int] = {}
        self._horizon = HORIZON
        self._widths: dict[str, int] = {}
        #: A beam has held every state that it met, so that others would meet no more.
        self._whole = False

    @property
    def over(self) -> bool:
        """Whether there is nothing more to find out."""
        return self.highest and (self.shortest or not self.want_shortest or self.goal <= self.puzzle.lowest)

    @property
    def how(self) -> str:
        """What found the plan, and what proved something of it."""
        return f"{self.found_by}, proved {self.proof}" if self.proof not in ("", self.found_by) else self.found_by

    def run(self, deadline: float) -> None:
        """Search until all is known, or the deadline (of `time.monotonic()`)."""
        self._deadline = deadline
        whole = min(deadline - time.monotonic(), LONG)
        self._begin()
        share = max(0.25, whole / 60)
        if not self.over and self.puzzle.large:
            self._in_layers(min(deadline, time.monotonic() + whole / 4))
        if not self.over:
            self._beams(("random",), deadline, NARROW)
            self._search(min(deadline, time.monotonic() + max(FIRST, SHARE * whole)))
        while not self.over and time.monotonic() < deadline:
            before = time.monotonic()
            for ask in (self._in_layers, self._by_plies, self._all_beams, self._search):
                if not self.over and time.monotonic() < deadline:
                    ask(min(deadline, time.monotonic() + share))
            share *= 2
            if time.monotonic() - before < 0.001:
                break  # nobody has anything to do

    def _begin(self) -> None:
        """The state itself may be an end; and there may be no goal but one."""
        simulator = self.puzzle.simulator
        if simulator.is_terminal(self.puzzle.state):
            looked = self.puzzle.arrays.look(self.puzzle.arrays.pack([self.puzzle.state]).copy())
            self.goal = int(self.puzzle.goals(looked)[0])
            self.highest = self.shortest = True
            self.found_by = "the game is over"

    def _note(self, goal: int, moves: Sequence[int], how: str, *, shortest: bool = False) -> None:
        """A plan was found."""
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
        """Go on with breadth-first search; once all is seen, again with more of it told apart, if that is needed."""
        times = self.puzzle.times
        if self._breadth is None:
            self._breadth = Breadth(self.puzzle, memory=self.memory // 2)
        while not self.over and not self._breadth.full:
            breadth = self._breadth
            before = breadth.count
            breadth.advance(deadline, self.progress)
            self.states += breadth.count - before
            found = breadth.found
            # Where the ends change with time, a state is not the same later, unless it is kept once for each ply.
            same = breadth.fresh >= times.settled
            if found.goal >= 0:
                self._note(found.goal, found.moves, "breadth-first", shortest=same)
            if not breadth.over:
                return
            # All ends before the limit are known, and nothing at the limit is better than what there is.
            enough = self.goal == times.highest or self.goal >= times.late or breadth.fresh >= (times.limit or 0)
            if same and enough:
                self.highest, self.proof = True, "breadth-first"
                if found.goal < self.goal:
                    self.shortest = True  # it ends at the limit
                elif found.goal == -1:
                    self.found_by, self.shortest = "no end can be reached", True
                return
            # What can only be had at the limit needs every state at every ply: one seen early may have to be met late.
            late = times.limit if times.limit is not None and self.goal < times.late else 0
            self._breadth = Breadth(self.puzzle, memory=self.memory // 2, fresh=max(late, times.settled))

    # Beams

    def _all_beams(self, deadline: float) -> None:
        if not (self.highest or self._whole):
            share = deadline - time.monotonic()
            for look in LOOKS:
                if not (self.highest or self._whole):
                    self._beams((look,), min(deadline + len(LOOKS) * share, time.monotonic() + share), None)

    def _beams(self, looks: Sequence[str], deadline: float, most: int | None) -> None:
        """Beams, each four times as wide as the one before; one that was not done in time has another try later."""
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
        """Ask clingo for a course of play of the highest goals within so many plies, then within more."""
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
                # What took too long is asked again when all other horizons have had their turn.
                self._horizon = HORIZON
                return
            self._horizon += self._horizon // 2

    def _shorten(self, unrolled: Unrolled, deadline: float) -> None:
        """Ask for plans of one move less, until there is none."""
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
        """Ask clingo for layers of moves, twice as many each time."""
        goal = self.puzzle.times.highest
        if self._layers is None:
            effects = self._effects_of(deadline)
            moments = self._moments() if effects is not None else ()
            self._layers = [Layers(self.puzzle, effects, last=last) for last in moments if effects is not None]
        for layers in self._layers:
            # The first layer is made in any case; more take about as long each.
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
            # What takes too long has a longer try, and then gives way to more layers.
            self._late[layers] = self._late.get(layers, 0) + 1 if answer is None else 0

    def _moments(self) -> tuple[bool, ...]:
        """Whether the end is looked for at the limit, and before: where the highest goal may be had at it, first."""
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
        """The moves of layers in an order in which they can be played, and that does not end the game too early."""
        terms = self.puzzle.game.moves
        # The Reasoner needs no code, which takes longer to make for a large circuit than some plies with it.
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
            if simulator.is_terminal(state) and simulator.goal(state, role) == self.puzzle.times.highest:
                return order
            if time.monotonic() > deadline:
                break
        return None
