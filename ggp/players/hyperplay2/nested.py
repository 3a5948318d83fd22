"""The player `hyperplay2`: nested playouts, in which each role acts on what it knows.

A playout begins in a state that may be the current one. In it, every role chooses by what it would know then, not by
the state: it plays the move with the best mean over random playouts from all sampled states that it could not tell
apart. So a move that finds something out is worth what the role can do with it, which `pimc` does not see. This is
HyperPlay-II (Schofield and Thielscher 2015, Lifting model sampling for general game playing to incomplete-information
models), except that the states of an information set are not sampled anew, but are those of the other playouts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import numpy as np

from ggp.belief.packed_worlds import PackedWorlds
from ggp.belief.samples import Samples
from ggp.players.mcts.world import LanesWorld

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl.simulator.simulator import Simulator
    from gdl.terms import Term

#: After this many plies, a nested playout goes on at random.
_LONGEST: Final = 12

#: The states of an information set that are looked at, at most.
_OF_SET: Final = 48


@final
class NestedPlayouts:
    """Nested playouts of a compiled game, side by side."""

    def __init__(self, game: Simulator, role: str, seed: int) -> None:
        """Take the game and the role whose moves are evaluated."""
        self._game = game
        self._role = game.roles.index(role)
        self._world = LanesWorld(game, seed)
        self._worlds = PackedWorlds(game, self._role)
        self._random = np.random.default_rng(seed)

    def initial(self, count: int) -> Samples:
        """Return `count` times the initial state."""
        return self._worlds.initial(count)

    def values(self, samples: Samples, moves: tuple[Term, ...]) -> NDArray[np.float64]:
        """Return the value of each move, 0 to 1: the mean of a nested playout from each state that follows it."""
        number = {move: i for i, move in enumerate(self._game.all_moves(self._game.roles[self._role]))}
        first = self._game.arrays.first_moves[self._role]
        own = np.repeat(np.array([first + number[move] for move in moves], np.int32), len(samples))
        lanes = samples.take(np.tile(np.arange(len(samples)), len(moves)))
        values = np.full((len(own), len(self._game.roles)), 0.5)
        left = np.arange(len(own))
        for ply in range(_LONGEST):
            looked = self._world.look(lanes.states)
            values[left[looked.terminal]] = looked.goals[looked.terminal]
            lanes, left = lanes.take(~looked.terminal), left[~looked.terminal]
            if not len(left):
                break
            chosen = self._chosen(lanes, fixed=ply == 0)
            if ply == 0:
                chosen[:, self._role] = own[left]
            lanes, _ = self._worlds.moved(lanes, chosen)
        else:
            values[left] = self._ends(lanes.states)
        means: NDArray[np.float64] = values[:, self._role].reshape(len(moves), len(samples)).mean(axis=1)
        return means

    def _chosen(self, lanes: Samples, *, fixed: bool) -> NDArray[np.int32]:
        """Return the moves of all roles (n, roles), those of the role itself at random if it is `fixed`."""
        looked = self._world.look(lanes.states)
        starts, counts = looked.offsets[:-1], np.diff(looked.offsets)
        shape = len(lanes), len(self._game.roles)
        starts, counts = starts.reshape(shape), counts.reshape(shape)
        moves: NDArray[np.int32] = looked.moves[starts + (self._random.random(shape) * counts).astype(np.int64)]
        drawn = moves.copy()
        for role in range(shape[1]):
            if role == self._world.nature or (fixed and role == self._role):
                continue
            asked = np.flatnonzero(counts[:, role] > 1)
            if len(asked):
                moves[asked, role] = self._best(
                    lanes, asked, role, looked.moves, starts[:, role], counts[:, role], drawn
                )
        return moves

    def _best(
        self,
        lanes: Samples,
        asked: NDArray[np.int64],
        role: int,
        legal: NDArray[np.int32],
        starts: NDArray[np.int64],
        counts: NDArray[np.int64],
        drawn: NDArray[np.int32],
    ) -> NDArray[np.int32]:
        """Return the best move of a role in some lanes: the same in all that it cannot tell apart."""
        sets, member = np.unique(lanes.known[asked, role], return_inverse=True)
        order = self._random.permutation(len(asked))
        order = order[np.argsort(member[order], kind="stable")]
        sizes = np.bincount(member, minlength=len(sets))
        rank = np.arange(len(asked)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        picked = order[rank < _OF_SET]
        # Each move of each lane that is looked at.
        each = counts[asked[picked]]
        lane = np.repeat(picked, each)
        within = np.arange(len(lane)) - np.repeat(np.cumsum(each) - each, each)
        tried = legal[starts[asked[lane]] + within]
        joint = drawn[asked[lane]].copy()
        joint[:, role] = tried
        after = self._world.move(lanes.states[asked[lane]], joint)
        values = self._ends(after)[:, role]
        total = self._world.moves
        keys = member[lane] * total + tried
        sums = np.bincount(keys, values, len(sets) * total).reshape(len(sets), total)
        seen = np.bincount(keys, minlength=len(sets) * total).reshape(len(sets), total)
        means = np.where(seen > 0, sums / np.maximum(1, seen), -1.0) + 1e-6 * self._random.random(sums.shape)
        best = means.argmax(axis=1)[member]
        # In rules under which a role cannot know its legal moves, the best one may not be legal in every state.
        row = np.repeat(np.arange(len(asked)), counts[asked])
        inner = np.arange(len(row)) - np.repeat(np.cumsum(counts[asked]) - counts[asked], counts[asked])
        able = np.zeros(len(asked), np.bool_)
        able[row[legal[starts[asked[row]] + inner] == best[row]]] = True
        found: NDArray[np.int32] = np.where(able, best, drawn[asked, role]).astype(np.int32)
        return found

    def _ends(self, states: NDArray[np.uint64]) -> NDArray[np.float32]:
        """Return the goals (n, roles) at the end of a random playout from each state."""
        looked = self._world.look(states)
        goals = looked.goals.copy()
        if not looked.terminal.all():
            goals[~looked.terminal] = self._world.playouts(states[~looked.terminal], 1)
        return goals
