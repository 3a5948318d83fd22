"""Kernels: machine code for one state at a time. Whole games are compared in tests/test_random_games.py."""

from __future__ import annotations

import numpy as np

import gdl

#: The role `b` never has a legal move.
MOVELESS = (
    "(role a) (role b) (init start) (<= (legal a wait) (true start)) (<= terminal (true over)) (goal a 1) (goal b 2)"
)


def test_a_role_without_any_move_has_no_legal_moves() -> None:
    simulator = gdl.compile(MOVELESS, cache=False)
    kernels = simulator.kernels
    assert kernels.move_words == (1, 0)
    state = np.frombuffer(simulator.initial_state().bits, np.uint64)
    # The words behind the result are set: none of them may be taken for moves.
    out, work = np.full(kernels.out_words + 4, -1, np.int64), np.zeros(kernels.work_words, np.uint64)
    listed = np.full(1000, -1, np.int32)
    kernels.look(state.ctypes.data, out.ctypes.data, work.ctypes.data)
    counts = [
        kernels.legal(out.ctypes.data, first, words, listed.ctypes.data)
        for first, words in zip(kernels.legal_words, kernels.move_words, strict=True)
    ]
    assert counts == [1, 0]
    assert listed.tolist() == [0] + [-1] * 999
