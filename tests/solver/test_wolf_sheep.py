"""Wolf and sheep as a whole: the wolf wins from every position that the board allows, and the proof of it holds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from support.toy_files import ROOT

import gdl
from ggp.solver.descriptions import positions_text, value_text
from ggp.solver.proof import proof_of, write_proof
from ggp.solver.proof_file import read_proof
from ggp.solver.solve import solve
from ggp.solver.verify import Lookup, verify

CELLS = list(product(range(1, 9), repeat=2))
DARK = [(x, y) for x, y in CELLS if (x + y) % 2 == 0]


def all_positions(game: gdl.Simulator) -> Iterator[NDArray[np.uint64]]:
    """Every way to place four sheep on their colour and the wolf elsewhere, with either side to move."""
    numbers = {fact.text: number for number, fact in enumerate(game.all_facts)}

    def bits(*facts: str) -> NDArray[np.uint64]:
        row = np.zeros(game.arrays.state_words, np.uint64)
        for fact in facts:
            row[numbers[fact] // 64] |= np.uint64(1 << numbers[fact] % 64)
        return row

    blank = bits(*(f"(cell c{x} c{y} b)" for x, y in CELLS))
    placed = [bits(f"(cell c{x} c{y} s)", f"(cell c{x} c{y} b)") for x, y in DARK]
    fours = np.array(list(combinations(range(len(DARK)), 4)))
    sheep = np.bitwise_xor.reduce(np.array(placed)[fours], axis=1)
    for x, y in CELLS:
        free = np.ones(len(fours), np.bool_)
        if (x, y) in DARK:
            free = (fours != DARK.index((x, y))).all(axis=1)
        wolf = bits(f"(cell c{x} c{y} w)", f"(cell c{x} c{y} b)")
        for role in game.roles:
            yield (sheep[free] ^ wolf ^ blank) | bits(f"(control {role})")


@pytest.mark.slow
def test_the_wolf_wins_from_everywhere(tmp_path: Path) -> None:
    game = gdl.compile(ROOT / "games/wolf_sheep.kif")
    answer = solve(game, game.initial_state(), seconds=None, memory=4, progress=lambda _: None)
    assert answer.solution is not None
    worth = answer.solution.worth
    assert value_text(worth, worth.verdict(0)) == "wolf wins in 13 plies: wolf 100, sheep 0"
    text = "wolf wins from all 3,595,908 positions that can be reached, in at most 14 plies"
    assert list(positions_text(worth)) == [text]
    assert answer.line is not None
    assert len(answer.line.steps) == 13

    file = tmp_path / "proof.npz"
    write_proof(file, proof_of(answer.solution, ()))
    del answer, worth
    proof = read_proof(file)
    assert list(positions_text(verify(proof, game.reasoner, game, lambda _: None).worth)) == [text]

    arrays, known = game.arrays, Lookup(proof.states)
    count = ended = 0
    strange = []
    for rows in all_positions(game):
        looked = arrays.look(rows)
        over = arrays.terminal(looked)
        assert (arrays.goal_values(looked[over]) == (100, 0)).all()
        count, ended = count + len(rows), ended + int(over.sum())
        strange.append(rows[~over & (known.find(rows) < 0)])
    assert (count, ended) == (4_315_200, 1_102_144)
    # The few that go on and cannot be reached from the start: after every move, the wolf wins.
    rest = np.concatenate(strange)
    assert len(rest) == 76
    parents, moves = arrays.joint_moves(arrays.look(rest))
    after = arrays.move(rest[parents], moves)
    assert (arrays.terminal(arrays.look(after)) | (known.find(after) >= 0)).all()
    assert len(np.unique(parents)) == 76
