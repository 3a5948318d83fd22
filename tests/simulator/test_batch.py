"""Batches: each state goes as the same state goes alone."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from support.processors import interpreting
from support.toy_files import ROOT

import gdl

TIC_TAC_TOE = ROOT / "games" / "classics" / "tic_tac_toe.kif"
#: Two roles that move at once, and goals that only one of them has.
RACE = """
(role left) (role right) (init (at 0)) (step 0 1) (step 1 2) (step 2 3)
(<= (legal left on) (true (at ?n))) (<= (legal left stay) (true (at ?n)))
(<= (legal right on) (true (at ?n))) (<= (legal right (jump far)) (true (at 1)))
(<= (next (at ?m)) (true (at ?n)) (step ?n ?m) (does left on))
(<= (next (at ?n)) (true (at ?n)) (does left stay))
(<= terminal (true (at 3)))
(<= (goal left 100) (true (at 3))) (<= (goal left 0) (true (at 1)))
"""


def goal(game: gdl.Simulator, state: gdl.PackedState, role: str) -> int:
    try:
        return game.goal(state, role)
    except gdl.GoalError:
        return -1


def legal(game: gdl.Simulator, state: gdl.PackedState, role: str) -> tuple[gdl.Term, ...]:
    try:
        return game.legal_moves(state, role)
    except gdl.NoLegalMoveError:
        return ()


def check_play(game: gdl.Simulator, count: int, steps: int, looked_at: int) -> None:
    """Random steps of a batch, against the same steps of some of its states alone."""
    batch, random = game.batch(count), np.random.default_rng(1)
    numbers = range(0, count, max(1, count // looked_at))
    alone = {number: game.initial_state() for number in numbers}
    for _ in range(steps):
        masks = [batch.legal_mask(role) for role in game.roles]
        over, goals = batch.terminal(), batch.goals()
        moves = np.stack([(random.random(mask.shape) * mask).argmax(axis=1) for mask in masks], axis=1)
        for number, state in alone.items():
            assert over[number] == game.is_terminal(state)
            for place, role in enumerate(game.roles):
                terms = game.all_moves(role)
                assert tuple(terms[i] for i in np.flatnonzero(masks[place][number])) == legal(game, state, role)
                assert goals[number, place] == goal(game, state, role)
        batch.step(moves)
        for number, state in alone.items():
            if not over[number]:
                chosen = [game.all_moves(role)[move] for role, move in zip(game.roles, moves[number], strict=True)]
                alone[number] = game.next_state(state, chosen)
        states = batch.states()
        assert all(states[number] == state for number, state in alone.items())
    observed = batch.observe()
    for number, state in alone.items():
        assert {game.all_facts[i] for i in np.flatnonzero(observed[number])} == set(state)


@pytest.mark.parametrize("count", [1, 511, 513, 1300])
def test_a_batch_goes_as_its_states_go_alone(count: int) -> None:
    check_play(gdl.compile(TIC_TAC_TOE), count, 11, 20)


def test_roles_that_move_at_once() -> None:
    check_play(gdl.compile(RACE), 600, 12, 40)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted((ROOT / "games").rglob("*.kif")), ids=lambda path: path.stem)
def test_shipped_games(path: Path) -> None:
    check_play(gdl.compile(path), 520, 40, 6)


def test_the_code_of_large_circuits_gives_the_same() -> None:
    with interpreting():
        check_play(gdl.compile(TIC_TAC_TOE, cache=False), 600, 11, 10)


def test_states_are_reset_and_loaded() -> None:
    game = gdl.compile(TIC_TAC_TOE)
    batch = game.batch(3)
    first = np.array([[game.all_moves("xplayer").index(gdl.parse_term("(mark 2 2)")), _noop(game, "oplayer")]] * 3)
    batch.step(first)
    batch.reset(np.array([False, True, False]))
    start, marked = game.initial_state(), game.next_state(game.initial_state(), "(mark 2 2) noop")
    assert batch.states() == [marked, start, marked]
    batch.load([start, marked, start])
    assert batch.states() == [start, marked, start]
    batch.reset()
    assert batch.states() == [start] * 3
    with pytest.raises(ValueError, match="expected 3 states, not 2"):
        batch.load([start, start])


def _noop(game: gdl.Simulator, role: str) -> int:
    return game.all_moves(role).index(gdl.parse_term("noop"))


def test_an_illegal_move_changes_nothing() -> None:
    game = gdl.compile(TIC_TAC_TOE)
    batch = game.batch(600)
    marks = game.all_moves("xplayer")
    mark, noop = marks.index(gdl.parse_term("(mark 1 1)")), marks.index(gdl.parse_term("noop"))
    moves = np.array([[mark, _noop(game, "oplayer")]] * 600)
    moves[555, 0] = noop
    with pytest.raises(gdl.IllegalMoveError, match="noop in state 555 of the batch is not legal for xplayer"):
        batch.step(moves)
    assert batch.states() == [game.initial_state()] * 600
    moves[555, 0] = 99
    with pytest.raises(gdl.IllegalMoveError, match="number 99 in state 555"):
        batch.step(moves)
    moves[555, 0] = mark
    batch.step(moves)
    assert len(set(batch.states())) == 1


def test_arrays_of_the_wrong_kind_are_refused() -> None:
    batch = gdl.compile(TIC_TAC_TOE).batch(4)
    with pytest.raises(ValueError, match="shape"):
        batch.step(np.zeros((4, 3), int))
    with pytest.raises(ValueError, match="not float64"):
        batch.step(np.zeros((4, 2)))
    with pytest.raises(ValueError, match="n must be at least 1, not 0"):
        gdl.compile(TIC_TAC_TOE).batch(0)
    with pytest.raises(gdl.UnknownRoleError):
        batch.legal_mask("zplayer")


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
