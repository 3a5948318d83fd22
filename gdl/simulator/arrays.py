"""Queries about many states at once, packed in arrays: the basis of learning, search and solving."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, final

from gdl.codegen.llvm.playout_loop import LANES
from gdl.reasoner.joint_moves import role_named
from gdl.simulator.compiled_code import ArraysCode, OnceCode
from gdl.simulator.packed_state import PackedState
from gdl.simulator.seeds import checked_count, checked_seed
from gdl.simulator.seeds import words as seed_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.simulator.simulator import Simulator

    Words = NDArray[np.uint64]

#: In `Arrays.goal_values` and `Arrays.playouts`, stands for goals that are not exactly one whole number from 0 to 100.
NO_GOAL: Final = -1


@final
class Arrays:
    """Queries about many states of a game; made by `Simulator.arrays`. A call takes any number of states.

    A state is a row of `state_words` 64-bit words, with the bits of `PackedState.bits`: an array of states has the
    shape (n, state_words), uint64. The result of `look` for a state is a row of `look_words` words. Bit 0 of word 0 is
    set if the state is terminal. The legal moves of role `r` are bits of the `move_words[r]` words from
    `legal_words[r]` on, in the order of `Simulator.all_moves(role)`. The goals that hold are bits from word
    `goals_word` on; `goals` has their roles' numbers and their values. Moves are numbered over all roles:
    `first_moves[r]` plus the position in the role's list.

    Results are only right for reachable states, and for legal moves. Arrays may be read-only, and need not be
    contiguous. Arrays of the wrong shape, and moves that are not numbers of the role's moves, raise ValueError; arrays
    of other types raise TypeError. Calls release the GIL; concurrent calls wait for each other, as they share their
    working memory.
    """

    def __init__(self, simulator: Simulator) -> None:
        """Describe the arrays; code is made, or read from the cache, when it is first called."""
        self.simulator = simulator
        layout = simulator.layout
        self.first_moves = layout.first_moves
        self.move_words = layout.move_words
        self.legal_words = layout.legal_words
        self.goals_word = layout.goals_word
        self.goals = layout.goals
        self.state_words = layout.state_words
        self.goal_words = -(-len(layout.goals) // 64)
        self.look_words = layout.goals_word + self.goal_words
        #: The number of the role and the term of each percept that may ever be seen, in the order of their bits.
        self.percepts = tuple(simulator.circuit.sees)
        self.percept_words = -(-len(self.percepts) // 64)
        self._compiler = simulator._compiler
        self._lock = threading.Lock()
        #: The number of each role's moves.
        self._own_moves = tuple(len(simulator.all_moves(role)) for role in simulator.roles)

    @cached_property
    def _code(self) -> ArraysCode:
        return self._compiler.arrays()

    @cached_property
    def _perceiving(self) -> ArraysCode:
        """Code whose moves give percepts, too."""
        return self._compiler.arrays(percepts=True)

    def __repr__(self) -> str:
        """Return the game."""
        return f"<Arrays of {self.simulator!r}>"

    def look(self, states: Words) -> Words:
        """Return terminal, legal moves and goals of states: (n, look_words)."""
        import numpy as np

        states = self._words(states, "states", self.state_words)
        count = len(states)
        out = np.empty((_padded(count), self.look_words), np.uint64)
        if count:
            with self._lock:
                self._code.look(self._fitted(states), out)
        return out[:count]

    def move(self, states: Words, moves: NDArray[np.int32]) -> Words:
        """Return the states after joint moves (n, roles); these must be legal, and the states not terminal.

        Raises ValueError if a move is not one of the role's.
        """
        return self._moved(states, moves, 0)

    def move_and_see(self, states: Words, moves: NDArray[np.int32]) -> tuple[Words, Words]:
        """Return the states after joint moves, as `move` does, and what the roles see of these: (n, percept_words).

        The bits of percepts are in the order of `percepts` (GDL-II). The code is made on the first call.
        """
        out = self._moved(states, moves, self.percept_words)
        return out[:, : self.state_words], out[:, self.state_words :]

    def _moved(self, states: Words, moves: NDArray[np.int32], percept_words: int) -> Words:
        """Return the words of the states after joint moves, followed by those of percepts if any are wanted."""
        import numpy as np

        states = self._words(states, "states", self.state_words)
        count = len(states)
        moves = self._moves(moves, count)
        out = np.empty((_padded(count), self.state_words + percept_words), np.uint64)
        if count:
            done = np.full((len(out), len(self.first_moves)), -1, np.int32)
            done[:count] = moves
            code = self._perceiving if percept_words else self._code
            with self._lock:
                code.move(self._fitted(states), done, out)
        return out[:count]

    def joint_moves(self, looked: Words) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return all joint moves in states that are not terminal: numbers of states (m,), and moves (m, roles).

        `looked` is the result of `look` for the states. The joint moves are sorted by state, then by the first role's
        move, and so on.
        """
        from gdl.simulator.enumeration import joint_moves

        looked = self._words(looked, "looked", self.look_words)
        return joint_moves(looked, self.legal_words, self.move_words, self.first_moves)

    def random_moves(self, looked: Words, random: np.random.Generator) -> NDArray[np.int32]:
        """Return a legal move of each role in each state, drawn uniformly: (n, roles); -1 where a role has none.

        `looked` is the result of `look` for the states. The moves that are legal by the rules count, even if a state is
        terminal.
        """
        return self.moves_at(looked, random.random((len(looked), len(self.first_moves))))

    def moves_at(self, looked: Words, places: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return a legal move of each role in each state, as `random_moves` does, given `places` (n, roles).

        They are from 0 to less than 1: the share of the role's legal moves that come before the one to return.
        """
        from gdl.simulator.enumeration import drawn_moves

        looked = self._words(looked, "looked", self.look_words)
        return drawn_moves(looked, self.legal_words, self.move_words, self.first_moves, places)

    def terminal(self, looked: Words) -> NDArray[np.bool_]:
        """Return, for each state, True if it is terminal: (n,)."""
        import numpy as np

        looked = self._words(looked, "looked", self.look_words)
        return (looked[:, 0] & np.uint64(1)).astype(np.bool_)

    def facts(self, states: Words) -> NDArray[np.bool_]:
        """Return, for each state, True for each fact that holds: (n, facts), in the order of `Simulator.all_facts`."""
        states = self._words(states, "states", self.state_words)
        return _flags(states, len(self.simulator.all_facts))

    def legal(self, looked: Words, role: str) -> NDArray[np.bool_]:
        """Return, for each state, True for each move that is legal for a role: (n, moves), even if it is terminal.

        `looked` is the result of `look` for the states. The moves are in the order of `Simulator.all_moves(role)`.
        """
        number = self.simulator.roles.index(role_named(role, self.simulator.roles))
        looked = self._words(looked, "looked", self.look_words)
        return _flags(looked[:, self.legal_words[number] :], self._own_moves[number])

    def goal_values(self, looked: Words) -> NDArray[np.int16]:
        """Return each role's goal value: (n, roles); `NO_GOAL` unless there is exactly one, from 0 to 100."""
        return self.values_of(self._words(looked, "looked", self.look_words)[:, self.goals_word :])

    def values_of(self, goals: Words) -> NDArray[np.int16]:
        """Return goal values like `goal_values`, given only the words of the goals: (n, goal_words or more)."""
        import numpy as np

        from gdl.simulator.enumeration import goal_values

        goals = np.asarray(goals)
        width = goals.shape[1] if goals.ndim == 2 else 0
        goals = self._words(goals, "goals", max(width, self.goal_words))

        return goal_values(goals, self.roles_of_goals, self.values_of_goals, len(self.first_moves))

    @cached_property
    def roles_of_goals(self) -> NDArray[np.int64]:
        """The role's number of each goal: (len(goals),)."""
        import numpy as np

        return np.array([role for role, _ in self.simulator.goal_table], np.int64)

    @cached_property
    def values_of_goals(self) -> NDArray[np.int16]:
        """The value of each goal: (len(goals),); `NO_GOAL` if it is not a whole number from 0 to 100."""
        import numpy as np

        values = [NO_GOAL if value is None else value for _, value in self.simulator.goal_table]
        return np.array(values, np.int16)

    def playouts(self, states: Words, seed: int = 0, max_plies: int = 10_000) -> NDArray[np.int16]:
        """Return the goal values (n, roles) at the end of one random playout from each state.

        A playout that is not over after `max_plies` plies counts with the goals that hold then. Playouts from the same
        states with the same seed are the same on every machine. Terminal states have their own goal values. Playouts
        that reach a state in which a role has no legal move have none. `seed` and `max_plies` are those of
        `Simulator.playouts`.
        """
        seed, max_plies = checked_seed(seed), checked_count("max_plies", max_plies)
        states = self._words(states, "states", self.state_words)
        looked = self.look(states)
        values = self.goal_values(looked)
        open_ = ~self.terminal(looked)
        if open_.any():
            values[open_] = self.values_of(Playouts(self, seed).run(states[open_], max_plies))
        return values

    def pack(self, states: Sequence[PackedState]) -> Words:
        """Return states of the Simulator as an array (n, state_words)."""
        import numpy as np

        bits = b"".join(self.simulator._own(state).bits for state in states)
        return np.frombuffer(bits, np.uint64).reshape(len(states), self.state_words)

    def unpack(self, states: Words) -> list[PackedState]:
        """Return the states of an array as states of the Simulator. Raises ValueError if bits are set of no fact."""
        import numpy as np

        states = self._words(states, "states", self.state_words)
        beyond = np.uint64(2**64 - 2 ** ((len(self.simulator.all_facts) - 1) % 64 + 1))
        if states.shape[1] and (states[:, -1] & beyond).any():
            raise ValueError("the bits are not those of states of this game")
        return [PackedState(self.simulator, row.tobytes()) for row in states]

    def _words(self, given: Words, name: str, width: int) -> Words:
        """Return an array of words, after checking its type and shape."""
        import numpy as np

        array = np.asarray(given)
        if array.dtype != np.uint64:
            raise TypeError(f"{name} must be an array of uint64, not of {array.dtype}")
        if array.ndim != 2 or array.shape[1] != width:
            raise ValueError(f"{name} must have the shape (n, {width}), not {array.shape}")
        return array

    def _moves(self, given: NDArray[np.int32], count: int) -> NDArray[np.int32]:
        """Return numbers of moves as int32, after checking that each is one of its role's."""
        import numpy as np

        moves = np.asarray(given)
        if moves.dtype.kind not in "iu":
            raise TypeError(f"moves must be an array of integers, not of {moves.dtype}")
        if moves.shape != (count, len(self.first_moves)):
            raise ValueError(f"moves must have the shape {(count, len(self.first_moves))}, not {moves.shape}")
        for role, (first, own) in enumerate(zip(self.first_moves, self._own_moves, strict=True)):
            column = moves[:, role]
            # Negative numbers become large ones, so that one comparison finds both kinds of wrong moves.
            if count and moves.dtype == np.int32 and (column.view(np.uint32) - np.uint32(first)).max() < own:
                continue
            wrong = (column < first) | (column >= first + own)
            if wrong.any():
                place = int(wrong.argmax())
                raise ValueError(
                    f"moves of {self.simulator.roles[role]} have numbers from {first} to {first + own - 1}, "
                    f"not {column[place]} as in row {place}"
                )
        return moves.astype(np.int32, copy=False)

    def _fitted(self, states: Words) -> Words:
        """Return states as the code needs them: contiguous in memory, and padded to a multiple of 512."""
        import numpy as np

        count = _padded(len(states))
        if count == len(states):
            return np.require(states, np.uint64, ["C", "A"])
        fitted = np.empty((count, self.state_words), np.uint64)
        fitted[: len(states)] = states
        # The remaining lanes must contain a reachable state, too.
        fitted[len(states) :] = states[0]
        return fitted


@final
class Playouts:
    """Random playouts from many states, with their own random numbers and memory."""

    def __init__(self, arrays: Arrays, seed: int) -> None:
        """Load the code, and seed its generators."""
        import numpy as np

        self._arrays = arrays
        self._code: OnceCode = arrays._compiler.once()
        base, first = self._code.base, self._code.layout.generators
        seeds = np.array(seed_words(seed, 4 * LANES // 64), np.uint64)
        base[:, first : first + 4] = seeds.reshape(4, len(base), -1).swapaxes(0, 1)

    def run(self, states: Words, max_plies: int) -> Words:
        """Return the goals that hold at the end of a playout from each state; no state may be terminal.

        They are bits of words, (n, len(goals) // 64 + 1); the bit after them is set if the playout was not over after
        `max_plies` plies.
        """
        import numpy as np

        states = self._arrays._words(states, "states", self._arrays.state_words)
        max_plies = checked_count("max_plies", max_plies)
        fitted, plies = self._arrays._fitted(states), self._code.layout.plies
        goals = np.zeros((len(fitted), len(self._arrays.goals) // 64 + 1), np.uint64)
        # A lane without an accepted draw waits for a step, so its playout may be cut off a little earlier. With phases,
        # a step makes several plies, and a lane waits for its phase at first.
        if len(states):
            self._code.run(fitted, goals, -(-max_plies // plies) + (plies > 1))
        return goals[: len(states)]


def _flags(words: Words, count: int) -> NDArray[np.bool_]:
    """Return the first bits of each row of words as truth values: (n, count)."""
    import numpy as np

    octets = np.ascontiguousarray(words[:, : -(-count // 64)]).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=count, bitorder="little").view(np.bool_)


def _padded(count: int) -> int:
    return -(-count // LANES) * LANES
