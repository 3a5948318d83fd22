"""Machine code for one state at a time: what search in compiled code is built on."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final, final

from gdl.circuit.game import GameCircuit
from gdl.codegen.evaluate import words
from gdl.codegen.native import Library


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

    def __init__(self, states: Callable[[], tuple[Library, int]], game: GameCircuit) -> None:
        library, work = states()
        pointer, long = ctypes.c_void_p, ctypes.c_long
        self.look: Final[Any] = library.function("look", None, pointer, pointer, pointer)
        self.move: Final[Any] = library.function("move", None, pointer, pointer, pointer, pointer)
        self.legal: Final[Any] = library.function("legal", long, pointer, long, long, pointer)
        ranges = [game.moves_of(role) for role in range(len(game.roles))]
        self.first_moves = tuple(moves.start for moves in ranges)
        self.move_words = tuple(words(len(moves)) for moves in ranges)
        self.legal_words = tuple(1 + sum(self.move_words[:role]) for role in range(len(ranges)))
        self.goals_word = 1 + sum(self.move_words)
        self.goals = tuple(game.goals)
        self.state_words = words(len(game.facts))
        looked = self.goals_word + words(len(game.goals))
        self.out_words = max(looked, self.state_words + words(len(game.sees)))
        self.work_words = work


@final
class Workspace:
    """Memory for the kernels."""

    def __init__(self, kernels: Kernels) -> None:
        self.out = ctypes.create_string_buffer(8 * kernels.out_words)
        self.moves = (ctypes.c_int32 * len(kernels.first_moves))()
        self.work: Any = (ctypes.c_uint64 * kernels.work_words)()
