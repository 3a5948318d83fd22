"""A game of one role, and what is known of its states: relevant facts, interchangeable objects, and the clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, final

from gdl.circuit.analysis.cones import bits
from gdl.circuit.analysis.dependence import autonomous, dependence, relevant_facts, running
from gdl.circuit.analysis.times import Unsettled, times
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE, Circuit
from gdl.engine import Engine, State
from gdl.errors import GdlError, GoalError
from gdl.simulator.packed_state import PackedState
from gdl.simulator.simulator import Simulator
from gdl.terms import name_key
from ggp.solver.planner.keys import Block, Keys, blocks_of
from ggp.solver.planner.symmetry import interchangeable, runs_by_rules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.simulator.arrays import Arrays


#: Returns the goals, 0 to 100, that may be expected of packed states (n, words): (n,). It need not be thread-safe.
Values = Callable[["NDArray[np.uint64]"], "NDArray[np.float32]"]

#: What an end is worth at which the role has no goal value, as for all players.
UNDEFINED: Final = 50

#: Machine code for circuits with more gates than this takes some seconds to make.
LARGE: Final = 1_500


class NotOneRoleError(GdlError):
    """A plan was requested for a game that does not have exactly one role."""

    code = "not-one-role"

    def __init__(self, roles: tuple[str, ...]) -> None:
        """Keep the roles of the game."""
        self.roles = roles
        super().__init__(roles)

    def __str__(self) -> str:
        """Return the code with the roles."""
        return f"{self.code}: a plan is for one role, and this game has {len(self.roles)}: {', '.join(self.roles)}"


@final
class Puzzle:
    """A game of one role, from one of its states."""

    def __init__(self, simulator: Simulator, state: PackedState | None = None, values: Values | None = None) -> None:
        """Analyse a game from a state (default: the initial one). Raises NotOneRoleError."""
        if len(simulator.roles) != 1:
            raise NotOneRoleError(simulator.roles)
        self.simulator = simulator
        #: Learned values of states, if there are any.
        self.values = values
        self.state = simulator.initial_state() if state is None else simulator.state(state)
        #: The literal of each value that an end may have.
        self.game, self.goal_literals = _valued(simulator.circuit)
        step = running(self.game)
        self._matter = sum(1 << fact for fact in relevant_facts(self.game, step))
        clock = autonomous(dependence(step), self._matter)
        held = int.from_bytes(self.state.bits, "little")
        try:
            self.times = times(self.game, clock, held, self.goal_literals)
        except Unsettled:
            clock = 0
            self.times = times(self.game, clock, held, self.goal_literals)
        self.clock_mask = clock

    @cached_property
    def arrays(self) -> Arrays:
        """Queries about many states of the game."""
        return self.simulator.arrays

    @property
    def matter(self) -> list[int]:
        """The numbers of the facts that matter."""
        return bits(self._matter)

    @property
    def large(self) -> bool:
        """True if code for the circuit takes long to make."""
        return len(self.game.circuit.fanins) > LARGE

    @property
    def loops(self) -> bool:
        """True if the circuit has loops."""
        return bool(self.game.circuit.loops or running(self.game).circuit.loops)

    @property
    def lowest(self) -> int:
        """The lowest goal in the rules; plans with this goal need not be shortened."""
        return min(self.goal_literals, default=-1)

    @property
    def clock(self) -> tuple[str, ...]:
        """The facts that are only a clock."""
        return tuple(self.simulator.all_facts[number].text for number in bits(self.clock_mask))

    @property
    def idle(self) -> tuple[str, ...]:
        """The facts on which nothing that matters depends."""
        left = ((1 << len(self.game.facts)) - 1) & ~self._matter
        return tuple(self.simulator.all_facts[number].text for number in bits(left))

    @cached_property
    def alike(self) -> list[tuple[str, ...]]:
        """The classes of interchangeable objects, by which states are sorted."""
        return [names for names, _ in self._alike]

    @cached_property
    def _alike(self) -> list[tuple[tuple[str, ...], Block]]:
        sheet, facts = self.simulator.rulesheet, self.simulator.all_facts
        classes = interchangeable(sheet, (value.text for _, value in self.game.goals))
        clock = [facts[number] for number in bits(self.clock_mask)]
        named = {leaf for fact in clock for leaf in _names(fact.text)}
        classes = [names for names in classes if not named & set(names)]
        if not classes or (clock and not runs_by_rules(sheet, clock)):
            return []
        kept = self._kept(alike=True)
        found = []
        chosen: list[tuple[str, ...]] = []
        for names in sorted(classes, key=len, reverse=True):
            blocks = blocks_of(facts, kept, [*chosen, names])
            if len(blocks) == len(chosen) + 1 and blocks[-1].width:
                chosen.append(names)
                found.append((names, blocks[-1]))
        return found

    def _kept(self, *, alike: bool) -> list[int]:
        """Return the facts of keys; all if objects are swapped, as relevance is only proved for reachable states."""
        every = (1 << len(self.game.facts)) - 1
        constant = sum(1 << number for number in self.game.constants)
        return bits((every if alike else self._matter) & ~self.clock_mask & ~constant)

    def keys(self, *, alike: bool = True) -> Keys:
        """Return the keys of states, equal for states that need not be distinguished."""
        alike = alike and bool(self.alike)
        kept = self._kept(alike=alike)
        facts = self.simulator.all_facts
        blocks = blocks_of(facts, kept, self.alike) if alike else []
        groups = [group for group in self.game.circuit.laws.groups if group.nodes[-1] <= len(facts)]
        return Keys(len(facts), kept, groups, blocks)

    def goals(self, looked: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Return the goal values of states: (n,); -1 if there is none."""
        return self.arrays.goal_values(looked)[:, 0]

    def ends(self, looked: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Return what ends are worth: their goal values, or `UNDEFINED` without one."""
        goals = self.goals(looked)
        goals[goals < 0] = UNDEFINED
        return goals

    def end(self, game: Engine, state: State) -> int:
        """Return what an end is worth, given as a state of an engine."""
        try:
            return game.goal(state, game.roles[0])
        except GoalError:
            return UNDEFINED

    def check(self, goal: int, moves: Sequence[int]) -> None:
        """Raise GoalError if a plan that is worth `goal` leads to an end without a goal value."""
        table = self.game.goal_table
        if goal != UNDEFINED or (0 in self.game.one_goal and all(value is not None for _, value in table)):
            return
        reasoner = self.simulator.reasoner
        state = reasoner.state(self.state)
        for number in moves:
            state = reasoner.next_state(state, [self.game.moves[number][1]])
        reasoner.goals(state)


def _valued(game: GameCircuit) -> tuple[GameCircuit, dict[int, int]]:
    """Return a circuit of one role with a literal for each value that an end may have.

    Unless it is proved that each end has exactly one goal, there are gates for those that hold alone.
    """
    circuit = Circuit(game.circuit.inputs, game.circuit.laws)
    circuit.fanins, circuit.loops = list(game.circuit.fanins), list(game.circuit.loops)
    goals = [(value, own) for (_, value), own in zip(game.goal_table, game.goals.values(), strict=True) if own != FALSE]
    found: dict[int, list[int]] = {}
    some = several = FALSE
    for _, literal in goals if 0 not in game.one_goal else ():
        several = circuit.or_([several, circuit.and_([some, literal])])
        some = circuit.or_([some, literal])
    for value, literal in goals:
        alone = circuit.and_([literal, several ^ 1])
        found.setdefault(UNDEFINED if value is None else value, []).append(alone)
    if 0 not in game.one_goal:
        found.setdefault(UNDEFINED, []).extend([some ^ 1, several])
    return replace(game, circuit=circuit), {value: circuit.or_(literals) for value, literals in found.items()}


def _names(text: str) -> list[str]:
    return name_key(text).replace("(", " ").replace(")", " ").split()
