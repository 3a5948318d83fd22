"""Machine code for one state at a time: what search in compiled code is built on."""

from __future__ import annotations

import ctypes
from typing import Any, Final, final

from gdl.codegen.llvm.machine_code import Library
from gdl.simulator.compiled_code import AnswerWords


@final
class Kernels:
    """Functions over states packed in 64-bit words, with pointers as integers; Numba can call them too.

    `look(state, out, work)` writes what a state allows to `out`: bit 0 of word 0 says whether it is terminal; the legal
    moves of role `r` are bits from word `legal_words[r]` on, in the order of `Simulator.moves(role)`; the goals that
    hold are bits from word `goals_word` on, with the roles' numbers and values in `goals`.

    `legal(out, legal_words[r], move_words[r], moves)` lists the role's legal moves in `moves` (int32, room for all)
    and returns how many there are. `move(state, moves, out, work)` takes the number of each role's move among all
    moves, `first_moves[r]` plus its place in the list (int32), and writes the next state to the first `state_words`
    words of `out`; the moves must be legal.

    `work` is memory of `work_words` words, zero at first, for one thread at a time; `out` has `out_words`.
    """

    def __init__(self, library: Library, work: int, places: AnswerWords) -> None:
        pointer, long = ctypes.c_void_p, ctypes.c_long
        self.look: Final[Any] = library.function("look", None, pointer, pointer, pointer)
        self.move: Final[Any] = library.function("move", None, pointer, pointer, pointer, pointer)
        self.legal: Final[Any] = library.function("legal", long, pointer, long, long, pointer)
        self.first_moves = places.first_moves
        self.move_words = places.move_words
        self.legal_words = places.legal_words
        self.goals_word = places.goals_word
        self.goals = places.goals
        self.state_words = places.state_words
        self.out_words = places.out_words
        self.work_words = work
