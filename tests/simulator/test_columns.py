"""States in columns: they go as those in rows do."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray
from support.processors import interpreting, narrow
from support.profiles import examples
from support.strategies import games
from support.toy_files import ROOT
from support.toy_rules import COIN, NIM

import gdl
from gdl.codegen.llvm.column_loops import Packing, Place, packing
from gdl.codegen.llvm.playout_loop import LANES
from gdl.compile_errors import CompileError
from gdl.simulator.columns_code import looked_packing
from gdl.simulator.compiled_code import aligned_rows

SHIPPED = sorted((ROOT / "games").rglob("*.kif"))

#: So many moves that they are marked one by one, and more facts than a word has bits.
WIDE = (
    "(role a) (role b) (init (at 0)) (step 0 1) (step 1 2) (step 2 3)"
    + "".join(f"(n {i})" for i in range(400))
    + """(<= (legal ?r (say ?i)) (role ?r) (n ?i)) (<= (next (at ?m)) (true (at ?n)) (step ?n ?m))
    (<= (next (said ?r ?i)) (does ?r (say ?i))) (<= terminal (true (at 3)))
    (<= (goal ?r ?i) (true (said ?r ?i)))"""
)


def test_groups_share_words() -> None:
    assert packing([1, 10, 53]) == Packing((Place(0, 0, 1), Place(0, 1, 10), Place(0, 11, 53)), ((0, 64),))
    assert packing([1, 64, 3]).places == (Place(0, 0, 1), Place(1, 0, 64), Place(2, 0, 3))
    large = packing([1, 130, 3])
    assert large.places == (Place(0, 0, 1), Place(1, 0, 130), Place(4, 0, 3))
    assert large.words == ((0, 1), (1, 64), (65, 64), (129, 2), (131, 3))


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


@pytest.mark.parametrize("rules", [NIM, COIN, pytest.param(WIDE, marks=pytest.mark.slow)], ids=["nim", "coin", "wide"])
def test_toys(rules: str) -> None:
    follow(gdl.compile(rules))


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[] if path.stem == "connect_four" else pytest.mark.slow) for path in SHIPPED],
    ids=lambda path: path.stem,
)
def test_shipped_games(path: Path) -> None:
    follow(gdl.compile(path), plies=60 if path.stem == "connect_four" else 20)


@examples(5, thorough=8)
@given(games())
def test_random_games(rules: str) -> None:
    with suppress(CompileError):
        follow(gdl.compile(rules, cache=False), plies=5, blocks=1)


@pytest.mark.parametrize("rules", [NIM, pytest.param(WIDE, marks=pytest.mark.slow)], ids=["nim", "wide"])
def test_interpreted_code_gives_the_same(rules: str) -> None:
    alone = gdl.compile(rules)
    with interpreting():
        follow(gdl.compile(rules, cache=False), alone=alone)


@pytest.mark.parametrize("rules", [NIM, pytest.param(WIDE, marks=pytest.mark.slow)], ids=["nim", "wide"])
@pytest.mark.parametrize("features", [pytest.param("", marks=pytest.mark.slow), "+avx2"], ids=["128 bits", "256 bits"])
def test_the_width_of_vectors_does_not_matter(rules: str, features: str) -> None:
    alone = gdl.compile(rules)
    assert alone.arrays.look_words  # made before the processor is another
    alone.arrays.look(alone.arrays.pack([alone.initial_state()]))
    with narrow(features):
        follow(gdl.compile(rules, cache=False), alone=alone)


def test_an_error_in_an_interrupted_step_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    from ggp.environments.game import EnvironmentGame
    from ggp.environments.lanes import Lanes
    from ggp.environments.rewards import Rewards

    with interpreting():
        game = EnvironmentGame(gdl.compile(NIM, cache=False))
        lanes = Lanes(game, 3, asked=game.agents, max_plies=9, rewards=Rewards(0, 100))
    lanes.reset()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    actions = np.zeros(3, np.int32)
    lanes.sample(actions)
    monkeypatch.setattr(lanes._code, "move", interrupted)
    with pytest.raises(KeyboardInterrupt):
        lanes.step(actions, "raise")
