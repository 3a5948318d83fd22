"""Calls of a game's code for states in columns: machine code or, for a large circuit, a program for the interpreter.

Columns are arrays of the shape (blocks, words, 512); see `gdl.codegen.llvm.column_loops`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, final

from gdl.circuit.game import GameCircuit
from gdl.codegen.evaluation import words
from gdl.codegen.llvm.column_loops import Packing, packing
from gdl.codegen.llvm.machine_code import Library, host
from gdl.codegen.llvm.playout_loop import LANES
from gdl.simulator.compiled_code import WIDE, aligned_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.codegen.interpreter.program import Program

    Columns = NDArray[np.uint64]

_POINTER: Final = ctypes.c_void_p


def looked_packing(game: GameCircuit) -> Packing:
    """Return the places of terminal, of each role's legal moves, and of the goals."""
    return packing([1, *(len(game.moves_of(role)) for role in range(len(game.roles))), len(game.goals)])


class ColumnsCode(Protocol):
    """Code for many states, whose arrays are contiguous. Lanes whose byte of `still` is not 0 are not changed."""

    #: The arguments of `kernel_calls.move_columns` for one block, but the arrays: (6,), int64.
    native: NDArray[np.int64]

    def raise_errors(self) -> None:
        """Raise what has been raised in a call by `native`; to be called after each call of compiled code with it."""
        ...

    def look(self, states: Columns, still: NDArray[np.int8], looked: Columns) -> None:
        """Write terminal, legal moves and goals of states to `looked`, packed as in `looked_packing`."""
        ...

    def move(self, states: Columns, moves: NDArray[np.int32], still: NDArray[np.int8], looked: Columns) -> None:
        """Replace states by those after moves (blocks, roles, 512), and look at them.

        Moves are numbered over all roles. A lane in which one is negative must be still.
        """
        ...


@final
class MachineColumns:
    """Machine code, with its working memory."""

    def __init__(self, library: Library, work: int, game: GameCircuit) -> None:
        """Prepare to call some code, which needs `work` rows of memory."""
        import numpy as np

        target = host().vector
        self._vectors = LANES // target.bits
        facts, moves = len(game.facts), len(game.moves)
        sizes = (facts + moves + 64, facts + 64, 1 + moves + len(game.goals) + 64, work)
        self._rows = [aligned_rows(1, size, target.words) for size in sizes]
        self._pointers = [rows.ctypes.data for rows in self._rows]
        arguments = (_POINTER,) * 4 + (ctypes.c_int64,) + (_POINTER,) * 4
        self._look: Any = library.function("look", None, *arguments)
        self._move: Any = library.function("move", None, *arguments)
        address = ctypes.cast(self._move, _POINTER).value or 0
        self.native = np.array([address, self._vectors, *self._pointers], np.int64)

    def raise_errors(self) -> None:
        """Do nothing: machine code raises no errors."""

    def look(self, states: Columns, still: NDArray[np.int8], looked: Columns) -> None:
        """Write terminal, legal moves and goals of states to `looked`."""
        self._call(self._look, states, None, still, looked)

    def move(self, states: Columns, moves: NDArray[np.int32], still: NDArray[np.int8], looked: Columns) -> None:
        """Replace states by those after moves, and look at them."""
        self._call(self._move, states, moves.ctypes.data, still, looked)

    def _call(
        self, function: Any, states: Columns, moves: int | None, still: NDArray[np.int8], looked: Columns
    ) -> None:
        lanes = states.ctypes.data, moves, still.ctypes.data, looked.ctypes.data
        function(*lanes, len(states) * self._vectors, *self._pointers)


@final
class InterpretedColumns:
    """The interpreter, with its working memory."""

    def __init__(self, code: dict[str, Program], game: GameCircuit, tools: Library) -> None:
        """Prepare to run the programs; `tools` has the functions of `COLUMN_FUNCTIONS` for its vectors."""
        import numpy as np

        self._code = code
        self._game = game
        rows = max(len(game.facts) + len(game.moves), *(len(program.outputs) for program in code.values())) + 64
        self._from = aligned_rows(1, rows, WIDE.words)[0]
        self._to = aligned_rows(1, rows, WIDE.words)[0]
        self._work = aligned_rows(1, max(program.rows for program in code.values()), WIDE.words)[0]
        self._plan = looked_packing(game).words
        long = ctypes.c_int64
        self._spread: Any = tools.function("column_spread", None, _POINTER, _POINTER)
        self._gather: Any = tools.function("column_gather", None, _POINTER, _POINTER, _POINTER, long)
        self._mark: Any = tools.function("column_mark", None, _POINTER, long, _POINTER, long)
        self._look_words = len(self._plan)
        self._error: BaseException | None = None
        self._callback = ctypes.CFUNCTYPE(None, *(_POINTER,) * 4)(self._called)
        self.native = np.array([ctypes.cast(self._callback, _POINTER).value or 0, 0, 0, 0, 0, 0], np.int64)

    def raise_errors(self) -> None:
        """Raise what `move` has raised, for example KeyboardInterrupt, as ctypes does not pass it on."""
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def _called(self, states: int, moves: int, still: int, looked: int) -> None:
        """Do `move` for one block, given the addresses of the arrays."""
        from numpy.ctypeslib import as_array

        def at(address: int, kind: Any, rows: int) -> Any:
            return as_array((kind * (rows * LANES)).from_address(address)).reshape(1, rows, LANES)

        try:
            columns = at(states, ctypes.c_uint64, words(len(self._game.facts)))
            chosen = at(moves, ctypes.c_int32, len(self._game.roles))
            results = at(looked, ctypes.c_uint64, self._look_words)
            self.move(columns, chosen, at(still, ctypes.c_int8, 1)[:, 0], results)
        except BaseException as error:
            self._error = self._error or error

    def look(self, states: Columns, still: NDArray[np.int8], looked: Columns) -> None:
        """Write terminal, legal moves and goals of states to `looked`."""
        for block, own in enumerate(states):
            self._rows_of(own)
            self._apply("look")
            self._columns_of(self._plan, still[block], looked[block])

    def move(self, states: Columns, moves: NDArray[np.int32], still: NDArray[np.int8], looked: Columns) -> None:
        """Replace states by those after moves, and look at them."""
        facts = len(self._game.facts)
        for block, own in enumerate(states):
            self._rows_of(own)
            self._from[facts:] = 0
            does = self._from[facts:].ctypes.data
            self._mark(moves[block].ctypes.data, moves.shape[1], does, LANES)
            self._apply("move")
            self._columns_of([(first, min(64, facts - first)) for first in range(0, facts, 64)], still[block], own)
        self.look(states, still, looked)

    def _rows_of(self, columns: Columns) -> None:
        for word in range(words(len(self._game.facts))):
            self._spread(columns[word].ctypes.data, self._from[64 * word :].ctypes.data)

    def _columns_of(self, plan: Sequence[tuple[int, int]], still: NDArray[np.int8], columns: Columns) -> None:
        for word, (row, width) in enumerate(plan):
            mask = (1 << width) - 1 if width < 64 else -1
            self._gather(self._to[row:].ctypes.data, columns[word].ctypes.data, still.ctypes.data, mask)

    def _apply(self, name: str) -> None:
        from gdl.codegen.interpreter import program as interpreter

        program = self._code[name]
        source, target = self._from[: len(program.inputs)], self._to[: len(program.outputs)]
        interpreter.apply(program, source, target, self._work)
