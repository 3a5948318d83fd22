"""Kernels: machine code for one state at a time. Whole games are compared in tests/test_random_games.py."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from support.processors import interpreting
from support.toy_files import ROOT

import gdl

TIC_TAC_TOE = ROOT / "games" / "classics" / "tic_tac_toe.kif"

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


@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
def test_kernels_answer_as_the_simulator_does(large: bool) -> None:
    game = gdl.compile(TIC_TAC_TOE)
    with interpreting() if large else nullcontext():
        kernels = gdl.compile(TIC_TAC_TOE, cache=False).kernels
    random = np.random.default_rng(1)
    out, work = np.zeros(kernels.out_words, np.uint64), np.zeros(kernels.work_words, np.uint64)
    chosen = np.zeros(len(game.roles), np.int32)
    listed = np.zeros(max(len(game.all_moves(role)) for role in game.roles), np.int32)
    for _ in range(20):
        state = game.initial_state()
        bits = np.frombuffer(state.bits, np.uint64).copy()
        while True:
            kernels.look(bits.ctypes.data, out.ctypes.data, work.ctypes.data)
            assert bool(out[0] & np.uint64(1)) == game.is_terminal(state)
            if game.is_terminal(state):
                break
            moves = []
            for role, name in enumerate(game.roles):
                words = kernels.legal_words[role], kernels.move_words[role]
                count = kernels.legal(out.ctypes.data, *words, listed.ctypes.data)
                terms = [game.all_moves(name)[i] for i in listed[:count]]
                assert tuple(terms) == game.legal_moves(state, name)
                pick = int(random.integers(count))
                chosen[role] = kernels.first_moves[role] + listed[pick]
                moves.append(terms[pick])
            kernels.move(bits.ctypes.data, chosen.ctypes.data, out.ctypes.data, work.ctypes.data)
            bits[:] = out[: kernels.state_words]
            state = game.next_state(state, moves)
            assert bits.tobytes() == state.bits
        goals = [key for i, key in enumerate(kernels.goals) if out[kernels.goals_word] >> np.uint64(i) & np.uint64(1)]
        assert {game.roles[role]: int(value.text) for role, value in goals} == game.goals(state)


def test_kernels_list_no_moves_of_a_role_that_never_has_one() -> None:
    """The words of such a role are none: those of the next role, or of goals, are not its own."""
    game = gdl.compile(
        "(role mute) (role b) (init x) (legal b m) (legal b n) (<= (goal b 7) (true x)) (<= terminal (true y))",
        cache=False,
    )
    kernels = game.kernels
    out, work = np.zeros(kernels.out_words, np.uint64), np.zeros(kernels.work_words, np.uint64)
    listed, state = np.full(64, -1, np.int32), np.frombuffer(game.initial_state().bits, np.uint64).copy()
    kernels.look(state.ctypes.data, out.ctypes.data, work.ctypes.data)
    counts = [
        kernels.legal(out.ctypes.data, kernels.legal_words[role], kernels.move_words[role], listed.ctypes.data)
        for role in range(2)
    ]
    assert counts == [0, 2]
    assert listed[:3].tolist() == [0, 1, -1]
