"""Random playouts by OpenSpiel, as a runner: what they count."""

from __future__ import annotations

import sys

import pytest
from support.fake_openspiel import FakeSpiel

from ggp.players.openspiel import games as openspiel
from ggp.players.openspiel.games import Rollouts
from ggp.study.bench.playouts import ByOpenSpiel


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeSpiel:
    fake = FakeSpiel(twelve=12, twenty=20)
    monkeypatch.setitem(sys.modules, "pyspiel", fake)
    monkeypatch.setattr(openspiel, "SAMPLE_PLIES", 60)
    return fake


def test_what_the_searches_played_is_counted(fake: FakeSpiel) -> None:
    runner = ByOpenSpiel(Rollouts("twelve"))
    fake.searches.clear()
    speed = runner.run(0.05, seed=3)
    assert speed.playouts == sum(search["rollouts"] for search in fake.searches) >= 16
    assert speed.transitions == 6 * speed.playouts
    assert speed.cut == 0
    assert speed.seconds >= 0.05


def test_a_search_evaluates_the_initial_state_alone(fake: FakeSpiel) -> None:
    ByOpenSpiel(Rollouts("twelve")).run(1e-9, seed=3)
    for search in fake.searches:
        assert search["max_simulations"] == 1
        assert str(search["state"]) == "12 left"


def test_searches_have_seeds_of_their_own_which_follow_the_seed(fake: FakeSpiel) -> None:
    def seeds(seed: int) -> list[int]:
        runner = ByOpenSpiel(Rollouts("twelve"))
        fake.searches.clear()
        runner.run(0.02, seed)
        return [search["evaluator seed"] for search in fake.searches][:4]

    first = seeds(1)
    assert first == seeds(1) != seeds(2)
    assert len(set(first)) == len(first)
