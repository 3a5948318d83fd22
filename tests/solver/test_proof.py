"""Proofs in files: what is right is found right, and whatever is changed in one is found out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.toy_files import ROOT
from support.toy_graphs import COMMON, UNEVEN, ZERO_SUM, GraphGame, random_game

import gdl
from ggp.solver.errors import ProofFileError
from ggp.solver.line import position_after
from ggp.solver.proof import Proof, proof_of, write_proof
from ggp.solver.proof_file import read_proof
from ggp.solver.solve import solve
from ggp.solver.verify import Checked, WrongProofError, verify

#: Left may go on for ever; right has to wait; two ways of ending it.
ROUND = GraphGame(
    ("left", "right"),
    {0: 0, 1: 1, 2: 0, 6: 1, 7: 0},
    {0: (1, 2), 1: (0, 3), 2: (0, 4, 6), 6: (7, 3), 7: (3, 6)},
    {3: (100, 0), 4: (0, 100)},
)


def proof(game: gdl.Simulator | gdl.Reasoner, moves: str = "") -> Proof:
    root, played = position_after(game, moves)
    answer = solve(game, root, seconds=None, memory=4, progress=lambda _: None)
    assert answer.solution is not None
    return proof_of(answer.solution, played)


def check(claimed: Proof, game: gdl.Simulator | gdl.Reasoner) -> Checked:
    simulator = game if isinstance(game, gdl.Simulator) else None
    reasoner = game.reasoner if isinstance(game, gdl.Simulator) else game
    return verify(claimed, reasoner, simulator, lambda _: None)


@pytest.mark.parametrize("goals", [ZERO_SUM, UNEVEN, COMMON], ids=["zero-sum", "uneven", "common"])
@pytest.mark.parametrize("seed", range(6))
def test_what_is_proved_is_found_right(seed: int, goals: tuple[tuple[int, ...], ...]) -> None:
    game = gdl.Reasoner(random_game(seed, goals).text)
    claimed = proof(game)
    checked = check(claimed, game)
    assert checked.states == checked.by_reasoner == len(claimed.states)


@pytest.fixture(scope="module")
def tictactoe() -> gdl.Simulator:
    return gdl.compile(ROOT / "games/classics/tic_tac_toe.kif")


def test_a_proof_goes_through_a_file(tmp_path: Path, tictactoe: gdl.Simulator) -> None:
    file = tmp_path / "proof.npz"
    write_proof(file, proof(tictactoe, "(mark 2 2) (mark 1 1)"))
    claimed = read_proof(file)
    assert [path.name for path in tmp_path.iterdir()] == ["proof.npz"]
    assert claimed.moves == (("(mark 2 2)", "noop"), ("noop", "(mark 1 1)"))
    checked = check(claimed, tictactoe)
    assert checked.by_reasoner == 100
    assert checked.worth.verdict(0).goals == (50, 50)


def test_either_engine_checks_what_the_other_has_proved(tictactoe: gdl.Simulator) -> None:
    moves = "(mark 2 2) (mark 1 1) (mark 1 2) (mark 3 2)"
    by_simulator, by_reasoner = proof(tictactoe, moves), proof(tictactoe.reasoner, moves)
    assert by_simulator.facts != by_reasoner.facts
    for claimed in (by_simulator, by_reasoner):
        for game in (tictactoe, tictactoe.reasoner):
            assert check(claimed, game).worth.verdict(0).goals == (50, 50)


def _copy(claimed: Proof) -> Proof:
    return replace(claimed, states=claimed.states.copy(), rank=claimed.rank.copy(), distance=claimed.distance.copy())


def test_no_claim_can_be_changed() -> None:
    """Each rank and each distance of a small game, up and down, alone."""
    game = gdl.Reasoner(ROUND.text)
    right = proof(game)
    check(right, game)
    assert -1 in right.rank
    for role, state in np.ndindex(right.rank.shape):
        for change in (-1, 1):
            wrong = _copy(right)
            wrong.rank[role, state] += change
            with pytest.raises(WrongProofError):
                check(wrong, game)
            wrong = _copy(right)
            wrong.distance[role, state] += change
            with pytest.raises(WrongProofError):
                check(wrong, game)


def test_a_circle_proves_nothing() -> None:
    """States that are said to be won because of one another."""
    toy = GraphGame(("left", "right"), {0: 0, 1: 0}, {0: (1, 2), 1: (0, 2)}, {2: (0, 100)})
    game = gdl.Reasoner(toy.text.replace("(worth 2 right 100)", "(worth 2 right 100) (worth 3 left 100)"))
    claimed = proof(game)
    wrong = replace(
        claimed,
        values=((0, 100), (100,)),
        rank=np.array([[1, 1, 0], [-1, -1, 0]], np.int16),
        distance=np.array([[1, 1, 0], [-1, -1, 0]], np.int32),
    )
    with pytest.raises(WrongProofError, match="plies for left"):
        check(wrong, game)


def _without(claimed: Proof, state: int) -> Proof:
    return replace(
        claimed,
        states=np.delete(claimed.states, state, axis=0),
        rank=np.delete(claimed.rank, state, axis=1),
        distance=np.delete(claimed.distance, state, axis=1),
    )


def _with(claimed: Proof, row: object) -> Proof:
    return replace(
        claimed,
        states=np.concatenate([claimed.states, np.array(row, np.uint64)[None]]),
        rank=np.concatenate([claimed.rank, claimed.rank[:, -1:]], axis=1),
        distance=np.concatenate([claimed.distance, claimed.distance[:, -1:]], axis=1),
    )


def _swapped(claimed: Proof) -> Proof:
    order = [1, 0, *range(2, len(claimed.states))]
    return replace(
        claimed,
        states=np.ascontiguousarray(claimed.states[order]),
        rank=np.ascontiguousarray(claimed.rank[:, order]),
        distance=np.ascontiguousarray(claimed.distance[:, order]),
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: _without(p, len(p.states) - 1), "has a next state that the proof does not have"),
        (lambda p: _with(p, p.states[-1]), "appears twice"),
        (lambda p: _with(p, p.states[-1] | np.uint64(1 << 60)), "without a fact|does not follow any|does not have"),
        (_swapped, "its first state is not the one that its moves lead to"),
        (lambda p: replace(p, moves=((*p.moves[0],), ("noop", "(mark 3 3)"))), "its first state is not"),
        (lambda p: replace(p, moves=(("(mark 9 9)", "noop"),)), "its moves cannot be played"),
        (lambda p: replace(p, values=((0, 50, 90), (0, 50, 100))), "is terminal with another goal of xplayer"),
        (lambda p: replace(p, values=((0, 100, 50), (0, 50, 100))), "not in ascending order"),
        (lambda p: replace(p, roles=("x", "o")), "it is about the roles x, o"),
        (lambda p: replace(p, facts=(*p.facts[:-1], "(cell 9 9 x)")), "there are facts|there are states"),
    ],
)
@pytest.mark.parametrize("compiled", [True, False], ids=["simulator", "reasoner"])
def test_a_proof_that_was_tampered_with(
    change: Callable[[Proof], Proof], message: str, compiled: bool, tictactoe: gdl.Simulator
) -> None:
    game = tictactoe if compiled else tictactoe.reasoner
    right = proof(tictactoe, "(mark 2 2) (mark 1 1)")
    with pytest.raises(WrongProofError, match=message):
        check(change(right), game)


def test_files_that_are_no_proofs(tmp_path: Path, tictactoe: gdl.Simulator) -> None:
    text = tmp_path / "text.npz"
    text.write_text("no proof")
    with pytest.raises(ProofFileError, match="not a proof"):
        read_proof(text)
    with pytest.raises(ProofFileError, match="No such file"):
        read_proof(tmp_path / "none.npz")
    other = tmp_path / "other.npz"
    np.savez(other, states=np.zeros(3))
    with pytest.raises(ProofFileError, match="not a proof"):
        read_proof(other)
    good = tmp_path / "good.npz"
    claimed = proof(tictactoe, "(mark 2 2) (mark 1 1) (mark 1 2) (mark 3 2)")
    write_proof(good, claimed)
    cut = tmp_path / "cut.npz"
    cut.write_bytes(good.read_bytes()[:-200])
    with pytest.raises(ProofFileError, match="not a proof"):
        read_proof(cut)
    middle = tmp_path / "middle.npz"
    data = bytearray(good.read_bytes())
    data[len(data) // 3] ^= 0x55
    middle.write_bytes(data)
    with pytest.raises(ProofFileError, match="not a proof"):
        read_proof(middle)
    misfit = tmp_path / "misfit.npz"
    write_proof(misfit, replace(claimed, rank=claimed.rank[:, :-1]))
    with pytest.raises(ProofFileError, match="do not fit together"):
        read_proof(misfit)
