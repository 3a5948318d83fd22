"""Many states at once, packed in arrays: what search and solving are built on."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, final

from gdl.codegen.llvm.playout_loop import LANES
from gdl.reasoner.joint_moves import WHOLE_NUMBER
from gdl.simulator.compiled_code import OnceCode
from gdl.simulator.packed_state import PackedState
from gdl.simulator.seeds import words as seed_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.simulator.simulator import Simulator

    Words = NDArray[np.uint64]

#: `Arrays.goal_values` and `Arrays.playouts` have this where there is not exactly one goal value, a whole number.
NO_GOAL: Final = -1


@final
class Arrays:
    """Questions about many states of a game; `Simulator.arrays` is one. Any number of states goes in one call.

    A state is a row of `state_words` 64-bit words, with the bits of `PackedState.bits`: an array of states has the
    shape (n, state_words), uint64. What a state allows is a row of `look_words` words: bit 0 of word 0 says whether it
    is terminal; the legal moves of role `r` are `move_words[r]` words from `legal_words[r]` on, in the order of
    `Simulator.moves(role)`; the goals that hold are bits from word `goals_word` on, with the roles' numbers and values
    in `goals`. Moves are numbered over all roles: `first_moves[r]` plus the place in the role's list.

    Only states that can be reached are answered rightly. Calls release the GIL; one at a time uses the memory that
    they work in, and others wait.
    """

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        places = simulator._places
        self.first_moves = places.first_moves
        self.move_words = places.move_words
        self.legal_words = places.legal_words
        self.goals_word = places.goals_word
        self.goals = places.goals
        self.state_words = places.state_words
        self.goal_words = -(-len(places.goals) // 64)
        self.look_words = places.goals_word + self.goal_words
        self._compiler = simulator._compiler
        self._code = self._compiler.arrays()
        self._lock = threading.Lock()

    def look(self, states: Words) -> Words:
        """What states allow: (n, look_words)."""
        import numpy as np

        count = len(states)
        out = np.empty((_padded(count), self.look_words), np.uint64)
        if count:
            with self._lock:
                self._code.look(self._fitted(states), out)
        return out[:count]

    def move(self, states: Words, moves: NDArray[np.int32]) -> Words:
        """The states after joint moves (n, roles), which must be legal in states that are not terminal."""
        import numpy as np

        count = len(states)
        out = np.empty((_padded(count), self.state_words), np.uint64)
        if count:
            done = np.full((len(out), len(self.first_moves)), -1, np.int32)
            done[:count] = moves
            with self._lock:
                self._code.move(self._fitted(states), done, out)
        return out[:count]

    def joint_moves(self, looked: Words) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """All joint moves in the states that are not terminal: the numbers of the states (m,), and moves (m, roles).

        `looked` is what `look` gave for the states. The joint moves are in the order of the states, then of the first
        role's moves, and so on.
        """
        from gdl.simulator.enumeration import joint_moves

        return joint_moves(looked, self.legal_words, self.move_words, self.first_moves)

    def terminal(self, looked: Words) -> NDArray[np.bool_]:
        """Where the game is over: (n,)."""
        import numpy as np

        return (looked[:, 0] & np.uint64(1)).astype(np.bool_)

    def goal_values(self, looked: Words) -> NDArray[np.int16]:
        """Each role's goal value: (n, roles); `NO_GOAL` where the rules give none, several, or no whole number."""
        return self.values_of(looked[:, self.goals_word :])

    def values_of(self, goals: Words) -> NDArray[np.int16]:
        """The same from the words with the goals alone."""
        from gdl.simulator.enumeration import goal_values

        return goal_values(goals, self.roles_of_goals, self.values_of_goals, len(self.first_moves))

    @cached_property
    def roles_of_goals(self) -> NDArray[np.int16]:
        """For each goal the number of its role."""
        import numpy as np

        return np.array([role for role, _ in self.goals], np.int16)

    @cached_property
    def values_of_goals(self) -> NDArray[np.int16]:
        """For each goal its value; what is no whole number, or too large, stands for none."""
        import numpy as np

        texts = [value.text for _, value in self.goals]
        numbers = [int(text) if WHOLE_NUMBER.fullmatch(text) else NO_GOAL for text in texts]
        return np.array([number if abs(number) < 2**15 else NO_GOAL for number in numbers], np.int16)

    def playouts(self, states: Words, seed: int = 0, max_plies: int = 10_000) -> NDArray[np.int16]:
        """The goal values (n, roles) that one random playout from each state ends with.

        A playout that is not over after so many plies counts with the goals that hold then. The same seed gives the
        same playouts, from the same states, on every machine. Terminal states have their goal values. A playout that
        comes to a state where a role has no legal move gives none. Raises ValueError if `max_plies` is less than 1.
        """
        if max_plies < 1:
            raise ValueError(f"playouts of at most {max_plies} plies")
        looked = self.look(states)
        values = self.goal_values(looked)
        open_ = ~self.terminal(looked)
        if open_.any():
            values[open_] = self.values_of(Playouts(self, seed).run(states[open_], max_plies))
        return values

    def pack(self, states: Sequence[PackedState]) -> Words:
        """States of the simulator as an array (n, state_words)."""
        import numpy as np

        bits = b"".join(self.simulator._own(state).bits for state in states)
        return np.frombuffer(bits, np.uint64).reshape(len(states), self.state_words)

    def unpack(self, states: Words) -> list[PackedState]:
        """The states of an array, as states of the simulator."""
        return [PackedState(self.simulator, row.tobytes()) for row in states]

    def _fitted(self, states: Words) -> Words:
        """States in memory as the code needs them: in a row, a multiple of 512."""
        import numpy as np

        count = _padded(len(states))
        if count == len(states):
            return np.ascontiguousarray(states)
        fitted = np.empty((count, self.state_words), np.uint64)
        fitted[: len(states)] = states
        # What is in the lanes left over must be a state that can be reached.
        fitted[len(states) :] = states[0]
        return fitted


@final
class Playouts:
    """Random playouts from many states, with random numbers and memory of their own."""

    def __init__(self, arrays: Arrays, seed: int) -> None:
        import numpy as np

        self._arrays = arrays
        self._code: OnceCode = arrays._compiler.once()
        base, first = self._code.base, self._code.layout.generators
        seeds = np.array(seed_words(seed, 4 * LANES // 64), np.uint64)
        base[:, first : first + 4] = seeds.reshape(4, len(base), -1).swapaxes(0, 1)

    def run(self, states: Words, max_plies: int) -> Words:
        """The goals that hold at the end of a playout from each state, none of which is terminal.

        They are bits of words, (n, len(goals) // 64 + 1); the bit after them says that the playout was not over after
        so many plies.
        """
        import numpy as np

        fitted = self._arrays._fitted(states)
        goals = np.zeros((len(fitted), len(self._arrays.goals) // 64 + 1), np.uint64)
        # A lane that draws no move stays where it is for a step: some more steps than plies.
        if len(states):
            self._code.run(fitted, goals, max_plies)
        return goals[: len(states)]


def _padded(count: int) -> int:
    return -(-count // LANES) * LANES
