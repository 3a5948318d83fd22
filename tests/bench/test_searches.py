"""Simulations a second: how runs are added up, and the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.toy_files import rule_file
from support.toy_rules import NIM
from typer.testing import CliRunner

import gdl
from ggp.bench.searches import OwnSearch, PeerSearch, SearchMeasurement, SearchSpeed, compare
from ggp.cli import build


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


class TestCommand:
    def run(self, *arguments: str | Path) -> tuple[int, str, str]:
        result = CliRunner().invoke(build(), ["bench", "--search", *map(str, arguments)])
        return result.exit_code, result.stdout, result.stderr

    def test_a_table(self, tmp_path: Path) -> None:
        status, out, err = self.run(rule_file(tmp_path, NIM, "nim.kif"), "--seconds", "0.1", "--repeat", "2")
        assert (status, err) == (0, "")
        heading, row = out.splitlines()
        assert heading.split() == ["game", "search", "simulations/s", "spread", "walks/s", "playouts/s"]
        assert row.split()[:3] == ["nim", "mcts", "(proven)"]

    def test_against_openspiel(self) -> None:
        pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
        status, out, _ = self.run(
            "tic_tac_toe", "--seconds", "0.1", "--repeat", "1", "--against", "openspiel", "--json"
        )
        assert status == 0
        ours, theirs = map(json.loads, out.splitlines())
        assert ours["times_openspiel"] == pytest.approx(
            ours["simulations_per_second"] / theirs["simulations_per_second"]
        )
        assert theirs["times_openspiel"] is None
        assert (ours["game"], ours["search"], theirs["search"]) == ("tic_tac_toe", "mcts", "openspiel")

    def test_a_game_that_openspiel_does_not_have(self, tmp_path: Path) -> None:
        pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
        file = rule_file(tmp_path, NIM, "nim.kif")
        status, out, err = self.run(file, "--seconds", "0.1", "--repeat", "1", "--against", "openspiel")
        assert status == 0
        assert len(out.splitlines()) == 2
        assert err == "nim: OpenSpiel has no game that is known to be the same\n"

    @pytest.mark.parametrize("option", [["--plot", "a.svg"], ["--engine", "reasoner"], ["--seconds", "0"]])
    def test_bad_options(self, tmp_path: Path, option: list[str]) -> None:
        assert self.run(rule_file(tmp_path, NIM), *option)[0] == 2
