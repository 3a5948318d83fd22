"""Calls of a game's code: machine code or, for a large circuit, a program for the interpreter.

Rows are arrays of the shape (vectors of lanes, rows, words), uint64. 512 lanes are one vector of 8 words, or several
narrower vectors, depending on the processor. The interpreter's vectors have 8 words.
"""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, final

from gdl.circuit.game import GameCircuit
from gdl.codegen.evaluation import words
from gdl.codegen.interface import Target
from gdl.codegen.llvm.machine_code import Library, host
from gdl.codegen.llvm.playout_loop import LANES, Layout
from gdl.codegen.llvm.state_loops import blocks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.codegen.interpreter.program import Program

    Rows = NDArray[np.uint64]

_POINTER: Final = ctypes.c_void_p

#: The vectors of the interpreter.
WIDE: Final = Target(LANES, ternary=False)


def aligned_rows(vectors: int, rows: int, words: int) -> Rows:
    """Return zeros of the shape (vectors, rows, words), aligned to 64 bytes; 64 rows can be read from any row on."""
    import numpy as np

    size = vectors * rows * words
    memory = np.zeros(size + 8 + 64 * words, np.uint64)
    start = -(memory.ctypes.data // 8) % 8
    return memory[start : start + size].reshape(vectors, rows, words)


def aligned_array(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Return an array to be filled, aligned to 64 bytes, so that JAX takes its memory over instead of a copy."""
    import numpy as np

    size = math.prod(shape) * np.dtype(dtype).itemsize
    memory = np.empty(size + 63, np.uint8)
    return np.ndarray(shape, dtype, memory, -memory.ctypes.data % 64)


@final
class PlayoutMemory:
    """The memory of playouts: the state of all lanes, and the rows that a `Layout` names.

    `states[0]` (parts, rows, words) is the current state; `base` has the same shape, with other rows.
    """

    def __init__(self, states: list[Rows], base: Rows) -> None:
        """Take the memory; there is another state if steps do not replace the state in place."""
        self.states = states
        self.base = base

    @property
    def addresses(self) -> list[int]:
        """The addresses of the state, of the next state (the same one if steps replace it in place), and of `base`."""
        return [rows.ctypes.data for rows in (self.states[0], self.states[-1], self.base)]


@final
class PlayoutCode:
    """Code for playouts; see `gdl.codegen.llvm.playout_loop`."""

    def __init__(self, code: Library | dict[str, Program], layout: Layout) -> None:
        """Prepare to call some code, given the layout of its memory."""
        self.layout = layout
        self.target = host().vector if isinstance(code, Library) else WIDE
        self._programs = {} if isinstance(code, Library) else code
        self._function: Any = None
        if isinstance(code, Library):
            long = ctypes.c_int64
            types = (_POINTER, _POINTER, _POINTER, long, long, long, ctypes.c_bool)
            self._function = code.function("run", long, *types)

    def memory(self) -> PlayoutMemory:
        """Return memory for 512 lanes."""
        layout, parts, words = self.layout, LANES // self.target.bits, self.target.words
        if self._function is None:
            rows = aligned_rows(parts, max(program.rows for program in self._programs.values()), words)
            return PlayoutMemory([rows[:, layout.rows : layout.rows + layout.state]], rows)
        # NumPy does not align an array without rows, so there is one row even if no fact matters.
        states = [aligned_rows(parts, layout.state or 1, words) for _ in range(1 if layout.in_place else 2)]
        return PlayoutMemory(states, aligned_rows(parts, layout.rows, words))

    def run(self, memory: PlayoutMemory, rounds: int, interval: int, draining: bool) -> int:
        """Execute up to `rounds` rounds, each of up to `interval` steps, and return the number of steps."""
        states, base = memory.states, memory.base
        if self._function is None:
            from gdl.codegen.interpreter import program as interpreter

            return interpreter.run(self._programs, self.layout, list(base), rounds, interval, draining)
        steps = int(self._function(*memory.addresses, len(base), rounds, interval, draining))
        if steps % 2:
            states.reverse()
        return steps


@final
class StateLayout:
    """The positions of the results for one state, in 64-bit words; bit 0 of word 0 is set if it is terminal."""

    def __init__(self, game: GameCircuit) -> None:
        """Lay out the results for a game."""
        ranges = [game.moves_of(role) for role in range(len(game.roles))]
        #: The number of each role's first move, the number of words of its legal moves, and the first of these words.
        self.first_moves = tuple(moves.start for moves in ranges)
        self.move_words = tuple(words(len(moves)) for moves in ranges)
        self.legal_words = tuple(1 + sum(self.move_words[:role]) for role in range(len(ranges)))
        #: The first word of the goals, with their roles and values.
        self.goals_word = 1 + sum(self.move_words)
        self.goals = tuple(game.goals)
        #: The numbers of words of a state, and of the longer result of `look` and `move`.
        self.state_words = words(len(game.facts))
        looked = self.goals_word + words(len(game.goals))
        self.out_words = max(looked, self.state_words + words(len(game.sees)))


@final
class StateCode:
    """Code that evaluates one state at a time, with its working memory.

    `look` gives terminal, legal moves and goals, `move` the next state. Threads take turns, as the memory may hold what
    is known of the last state.
    """

    def __init__(self, library: Library, work: int, layout: StateLayout) -> None:
        """Prepare to call some code, which needs `work` words of memory."""
        self._look: Any = library.function("look", None, _POINTER, _POINTER, _POINTER)
        self._move: Any = library.function("move", None, _POINTER, _POINTER, _POINTER, _POINTER)
        self._out = ctypes.create_string_buffer(8 * layout.out_words)
        self._moves = (ctypes.c_int32 * len(layout.first_moves))()
        self._work: Any = (ctypes.c_uint64 * work)()
        self._lock = threading.Lock()

    def look(self, bits: bytes) -> int:
        """Return terminal, legal moves and goals of a state, as the bits of a `StateLayout`."""
        with self._lock:
            self._look(bits, self._out, self._work)
            return int.from_bytes(self._out.raw, "little")

    def move(self, bits: bytes, moves: Sequence[int]) -> bytes:
        """Return the words of the next state, then those of the percepts."""
        with self._lock:
            for role, number in enumerate(moves):
                self._moves[role] = number
            self._move(bits, self._moves, self._out, self._work)
            return self._out.raw


class ArraysCode(Protocol):
    """Code for many states at once: arrays of the shape (states, words), uint64; their number is a multiple of 512."""

    #: True if moves give the percepts, too.
    percepts: bool

    def look(self, states: Rows, looked: Rows) -> None:
        """Write terminal, legal moves and goals of states to `looked`."""
        ...

    def move(self, states: Rows, moves: NDArray[np.int32], following: Rows) -> None:
        """Write the next states to `following`, followed by the percepts if the code gives them.

        `moves` (states, roles) are numbered over all roles; negative for none.
        """
        ...


@final
class MachineArrays:
    """Machine code for packed states, with its working memory."""

    def __init__(self, library: Library, work: int, game: GameCircuit, *, percepts: bool) -> None:
        """Prepare to call some code, which needs `work` rows of memory."""
        self.percepts = percepts
        target = host().vector
        self._bits = target.bits
        state = len(game.facts) + len(game.moves)
        looked = 1 + len(game.moves) + len(game.goals)
        moved = len(game.facts) + len(game.sees)
        self._from = aligned_rows(1, state + 64, target.words)
        self._to = aligned_rows(1, max(looked, state, moved) + 64, target.words)
        self._work = aligned_rows(1, work, target.words)
        rows = (_POINTER, _POINTER, _POINTER)
        self._look: Any = library.function("look", None, _POINTER, _POINTER, ctypes.c_int64, *rows)
        self._move: Any = library.function("move", None, _POINTER, _POINTER, _POINTER, ctypes.c_int64, *rows)
        self._rows = (self._from.ctypes.data, self._to.ctypes.data, self._work.ctypes.data)

    def look(self, states: Rows, looked: Rows) -> None:
        """Write terminal, legal moves and goals of states to `looked`."""
        self._look(states.ctypes.data, looked.ctypes.data, len(states) // self._bits, *self._rows)

    def move(self, states: Rows, moves: NDArray[np.int32], following: Rows) -> None:
        """Write the next states to `following`."""
        parts = len(states) // self._bits
        self._move(states.ctypes.data, moves.ctypes.data, following.ctypes.data, parts, *self._rows)


@final
class _Words:
    """Conversions between words of lanes and rows of 512 lanes."""

    def __init__(self, tools: Library) -> None:
        long = ctypes.c_int64
        self._spread: Any = tools.function("spread", None, _POINTER, long, _POINTER)
        self._gather: Any = tools.function("gather", None, _POINTER, _POINTER, long, long)

    def spread(self, lanes: Rows, rows: Rows) -> None:
        """Write rows (rows, 8), 64 for each word, given words (512, words)."""
        for word in range(lanes.shape[1]):
            start = lanes.ctypes.data + 8 * word
            self._spread(start, 8 * lanes.shape[1], rows.ctypes.data + 64 * word * 8 * rows.shape[1])

    def gather(self, parts: Sequence[int], rows: Rows, lanes: Rows) -> None:
        """Write words (512, words), given rows (rows, 8)."""
        for row, word, mask in blocks(parts):
            start = rows.ctypes.data + row * 8 * rows.shape[1]
            self._gather(start, lanes.ctypes.data + 8 * word, 8 * lanes.shape[1], mask)


@final
class InterpretedArrays:
    """The interpreter for packed states."""

    def __init__(self, code: dict[str, Program], game: GameCircuit, tools: Library, *, percepts: bool) -> None:
        """Prepare to run the programs; `tools` has the functions of `WORD_FUNCTIONS`."""
        self.percepts = percepts
        self._code = code
        self._words = _Words(tools)
        self._facts = len(game.facts)
        self._moved_parts = (self._facts, len(game.sees) if percepts else 0)
        ranges = [game.moves_of(role) for role in range(len(game.roles))]
        self._looked_parts = (1, *map(len, ranges), len(game.goals))
        size = max(len(game.facts) + len(game.moves), *(len(program.outputs) for program in code.values()))
        self._rows = aligned_rows(1, size + 64, 8)[0]
        self._results = aligned_rows(1, size + 64, 8)[0]
        self._work = aligned_rows(1, max(program.rows for program in code.values()), 8)[0]

    def look(self, states: Rows, looked: Rows) -> None:
        """Write terminal, legal moves and goals of states to `looked`."""
        for start in range(0, len(states), LANES):
            group = slice(start, start + LANES)
            self._words.spread(states[group], self._rows)
            self._apply("look")
            self._words.gather(self._looked_parts, self._results, looked[group])

    def move(self, states: Rows, moves: NDArray[np.int32], following: Rows) -> None:
        """Write the next states to `following`."""
        import numpy as np

        for start in range(0, len(states), LANES):
            group = slice(start, start + LANES)
            self._words.spread(states[group], self._rows)
            self._rows[self._facts :] = 0
            lane, role = np.nonzero(moves[group] >= 0)
            does = self._rows[self._facts :].view(np.uint8)
            np.bitwise_or.at(does, (moves[group][lane, role], lane >> 3), np.uint8(1) << (lane & 7).astype(np.uint8))
            self._apply("move")
            self._words.gather(self._moved_parts, self._results, following[group])

    def _apply(self, name: str) -> None:
        from gdl.codegen.interpreter import program as interpreter

        program = self._code[name]
        source, target = self._rows[: len(program.inputs)], self._results[: len(program.outputs)]
        interpreter.apply(program, source, target, self._work)


@final
class OnceCode:
    """Code for one random playout from each of many states; their number is a multiple of 512."""

    def __init__(self, code: Library | dict[str, Program], layout: Layout, game: GameCircuit, tools: Library) -> None:
        """Prepare to call some code; `tools` has the functions of `WORD_FUNCTIONS`."""
        import numpy as np

        self.layout = layout
        self.goals = layout.goals
        self._code = PlayoutCode(code, layout)
        self._memory = memory = self._code.memory()
        #: Begins with the rows of the generators, which the caller must set.
        self.base = memory.base
        self._facts = aligned_rows(1, len(game.facts) + 64, self._code.target.words)
        self._function: Any = None
        if isinstance(code, Library):
            long = ctypes.c_int64
            pointers = (_POINTER,) * 4
            self._function = code.function("once", None, _POINTER, _POINTER, long, *pointers, long)
        else:
            self._words = _Words(tools)
            self._chosen, self._renamed = (np.array(facts, np.intp) for facts in (layout.facts, layout.renamed))

    def run(self, states: Rows, goals: Rows, steps: int) -> None:
        """Write the goals (states, words) that hold at the ends of playouts of at most `steps` steps.

        The bit after those of the goals is set if a playout was not over then.
        """
        layout, memory = self.layout, self._memory
        if self._function is not None:
            pointers = *memory.addresses, self._facts.ctypes.data
            self._function(states.ctypes.data, goals.ctypes.data, len(states) // LANES, *pointers, steps)
            return
        base, state = memory.base[0], memory.states[0][0]
        for start in range(0, len(states), LANES):
            group = slice(start, start + LANES)
            rows, facts = self._facts[0], len(self._chosen)
            self._words.spread(states[group], rows)
            state[:facts] = rows[self._chosen]
            state[facts:] = 0
            if layout.renamed:
                lanes = rows[layout.other]
                state[:facts] = (rows[self._renamed] & lanes) | (state[:facts] & ~lanes)
                state[facts] = lanes
            base[layout.active] = ~base[layout.active] | base[layout.active]
            self._code.run(memory, 1, steps, draining=False)
            # After the memory's last row, there is room for the 64 rows that words are made of at a time.
            self._words.gather((self.goals + 1,), base[layout.finals :], goals[group])
