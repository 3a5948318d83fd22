"""Machine code for one state at a time: the basis of search in compiled code."""

from __future__ import annotations

import ctypes
from typing import Any, Final, final

from gdl.codegen.llvm.machine_code import Library
from gdl.simulator.compiled_code import StateLayout


@final
class Kernels:
    """Functions over states packed in 64-bit words, with pointers as integers; Numba can call them, too.

    `look(state, out, work)` evaluates a state, and writes the results to `out`. Bit 0 of word 0 is set if the state is
    terminal; the legal moves of role `r` are bits from word `legal_words[r]` on, in the order of
    `Simulator.all_moves(role)`; the goals that hold are bits from word `goals_word` on, and `goals` has their roles'
    numbers and their values.

    `legal(out, legal_words[r], move_words[r], moves)` lists the role's legal moves in `moves` (int32, room for all)
    and returns their number. `move(state, moves, out, work)` takes the number of each role's move, `first_moves[r]`
    plus its position in the list (int32), and writes the next state to the first `state_words` words of `out`; the
    moves must be legal.

    `work` has `work_words` words, which must be zero at first, and serves one thread at a time; `out` has `out_words`.
    Nobody else may write to `work`. Where little changes from state to state, it holds the last state, and only what
    differs from it is evaluated anew: so it pays to use the same memory for states that have much in common.
    """

    def __init__(self, library: Library, work: int, layout: StateLayout) -> None:
        """Look up the functions of a library, which needs `work` words of memory."""
        pointer, long = ctypes.c_void_p, ctypes.c_int64
        self.look: Final[Any] = library.function("look", None, pointer, pointer, pointer)
        self.move: Final[Any] = library.function("move", None, pointer, pointer, pointer, pointer)
        self.legal: Final[Any] = library.function("legal", long, pointer, long, long, pointer)
        self.first_moves = layout.first_moves
        self.move_words = layout.move_words
        self.legal_words = layout.legal_words
        self.goals_word = layout.goals_word
        self.goals = layout.goals
        self.state_words = layout.state_words
        self.out_words = layout.out_words
        self.work_words = work
