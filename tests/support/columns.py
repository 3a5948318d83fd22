"""Random matches of many states in columns, beside those in arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import gdl
from gdl.codegen.llvm.column_loops import Place
from gdl.codegen.llvm.playout_loop import LANES
from gdl.simulator.columns_code import looked_packing
from gdl.simulator.compiled_code import aligned_rows


def bits(columns: NDArray[np.uint64], place: Place) -> NDArray[np.bool_]:
    """The bits at a place, for each lane: (lanes, size)."""
    rows = np.ascontiguousarray(columns.transpose(0, 2, 1).reshape(-1, columns.shape[1])[:, place.word :])
    flags = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")
    return flags[:, place.shift : place.shift + place.size].astype(np.bool_)


def rows(columns: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return np.ascontiguousarray(columns.transpose(0, 2, 1).reshape(-1, columns.shape[1]))


def follow(game: gdl.Simulator, plies: int = 12, blocks: int = 2, alone: gdl.Simulator | None = None) -> None:
    """Play random matches in columns, some of which stand still from time to time, and compare them with arrays."""
    arrays, code = (alone or game).arrays, game.columns_code()
    layout = looked_packing(game.circuit)
    terminal, *legal, goals = layout.places
    random = np.random.default_rng(1)
    states = aligned_rows(blocks, arrays.state_words, LANES)
    looked = aligned_rows(blocks, len(layout.words), LANES)
    states[:] = game.arrays.pack([game.initial_state()])[0][None, :, None]
    still = np.zeros((blocks, LANES), np.int8)
    code.look(states, still, looked)
    for _ in range(plies):
        here = rows(states)
        expected = arrays.look(here)
        over = arrays.terminal(expected)
        assert (bits(looked, terminal)[:, 0] == over).all()
        words = np.ascontiguousarray(expected[:, arrays.goals_word :])
        assert (bits(looked, goals) == flags(words, goals.size)).all()
        moves = np.full((blocks, len(game.roles), LANES), -1, np.int32)
        for role, place in enumerate(legal):
            found = bits(looked, place)
            first = arrays.legal_words[role]
            words = np.ascontiguousarray(expected[:, first : first + arrays.move_words[role]])
            assert (found == flags(words, place.size)).all()
            over |= ~found.any(axis=1)
            chosen = (random.random(found.shape) * found).argmax(axis=1)
            moves[:, role] = chosen.reshape(blocks, LANES) + arrays.first_moves[role]
        still[:] = (over | (random.random(over.shape) < 0.2)).reshape(blocks, LANES)
        moves[still[:, None].repeat(len(game.roles), 1) != 0] = -1
        done = np.flatnonzero(still.reshape(-1) == 0)
        expected_states = here.copy()
        if len(done):
            expected_states[done] = arrays.move(here[done], moves.transpose(0, 2, 1).reshape(len(here), -1)[done])
        code.move(states, moves, still, looked)
        code.raise_errors()
        assert (rows(states) == expected_states).all()


def flags(words: NDArray[np.uint64], size: int) -> NDArray[np.bool_]:
    return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")[:, :size].astype(np.bool_)
