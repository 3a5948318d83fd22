"""States in columns: they go as those in rows do."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from support.many_states import check_columns
from support.processors import interpreting, narrow
from support.profiles import examples
from support.strategies import games
from support.toy_files import SPREAD
from support.toy_rules import COIN, NIM

import gdl
from gdl.codegen.llvm.column_loops import Packing, Place, packing
from gdl.compile_errors import CompileError

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


@pytest.mark.parametrize("rules", [NIM, COIN, pytest.param(WIDE, marks=pytest.mark.slow)], ids=["nim", "coin", "wide"])
def test_toys(rules: str) -> None:
    check_columns(gdl.compile(rules))


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[] if path.stem == "connect_four" else pytest.mark.slow) for path in SPREAD],
    ids=lambda path: path.stem,
)
def test_shipped_games(path: Path) -> None:
    check_columns(gdl.compile(path), plies=60 if path.stem == "connect_four" else 20)


@examples(5, thorough=8)
@given(games())
def test_random_games(rules: str) -> None:
    with suppress(CompileError):
        check_columns(gdl.compile(rules, cache=False), plies=5, blocks=1)


@pytest.mark.parametrize("rules", [NIM, pytest.param(WIDE, marks=pytest.mark.slow)], ids=["nim", "wide"])
def test_interpreted_code_gives_the_same(rules: str) -> None:
    alone = gdl.compile(rules)
    with interpreting():
        check_columns(gdl.compile(rules, cache=False), alone=alone)


@pytest.mark.parametrize("rules", [NIM, pytest.param(WIDE, marks=pytest.mark.slow)], ids=["nim", "wide"])
@pytest.mark.parametrize(
    "vectors", [pytest.param("sse2", marks=pytest.mark.slow), pytest.param("avx", marks=pytest.mark.slow), "avx2"]
)
def test_the_width_of_vectors_does_not_matter(rules: str, vectors: str) -> None:
    alone = gdl.compile(rules)
    assert alone.arrays.look_words  # made before the processor is another
    alone.arrays.look(alone.arrays.pack([alone.initial_state()]))
    with narrow(vectors):
        check_columns(gdl.compile(rules, cache=False), alone=alone)


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
