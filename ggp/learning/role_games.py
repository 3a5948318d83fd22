"""Games to learn from, other than duels: any number of roles, moves at the same time, and chance.

Many games are played side by side. Each role looks one ply ahead: it values all states that may follow by the networks
of the roles, and chooses as `joint_choice` says. A ply of search in many games at once costs less than a thousandth of
a tree search for each, and there are many more games to learn from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

import numpy as np

from gdl.engine import is_nature
from gdl.simulator.arrays import Arrays
from ggp.learning.joint_choice import ROWS, choose, set_targets
from ggp.players.mcts.world import LanesWorld
from ggp.players.player import UNKNOWN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl.simulator.simulator import Simulator
    from ggp.players.mcts.learned_goals import LearnedGoals

    States = NDArray[np.uint64]
    Values = NDArray[np.float32]
    #: States, (n, words), with the values of the roles but chance in points, (n, these roles).
    Examples = tuple[States, Values]

#: The most games side by side; states per such game; and the longest game in plies, after which it is broken off.
_SIDE_BY_SIDE: Final = 512
_EACH: Final = 32
_LONGEST: Final = 1200

#: The most joint moves that are examined in a state. If there are more, this number is drawn at random.
_JOINT: Final = 1024

#: One in `_TAKEN` states of random playouts is used, with the mean goals of `_PLAYOUTS` more playouts from it.
_TAKEN: Final = 4
_PLAYOUTS: Final = 16


class RolePlan(NamedTuple):
    """The way in which games are played.

    `trust` is the weight (of 256) of the game's further course in the value of a state, against the search's value one
    ply later. `rivals` has a bit for each role that a rival plays, chance not counted.
    """

    seed: int
    #: The most random plies at the beginning of a game; later, one ply in `rarely` is random.
    opening: int
    rarely: int
    trust: int
    rivals: int = 0


class Played(NamedTuple):
    """States of games (n, words), their targets in points (n, roles but chance), and the number of states examined.

    `goals` are those of the games that came to an end, in points, in the order of the ends: (games, roles but chance).
    """

    states: States
    targets: Values
    examined: int
    goals: Values


@final
class RoleGames:
    """Plays the games of a compiled game. Not thread-safe."""

    def __init__(self, simulator: Simulator) -> None:
        """Prepare games."""
        self._simulator = simulator
        self._arrays = arrays = Arrays(simulator)
        self.start = arrays.pack([simulator.initial_state()])
        count = len(simulator.roles)
        self._roles = np.array([number for number, role in enumerate(simulator.roles) if not is_nature(role)])
        self._nature = next((number for number, role in enumerate(simulator.roles) if is_nature(role)), -1)
        moves = sum(len(simulator.all_moves(role)) for role in simulator.roles)
        most = max(len(simulator.all_moves(role)) for role in simulator.roles)
        self._memory = (
            np.zeros((count, most), np.int32),
            np.zeros(count, np.int64),
            np.full(moves, -1, np.int64),
            np.zeros((ROWS, moves), np.float64),
        )

    def playouts(self, count: int, seed: int) -> Examples:
        """Return `count` states of random games, and the mean goals of playouts from them."""
        random = np.random.default_rng(seed)
        taken: list[States] = []
        now = np.repeat(self.start, _SIDE_BY_SIDE, axis=0)
        missing, turn = count, np.zeros(len(now), np.int64)
        while missing > 0:
            # Not every state, as those of one game are much alike.
            chosen = now[random.random(len(now)) < 1 / _TAKEN][:missing]
            taken.append(chosen)
            missing -= len(chosen)
            now = self._arrays.move(now, self._arrays.random_moves(self._arrays.look(now), random))
            turn += 1
            over = self._looked(now)[1] | (turn >= _LONGEST)
            now[over], turn[over] = self.start, 0
        states = np.concatenate(taken)
        goals = LanesWorld(self._simulator, seed % 2**40).playouts(states, _PLAYOUTS)
        return states, 100 * goals[:, self._roles]

    def play(
        self, room: int, plan: RolePlan, learned: LearnedGoals, rival: LearnedGoals | None, games: int = 0
    ) -> Played:
        """Play games until there are about `room` states, but at least `games` games.

        All of them are played to their ends. The rival plays the roles that the plan says.
        """
        random = np.random.default_rng(plan.seed)
        lanes = max(1, games, min(_SIDE_BY_SIDE, room // _EACH))
        record = _Record()
        now = np.repeat(self.start, lanes, axis=0)
        turn, before = np.zeros(lanes, np.int64), np.full(lanes, -1, np.int32)
        opening = random.integers(0, plan.opening + 1, lanes)
        examined = 0
        while len(now):
            looked = self._arrays.look(now)
            chosen, said, visited = self._chosen(now, looked, random, learned, rival, plan.rivals)
            examined += visited
            wild = (turn < opening) | (random.random(len(now)) < 1 / plan.rarely)
            chosen[wild] = self._arrays.random_moves(looked, random)[wild]
            before = record.add(now, said, wild, before)
            now, turn = self._arrays.move(now, chosen), turn + 1
            goals, over = self._looked(now)
            record.end(before[over], goals[over])
            cut = ~over & (turn >= _LONGEST)
            record.cut(before[cut])
            done = over | cut
            # A new game for each that is over, as long as there is room for more.
            now[done], turn[done], before[done] = self.start, 0, -1
            opening[done] = random.integers(0, plan.opening + 1, int(done.sum()))
            if done.any() and record.count >= room:
                now, turn, before, opening = now[~done], turn[~done], before[~done], opening[~done]
        states, targets = record.examples(np.float32(plan.trust / 256))
        return Played(states, 100 * targets[:, self._roles], examined, 100 * record.goals()[:, self._roles])

    def _chosen(
        self,
        states: States,
        looked: NDArray[np.uint64],
        random: np.random.Generator,
        learned: LearnedGoals,
        rival: LearnedGoals | None,
        rivals: int,
    ) -> tuple[NDArray[np.int32], Values, int]:
        """Return the joint moves chosen in states, what they are worth, and the number of states examined."""
        parents, moves = self._joint_moves(looked, random)
        following = self._arrays.move(states[parents], moves)
        goals, over = self._looked(following)
        offsets = np.searchsorted(parents, np.arange(len(states) + 1)).astype(np.int64)
        draws = random.random((len(states), len(self._simulator.roles)))
        chosen, said = self._choice(offsets, moves, _valued(following, goals, over, learned), draws)
        if rival is not None and rivals:
            others, _ = self._choice(offsets, moves, _valued(following, goals, over, rival), draws)
            theirs = [role for place, role in enumerate(self._roles) if rivals >> place & 1]
            chosen[:, theirs] = others[:, theirs]
        return chosen, said, len(following)

    def _choice(
        self, offsets: NDArray[np.int64], moves: NDArray[np.int32], values: Values, draws: NDArray[np.float64]
    ) -> tuple[NDArray[np.int32], Values]:
        chosen, said = np.empty(draws.shape, np.int32), np.empty(draws.shape, np.float32)
        choose(offsets, moves, values, self._nature, draws, *self._memory, chosen, said)
        return chosen, said

    def _joint_moves(
        self, looked: NDArray[np.uint64], random: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return joint moves of states: the numbers of these, in order, and the moves (m, roles)."""
        counts = self._legal_counts(looked).astype(np.float64).prod(axis=1)
        many = np.flatnonzero(counts > _JOINT)
        if not len(many):
            return self._arrays.joint_moves(looked)
        few = np.flatnonzero(counts <= _JOINT)
        parents, moves = self._arrays.joint_moves(looked[few])
        drawn = np.repeat(many, _JOINT)
        all_parents = np.concatenate([few[parents], drawn])
        all_moves = np.concatenate([moves, self._arrays.random_moves(looked[drawn], random)])
        order = np.argsort(all_parents, kind="stable")
        return all_parents[order], all_moves[order]

    def _legal_counts(self, looked: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the number of legal moves of each role: (n, roles)."""
        arrays = self._arrays
        ones = np.bitwise_count(looked)
        own = [
            ones[:, first : first + words].sum(axis=1, dtype=np.int64)
            for first, words in zip(arrays.legal_words, arrays.move_words, strict=True)
        ]
        return np.stack(own, axis=1)

    def _looked(self, states: States) -> tuple[Values, NDArray[np.bool_]]:
        """Return the goals of states, 0 to 1, and a flag for each in which the game is over, or stuck."""
        looked = self._arrays.look(states)
        over = self._arrays.terminal(looked)
        values = self._arrays.goal_values(looked)
        goals = np.where(values < 0, np.float32(UNKNOWN), values / np.float32(100)).astype(np.float32)
        stuck = ~over & (self._legal_counts(looked) == 0).any(axis=1)
        goals[stuck] = UNKNOWN
        return goals, over | stuck


def _valued(states: States, goals: Values, over: NDArray[np.bool_], learned: LearnedGoals) -> Values:
    """Return the goals of states that are over, and the learned ones of the others."""
    values = goals.copy()
    values[~over] = learned.goals(states[~over])
    return values


@final
class _Record:
    """The states of games, in the order in which they were played."""

    def __init__(self) -> None:
        self.count = 0
        self._parts: list[tuple[Any, ...]] = []
        self._ends: list[tuple[NDArray[np.int32], Values]] = []
        self._cuts: list[NDArray[np.int32]] = []

    def add(
        self, states: States, said: Values, wild: NDArray[np.bool_], before: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """Add states, given what was said of them and the numbers of the states before; return their numbers."""
        self._parts.append((states, said, wild, before))
        self.count += len(states)
        return np.arange(self.count - len(states), self.count, dtype=np.int32)

    def end(self, numbers: NDArray[np.int32], goals: Values) -> None:
        """Note that games ended after some states, with these goals."""
        self._ends.append((numbers, goals))

    def cut(self, numbers: NDArray[np.int32]) -> None:
        """Note that games were broken off after some states."""
        self._cuts.append(numbers)

    def goals(self) -> Values:
        """Return the goals of the games that ended, in the order in which they did."""
        return np.concatenate([goals for _, goals in self._ends])

    def examples(self, trust: np.float32) -> Examples:
        """Return all states and their targets for all roles."""
        states, said, wild, before = (np.concatenate([part[kind] for part in self._parts]) for kind in range(4))
        following = np.full(self.count, -1, np.int32)
        after = np.flatnonzero(before >= 0).astype(np.int32)
        following[before[after]] = after
        final, targets = np.zeros_like(said), np.zeros_like(said)
        for numbers, goals in self._ends:
            final[numbers] = goals
        for numbers in self._cuts:
            wild[numbers] = True
        set_targets(following, wild, said, final, trust, targets)
        return states, targets
