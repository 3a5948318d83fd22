"""Information set Monte Carlo tree search: simulations in lanes, down a tree for each role.

Each role has a tree of its own information sets, in which its moves are chosen by what it would know. A simulation
begins in a state that the searching role thinks possible, and every role chooses in its own tree, until one meets an
information set that is new; random playouts follow. So a role learns what to do with what it knows, and what it is
worth to find out more. This is MO-ISMCTS of Cowling, Powley and Whitehouse (2012), doi:10.1109/TCIAIG.2012.2200894,
with regret matching where several roles choose at once, as in Lanctot, Wittlinger, Winands and Den Teuling (2013).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import numpy as np

import ggp.players.ismcts.tree as trees
from ggp.belief.packed_worlds import PackedWorlds
from ggp.belief.samples import Samples, mixed
from ggp.players.clock import NEVER, Deadline, StepTime
from ggp.players.mcts.world import LanesWorld

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl.simulator.simulator import Simulator
    from gdl.terms import Term

#: The number of simulations side by side: at first, and at most. It is at most this share of those so far.
_FEWEST: Final = 16
_MOST: Final = 64
_SHARE: Final = 0.05

#: Room for nodes, and for slots.
_NODES: Final = 1 << 20
_SLOTS: Final = 1 << 23

#: The longest path down the tree, in plies.
_LONGEST: Final = 200

#: The time that a round may take, as a multiple of the longest of the last rounds.
_CAUTION: Final = 1.5

#: Moves with a smaller share of the average policy are not played: they come from the first simulations.
_RARE: Final = 0.02


@final
@dataclass(frozen=True, slots=True)
class Choice:
    """A move at the root: its visits, its mean value from 0 to 1, and the probability with which to play it."""

    move: Term
    visits: int
    value: float
    probability: float


@final
class Search:
    """A search for a role; its trees are kept from ply to ply, as information sets include all that led to them."""

    def __init__(
        self,
        game: Simulator,
        role: str,
        seed: int,
        *,
        exploration: float,
        explored: float,
        matching: bool,
    ) -> None:
        """Make the trees. `exploration` is the weight in UCB1, `explored` the share of it in regret matching.

        With `matching`, regret matching chooses everywhere.
        """
        self.worlds = PackedWorlds(game, game.roles.index(role))
        self._world = LanesWorld(game, seed)
        self._role = game.roles.index(role)
        self._roles = len(game.roles)
        self._random = np.random.default_rng(seed)
        self._parameters = np.array([exploration, explored, float(matching)])
        self._tree = trees.new_tree(_NODES, _SLOTS)
        #: A number for each role, to tell its information sets from those of others.
        self._owners = np.arange(1, self._roles + 1, dtype=np.uint64) << np.uint64(40)
        self._round = 0
        self._times = StepTime()
        self.simulations = 0

    def run(
        self,
        draw: Callable[[int], Samples],
        *,
        deadline: Deadline = NEVER,
        simulations: int | None = None,
    ) -> None:
        """Search until the deadline, or for a number of simulations; `draw` gives the states in which these begin."""
        import time

        done = 0
        if self._full():
            self._forget()
        self._times.begin()
        while simulations is None or done < simulations:
            if deadline.left() <= _CAUTION * self._times.slowest:
                break
            began = time.monotonic()
            count = int(min(_MOST, max(_FEWEST, _SHARE * done)))
            self._simulate(draw(count if simulations is None else min(count, simulations - done)))
            done += count
            self._times.add(time.monotonic() - began)
        self.simulations += done

    def choices(self, samples: Samples) -> list[Choice]:
        """Return the role's moves in an information set, given states of it, most visited first; none if it is new."""
        tree = self._tree
        node = int(trees.find(tree, self._keys(samples.take(np.arange(1)))[0, self._role]))
        if node < 0:
            return []
        slots = np.arange(tree.first[node], tree.first[node] + tree.size[node])
        visits = tree.begun[slots]
        if tree.rule[node] == trees.MATCHING:
            policy = tree.policy[slots] / tree.policy[slots].sum()
            policy[policy < min(_RARE, policy.max())] = 0.0
            policy /= policy.sum()
        else:
            policy = (visits == visits.max()) / np.count_nonzero(visits == visits.max())
        values = tree.total[slots] / np.maximum(1, tree.done[slots])
        found = [
            Choice(self._world.term(int(tree.moves[slot])), int(seen), float(value), float(share))
            for slot, seen, value, share in zip(slots, visits, values, policy, strict=True)
        ]
        return sorted(found, key=lambda choice: (choice.probability, choice.visits), reverse=True)

    def _keys(self, samples: Samples) -> NDArray[np.uint64]:
        return np.ascontiguousarray(mixed(samples.known, np.broadcast_to(self._owners, samples.known.shape)))

    def _simulate(self, samples: Samples) -> None:
        """Do a simulation from each sample."""
        self._round += 1
        count = len(samples)
        values = np.full((count, self._roles), 0.5)
        lanes = np.arange(count)
        path: list[tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]] = []
        leaves: list[tuple[NDArray[np.int64], NDArray[np.uint64]]] = []
        for _ in range(_LONGEST):
            looked = self._world.look(samples.states)
            over = looked.terminal
            if over.any():
                values[lanes[over]] = looked.goals[over]
                samples, lanes = samples.take(~over), lanes[~over]
                if not len(lanes):
                    break
                looked = self._world.look(samples.states)
            moves, slots = np.empty((2, len(lanes), self._roles), np.int32)
            odds, new = np.empty(moves.shape), np.empty(len(lanes), np.bool_)
            draws = self._random.random(moves.shape)
            trees.choose(
                *(self._tree, self._keys(samples), looked.offsets, looked.moves, self._world.nature, draws),
                *(self._parameters, self._round, moves, slots, odds, new),
            )
            path.append((lanes, slots, odds))
            samples, _ = self.worlds.moved(samples, moves)
            leaves.append((lanes[new], samples.states[new]))
            samples, lanes = samples.take(~new), lanes[~new]
            if not len(lanes):
                break
        leaves.append((lanes, samples.states))
        self._play_out(np.concatenate([one for one, _ in leaves]), np.concatenate([one for _, one in leaves]), values)
        for own, slots, odds in path:
            trees.back_up(self._tree, slots, odds, values[own])

    def _play_out(self, lanes: NDArray[np.int64], states: NDArray[np.uint64], values: NDArray[np.float64]) -> None:
        """Write the goals at the end of a random playout from each state, in the rows of the lanes."""
        if not len(lanes):
            return
        looked = self._world.look(states)
        over = looked.terminal
        values[lanes[over]] = looked.goals[over]
        if not over.all():
            values[lanes[~over]] = self._world.playouts(states[~over], 1)

    def _full(self) -> bool:
        counts = self._tree.counts
        return bool(counts[trees.NODES] >= _NODES or counts[trees.SLOTS] >= 0.9 * _SLOTS)

    def _forget(self) -> None:
        """Empty the trees."""
        self._tree.counts[:] = 0
        self._tree.table.fill(-1)
