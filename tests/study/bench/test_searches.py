"""Simulations a second: how runs are added up, and the command."""

from __future__ import annotations

import pytest
from support.toy_rules import NIM

import gdl
from ggp.study.bench.searches import OwnSearch, PeerSearch, SearchMeasurement, SearchSpeed, compare


class FakeSearch:
    def __init__(self, search: str, calls: list[tuple[str, int]]) -> None:
        self.search = search
        self.calls = calls

    def run(self, seconds: float, seed: int) -> SearchSpeed:
        self.calls.append((self.search, seed))
        return SearchSpeed(100 * (seed + 1), 20, 400 * (seed + 1), seconds)


def test_they_search_in_turn_and_medians_count() -> None:
    calls: list[tuple[str, int]] = []
    one, other = compare([FakeSearch("a", calls), FakeSearch("b", calls)], seconds=2, repeat=3, seed=4)
    assert calls == [("a", 4), ("b", 4), ("a", 5), ("b", 5), ("a", 6), ("b", 6)]
    assert (one.rate, one.playout_rate) == (300, 1200)
    assert one.spread == pytest.approx(100 / 300)
    assert other.search == "b"


def test_a_search_that_has_proven_the_game_says_so() -> None:
    speeds = (SearchSpeed(10, 10, 10, 1), SearchSpeed(10, 10, 10, 1, proven=True))
    assert SearchMeasurement("a", speeds).proven
    assert not SearchMeasurement("a", speeds[:1]).proven


@pytest.mark.slow
def test_our_own_search() -> None:
    speed = OwnSearch(gdl.compile(NIM)).run(0.2, 1)
    assert speed.proven
    assert speed.simulations > 0
    assert speed.seconds < 10


def test_openspiels_search() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    speed = PeerSearch("connect_four").run(0.2, 1)
    assert speed.simulations == speed.walks == speed.playouts > 10
    assert not speed.proven
