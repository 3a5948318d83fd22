"""Measure which of several programs evaluates one state at a time fastest, in the order of a search.

The kinds of code differ by up to four times in either direction, by game and by processor, so the choice is measured
where it is not obvious.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any, Final

from gdl.circuit.game import GameCircuit
from gdl.codegen.llvm.machine_code import Library
from gdl.compile_budget import check_budget
from gdl.simulator.compiled_code import StateCode, StateLayout

#: The plies of random playouts, and how many of them lie between two searches; the depth of these, and the moves that
#: they try in each state.
_PLIES: Final = 30
_EVERY: Final = 3
_DEPTH: Final = 3
_MOVES: Final = 4

#: How often the calls of all searches are repeated; the fastest run counts.
_REPEATED: Final = 5

#: A call of `look`, or of `move` if there are moves: a state, and the number of each role's move.
_Call = tuple[bytes, Any]


def fastest(game: GameCircuit, codes: Sequence[tuple[Library, int]]) -> int:
    """Return the position of the code that is fastest for a game; each needs a number of words of memory.

    The result depends on the processor, and varies if it is close.
    """
    layout = StateLayout(game)
    calls = list(_calls(game, StateCode(*codes[0], layout), layout))
    times = [[_seconds(library, work, layout, calls) for library, work in codes] for _ in range(_REPEATED)]
    return min(range(len(codes)), key=lambda number: min(row[number] for row in times))


def _seconds(library: Library, work: int, layout: StateLayout, calls: Sequence[_Call]) -> float:
    """Return the processor time for some calls, in seconds."""
    check_budget()
    pointer = ctypes.c_void_p
    look = library.function("look", None, pointer, pointer, pointer)
    move = library.function("move", None, pointer, pointer, pointer, pointer)
    out, memory = (ctypes.c_uint64 * layout.out_words)(), (ctypes.c_uint64 * work)()
    began = time.thread_time()
    for bits, moves in calls:
        if moves is None:
            look(bits, out, memory)
        else:
            move(bits, moves, out, memory)
    return time.thread_time() - began


def _calls(game: GameCircuit, code: StateCode, layout: StateLayout) -> Iterator[_Call]:
    """Give the calls of searches of a few plies, from states of random playouts.

    Every search tries random moves: the order in which a search tries moves has little to do with their numbers.
    """
    random = Random(0)
    facts = sum(holds << fact for fact, holds in enumerate(game.init))
    state = initial = facts.to_bytes(8 * layout.state_words, "little")
    for ply in range(_PLIES):
        if ply % _EVERY == 0:
            yield from _searched(code, layout, random, state, _DEPTH)
        state = next(_followers(code, layout, random, state), (b"", initial))[1]


def _searched(code: StateCode, layout: StateLayout, random: Random, state: bytes, depth: int) -> Iterator[_Call]:
    """Give the calls of a search from a state."""
    yield state, None
    if depth:
        for moves, after in islice(_followers(code, layout, random, state), _MOVES):
            yield state, moves
            yield from _searched(code, layout, random, after, depth - 1)


def _followers(code: StateCode, layout: StateLayout, random: Random, state: bytes) -> Iterator[tuple[Any, bytes]]:
    """Give random legal moves of all roles, and the state that follows; none from the end of a game."""
    seen = code.look(state)
    legal = [
        [first + move for move in range(64 * words) if seen >> 64 * word + move & 1]
        for first, word, words in zip(layout.first_moves, layout.legal_words, layout.move_words, strict=True)
    ]
    while all(legal) and not seen & 1:
        moves = [random.choice(own) for own in legal]
        yield (ctypes.c_int32 * len(moves))(*moves), code.move(state, moves)[: 8 * layout.state_words]
