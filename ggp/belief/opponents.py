"""A model of the other roles that choose better moves more often, by random playouts of the compiled game.

In a state, a role chooses a move with a probability that grows exponentially with its mean goal in playouts that begin
with it (a quantal response: McKelvey and Palfrey 1995). It judges the true state, as if it knew that, so the model
gives it too much knowledge and too little skill. `random` chooses uniformly, as always.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final, final

import numpy as np

from gdl.engine import is_nature

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl.simulator.simulator import Simulator

#: The number of playouts for all states and moves together, and the fewest and most for one move.
_PLAYOUTS: Final = 1 << 16
_FEWEST: Final = 4
_MOST: Final = 32

#: No legal move is less likely than the best one by more than this factor, as a logarithm.
_LEAST: Final = -50.0

#: The longest playout, in plies.
_PLIES: Final = 500


def checked_rationality(value: float) -> float:
    """Return a rationality. Raises ValueError if it is not a number, 0 or more."""
    if not 0 <= value < inf:
        raise ValueError(f"rationality must be a number, 0 or more, not {value}")
    return float(value)


@final
class Opponents:
    """Draws moves of roles that are not random. `rationality` is the exponent for a difference of 100 in the goal."""

    def __init__(self, game: Simulator, role: int, rationality: float, seed: int) -> None:
        """Model all roles but one and `random`."""
        self._arrays = game.arrays
        #: The numbers of the modelled roles.
        self.roles = [number for number, name in enumerate(game.roles) if number != role and not is_nature(name)]
        self._moves = [len(game.all_moves(name)) for name in game.roles]
        self._rationality = rationality
        self._random = np.random.default_rng((seed, 1))  # not the stream of the belief

    def choose(self, states: NDArray[np.uint64], looked: NDArray[np.uint64], moves: NDArray[np.int32]) -> None:
        """Replace the moves of the modelled roles in joint moves (n, roles) with moves that they would choose.

        States and looked states are rows of `gdl.Arrays`; in each state, every role has a legal move.
        """
        for role in self.roles:
            shares = self._shares(states, looked, role)
            if shares is not None:
                drawn = self._random.random(len(states))[:, None] * shares.sum(axis=1, keepdims=True)
                moves[:, role] = self._arrays.first_moves[role] + (shares.cumsum(axis=1) <= drawn).sum(axis=1)

    def probabilities(
        self,
        states: NDArray[np.uint64],
        looked: NDArray[np.uint64],
        parents: NDArray[np.int64],
        moves: NDArray[np.int32],
    ) -> NDArray[np.float64]:
        """Return the probability of joint moves (m, roles) in their states, (m,).

        The moves of roles that are not modelled do not count. `parents` has the numbers of the states.
        """
        found = np.ones(len(moves))
        for role in self.roles:
            shares = self._shares(states, looked, role)
            if shares is None:
                continue
            shares /= np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(float).tiny)
            found *= shares[parents, moves[:, role] - self._arrays.first_moves[role]]
        return found

    def _shares(self, states: NDArray[np.uint64], looked: NDArray[np.uint64], role: int) -> NDArray[np.float64] | None:
        """Return how often a role chooses each of its moves: (n, moves), of any sum; None if it has no choice."""
        arrays = self._arrays
        first, words = arrays.legal_words[role], arrays.move_words[role]
        # The same state stands for many samples.
        rows = np.concatenate([states, looked[:, first : first + words]], axis=1)
        _, kept, same = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        own = np.ascontiguousarray(looked[kept, first : first + words]).view(np.uint8)
        legal = np.unpackbits(own, axis=1, bitorder="little")[:, : self._moves[role]].astype(np.bool_)
        several = legal.sum(axis=1) > 1
        if not several.any():
            return None
        at, move = np.nonzero(legal & several[:, None])
        values = self._values(states[kept[at]], looked[kept[at]], role, move)
        logs = np.where(legal, 0.0, -np.inf)
        logs[at, move] = self._rationality * values
        logs -= logs.max(axis=1, keepdims=True, initial=-1e300)
        logs[legal] = np.maximum(logs[legal], _LEAST)
        shares: NDArray[np.float64] = np.exp(logs)[same.reshape(-1)]
        return shares

    def _values(
        self, states: NDArray[np.uint64], looked: NDArray[np.uint64], role: int, move: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return a role's mean goal, 0 to 1, in playouts that begin with a move in each state: (n,)."""
        arrays = self._arrays
        sums = np.zeros(len(states))
        rounds = max(_FEWEST, min(_MOST, _PLAYOUTS // len(states)))
        for _ in range(rounds):
            moves = arrays.random_moves(looked, self._random)
            moves[:, role] = arrays.first_moves[role] + move
            goals = arrays.playouts(arrays.move(states, moves), int(self._random.integers(2**63)), _PLIES)[:, role]
            sums += np.where(goals < 0, 50, goals)
        return sums / (100 * rounds)
