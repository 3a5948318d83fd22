"""Samples of a compiled game, stepped side by side as packed states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from gdl.engine import hides_states
from ggp.belief.samples import Samples, Step, mixed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl.engine import State
    from gdl.simulator.simulator import Simulator
    from gdl.terms import Term


@final
class PackedWorlds:
    """Samples as arrays for `gdl.Arrays`; see `ggp.belief.samples.Worlds`."""

    def __init__(self, game: Simulator, role: int) -> None:
        """Take the game and the number of the role whose steps are taken."""
        self._hidden = hides_states(game)
        self.arrays = game.arrays
        self._game = game
        self._role = role
        first = self.arrays.first_moves[role]
        self._numbers = {move: first + i for i, move in enumerate(game.all_moves(game.roles[role]))}
        percepts = self.arrays.percepts
        self._bits = {percept: bit for bit, (owner, percept) in enumerate(percepts) if owner == role}
        #: For each role, the bits of its percepts: (roles, percept_words).
        self._masks = np.zeros((len(game.roles), self.arrays.percept_words), np.uint64)
        for bit, (owner, _) in enumerate(percepts):
            self._masks[owner, bit >> 6] |= np.uint64(1 << (bit & 63))

    def initial(self, count: int) -> Samples:
        """Return `count` times the initial state."""
        rows = np.repeat(self.arrays.pack([self._game.initial_state()]), count, axis=0)
        return Samples(rows, np.zeros((count, len(self._game.roles)), np.uint64)) if self._hidden else self.open(rows)

    def drawn(self, samples: Samples, step: Step, random: np.random.Generator) -> Samples:
        """Return what follows a step if the other roles' moves are drawn at random, where it agrees with it."""
        looked, open_ = self._open(samples, step)
        samples, looked = samples.take(open_), looked[open_]
        moves = self.arrays.random_moves(looked, random)
        if (moves < 0).any():
            able = np.all(moves >= 0, axis=1)
            samples, moves = samples.take(able), moves[able]
        if not len(samples):
            return samples
        moves[:, self._role] = self._numbers[step.move]
        return self._after(samples, moves, step)[0]

    def all_after(self, samples: Samples, step: Step, most: int) -> tuple[Samples, NDArray[np.int64], Any] | None:
        """Return all that may follow a step, the numbers of the samples before, and their probabilities."""
        arrays = self.arrays
        looked, open_ = self._open(samples, step)
        looked = np.where(open_[:, None], looked, np.uint64(0))
        looked[:, 0] = ~open_
        # The own move is fixed.
        first, words = arrays.legal_words[self._role], arrays.move_words[self._role]
        number = self._numbers.get(step.move, arrays.first_moves[self._role]) - arrays.first_moves[self._role]
        looked[:, first : first + words] = 0
        looked[:, first + (number >> 6)] = np.where(open_, np.uint64(1 << (number & 63)), np.uint64(0))
        choices = np.ones(len(samples))
        for start, width in zip(arrays.legal_words, arrays.move_words, strict=True):
            choices *= np.bitwise_count(looked[:, start : start + width]).sum(axis=1)
        if choices.sum() > most:
            return None
        parents, moves = arrays.joint_moves(looked)
        odds = 1 / choices[parents]
        after, agree = self._after(samples.take(parents), moves, step)
        return after, parents[agree], odds[agree]

    def _open(self, samples: Samples, step: Step) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        """Look at samples, and mark those in which the game goes on and the role's own move is legal."""
        looked = self.arrays.look(samples.states)
        number = self._numbers.get(step.move)
        if number is None:
            return looked, np.zeros(len(samples), np.bool_)
        place = number - self.arrays.first_moves[self._role]
        word = looked[:, self.arrays.legal_words[self._role] + (place >> 6)]
        legal = (word >> np.uint64(place & 63) & np.uint64(1)).astype(np.bool_)
        return looked, legal & ~self.arrays.terminal(looked)

    def _after(self, samples: Samples, moves: NDArray[np.int32], step: Step) -> tuple[Samples, NDArray[np.bool_]]:
        """Return what follows joint moves where it agrees with the percepts of a step, and a mask of these."""
        agree = np.ones(len(samples), np.bool_)
        if not step.percepts <= self._bits.keys():
            agree[:] = False
        wanted = np.zeros(self.arrays.percept_words, np.uint64)
        for percept in step.percepts & self._bits.keys():
            bit = self._bits[percept]
            wanted[bit >> 6] |= np.uint64(1 << (bit & 63))
        after, seen = self.moved(samples, moves)
        agree &= ((seen & self._masks[self._role]) == wanted).all(axis=1)
        return after.take(agree), agree

    def moved(self, samples: Samples, moves: NDArray[np.int32]) -> tuple[Samples, NDArray[np.uint64]]:
        """Return what follows joint moves (n, roles), numbered over all roles, and the percepts of all roles as bits.

        Without rules for `sees`, roles know the state, whatever led to it.
        """
        states, seen = self.arrays.move_and_see(samples.states, moves)
        if not self._hidden:
            return self.open(states), seen
        known = np.empty_like(samples.known)
        for role, mask in enumerate(self._masks):
            hashed = mixed(samples.known[:, role], moves[:, role].astype(np.uint64) + np.uint64(1))
            for word in np.flatnonzero(mask):
                hashed = mixed(hashed, seen[:, word] & mask[word])
            known[:, role] = hashed
        return Samples(states, known), seen

    def open(self, states: NDArray[np.uint64]) -> Samples:
        """Return states (n, state_words) that all roles know."""
        known = np.zeros(len(states), np.uint64)
        for word in range(states.shape[1]):
            known = mixed(known, states[:, word])
        return Samples(states, np.repeat(known[:, None], len(self._game.roles), axis=1))

    def terminal(self, samples: Samples) -> NDArray[np.bool_]:
        """Return, for each sample, True if the game is over: (n,)."""
        return self.arrays.terminal(self.arrays.look(samples.states))

    def keys(self, samples: Samples) -> list[Any]:
        """Return a key for each sample."""
        rows = np.concatenate([samples.states, samples.known], axis=1)
        return [row.tobytes() for row in rows]

    def legal(self, samples: Samples, role: int) -> list[tuple[Term, ...]]:
        """Return the legal moves of a role in each sample; none where the game is over."""
        name = self._game.roles[role]
        moves = self._game.all_moves(name)
        looked = self.arrays.look(samples.states)
        first, words = self.arrays.legal_words[role], self.arrays.move_words[role]
        rows = np.ascontiguousarray(looked[:, first : first + words]).view(np.uint8)
        over = self.arrays.terminal(looked)
        found: dict[bytes, tuple[Term, ...]] = {}
        for row in {row.tobytes() for row in rows}:
            bits = np.unpackbits(np.frombuffer(row, np.uint8), bitorder="little")[: len(moves)]
            found[row] = tuple(moves[number] for number in np.flatnonzero(bits))
        return [() if ended else found[row.tobytes()] for row, ended in zip(rows, over, strict=True)]

    def shares(self, samples: Samples) -> dict[Term, float]:
        """Return the share of the samples in which each fact holds, without those that hold in none."""
        facts = self._game.all_facts
        rows = np.ascontiguousarray(samples.states).view(np.uint8)
        means = np.unpackbits(rows, axis=1, bitorder="little")[:, : len(facts)].mean(axis=0)
        return {fact: float(mean) for fact, mean in zip(facts, means, strict=True) if mean}

    def state(self, samples: Samples, number: int) -> State:
        """Return a sample as a state of the Simulator."""
        return self.arrays.unpack(samples.states[number : number + 1])[0]
