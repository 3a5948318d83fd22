"""`ggp bench`: what it prints, compares and refuses."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.toy_files import rule_file
from support.toy_rules import NIM, STUCK
from typer.testing import CliRunner

import gdl
from gdl.codegen.llvm.machine_code import host
from ggp.cli import build
from ggp.players.openspiel import games as openspiel
from ggp.study.bench.playouts import (
    InLanes,
    Speed,
)

Bench = Callable[..., tuple[int, list[str], str]]


@pytest.fixture
def bench(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Runs `ggp bench` for a moment: its status, the lines that it prints, and what it says on stderr."""
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str | Path, kind: str = "playouts") -> tuple[int, list[str], str]:
        with pytest.raises(SystemExit) as end:
            build()(["bench", kind, "--seconds", "0.002", "--repeat", "2", *(str(argument) for argument in arguments)])
        captured = capsys.readouterr()
        return int(end.value.code or 0), captured.out.splitlines(), captured.err

    return run


class TestCommand:
    def test_both_engines_are_shown_and_compared(self, bench: Bench, nim: Path) -> None:
        status, lines, err = bench(nim)
        assert (status, err) == (0, "")
        assert lines[0].split("  ")[0] == "game"
        assert "x reasoner" in lines[0]
        assert "openspiel" not in lines[0]
        assert [line.split()[:2] for line in lines[1:]] == [["nim", "reasoner"], ["nim", "simulator"]]

    @pytest.mark.parametrize("engine", ["reasoner", "simulator"])
    def test_one_engine_is_not_compared(self, bench: Bench, nim: Path, engine: str) -> None:
        status, lines, _ = bench(nim, "--engine", engine)
        assert status == 0
        assert [line.split()[:2] for line in lines[1:]] == [["nim", engine]]
        assert "x " not in lines[0]

    @pytest.mark.parametrize("target", ["sse2", "avx2"])
    def test_narrower_vectors(self, bench: Bench, nim: Path, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GDL_TARGET", "")
        try:
            status, lines, err = bench(nim, "--engine", "simulator", "--target", target)
            vector = host().vector
        finally:
            monkeypatch.undo()
            host.cache_clear()
        if status == 2:
            assert "but this processor has" in err
        else:
            assert (status, vector.bits) == (0, {"sse2": 128, "avx2": 256}[target])
            assert [line.split()[:2] for line in lines[1:]] == [["nim", "simulator"]]

    def test_json(self, bench: Bench, nim: Path) -> None:
        _, lines, _ = bench(nim, "--json", "--seed", "3")
        slow, fast = map(json.loads, lines)
        assert (slow["engine"], fast["engine"]) == ("reasoner", "simulator")
        for one in (slow, fast):
            assert (one["game"], one["file"], one["seed"], one["max_plies"]) == ("nim", str(nim), 3, 500)
            assert one["playouts"] >= 2
            assert 2 <= one["mean_length"] <= 4
            assert one["transitions"] == pytest.approx(one["mean_length"] * one["playouts"])
            assert one["cut_off"] == 0
            assert len(one["runs"]) == 2
            assert one["playouts_per_second"] == pytest.approx(sum(one["runs"]) / 2)
            assert min(one["seconds"], one["wall_seconds"], one["setup_seconds"]) > 0
        assert fast["times_reasoner"] == pytest.approx(fast["playouts_per_second"] / slow["playouts_per_second"])
        assert slow["times_reasoner"] is None
        assert slow["times_openspiel"] is None

    def test_without_the_cache_nothing_is_kept(
        self, bench: Bench, nim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = tmp_path / "cache"
        monkeypatch.setenv("GDL_CACHE", str(folder))
        assert bench(nim, "--no-cache")[0] == 0
        assert not folder.exists()
        assert bench(nim)[0] == 0
        assert any(folder.iterdir())

    def test_a_plot(self, bench: Bench, nim: Path, tmp_path: Path) -> None:
        plot = tmp_path / "plot.svg"
        assert bench(nim, "--plot", plot)[0] == 0
        text = plot.read_text(encoding="utf-8")
        assert "nim, reasoner: " in text
        assert "nim, simulator: " in text

    def test_a_plot_nowhere_is_refused_at_once(self, bench: Bench, nim: Path, tmp_path: Path) -> None:
        status, lines, err = bench(nim, "--plot", tmp_path / "none" / "plot.svg")
        assert (status, lines) == (2, [])
        assert "the folder for " in err

    @pytest.mark.parametrize(
        "arguments",
        [
            ["--seconds", "0"],
            ["--seconds", "nan"],
            ["--seconds", "inf"],
            ["--repeat", "0"],
            ["--engine", "prover"],
            ["--against", "ludii"],
        ],
    )
    def test_bad_options(self, bench: Bench, nim: Path, arguments: list[str]) -> None:
        status, lines, err = bench(nim, *arguments)
        assert (status, lines) == (2, [])
        assert "Error" in err

    def test_rules_at_fault(self, bench: Bench, nim: Path, tmp_path: Path) -> None:
        for engine in ("reasoner", "simulator", "both"):
            status, lines, err = bench(nim, rule_file(tmp_path, STUCK), "--engine", engine)
            assert status == 2
            assert {line.split()[0] for line in lines[1:]} == {"nim"}  # what was measured before is shown
            assert err.startswith("no-legal-move: ")


class TestWithoutGrounding:
    @pytest.fixture(autouse=True)
    def explosion(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def compiled(path: Path, **_: object) -> gdl.PartialGame:
            return gdl.PartialGame(gdl.Rulesheet(path), gdl.GroundingError(str(path), "rules", [("next/1", 10**7)]))

        monkeypatch.setattr(gdl, "compile", compiled)

    def test_what_is_compiled_in_part_is_measured(self, bench: Bench, nim: Path) -> None:
        status, lines, err = bench(nim)
        assert status == 0
        assert [line.split()[1] for line in lines[1:]] == ["reasoner", "part"]
        assert "not-grounded" in err
        assert "next/1 (10,000,000 so far)" in err
        assert len(err.splitlines()) == 1
        assert [line.split()[1] for line in bench(nim, "--engine", "simulator")[1][1:]] == ["part"]

    def test_what_takes_the_whole_game_says_so(self, bench: Bench, nim: Path) -> None:
        status, lines, err = bench(nim, kind="search")
        assert (status, lines) == (2, [])
        assert "not-whole: a search in lanes takes" in err


def test_an_interrupt_shows_what_was_measured(bench: Bench, nim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = InLanes.run

    def run(self: InLanes, seconds: float, seed: int) -> Speed:
        if seed == 1:
            raise KeyboardInterrupt
        return original(self, seconds, seed)

    monkeypatch.setattr(InLanes, "run", run)
    status, lines, err = bench(nim, nim)
    assert status == 130
    assert [line.split()[:2] for line in lines[1:]] == [["nim", "reasoner"], ["nim", "simulator"]]
    assert err == "interrupted\n"
    status, lines, err = bench(nim, "--json")
    assert [len(json.loads(line)["runs"]) for line in lines] == [2, 1]


#: Enough of a game of OpenSpiel for a runner.
FAKE_ROLLOUTS = SimpleNamespace(setup_seconds=0.5, sample=SimpleNamespace(length=3.0), outcome=lambda *_: 0.0)


class TestAgainst:
    def test_without_openspiel_nothing_is_measured(
        self, bench: Bench, nim: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "pyspiel", None)
        status, lines, err = bench(nim, "--against", "openspiel")
        assert (status, lines) == (2, [])
        assert "pip install 'open_spiel" in err

    def test_a_game_that_the_peer_has(self, bench: Bench, nim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.peer(monkeypatch, FAKE_ROLLOUTS)
        status, lines, _ = bench(nim, "--against", "openspiel", "--json")
        assert status == 0
        slow, fast, peer = map(json.loads, lines)
        assert peer["engine"] == "openspiel"
        assert peer["times_openspiel"] is None
        for one in (slow, fast):
            assert one["times_openspiel"] == pytest.approx(one["playouts_per_second"] / peer["playouts_per_second"])
        _, lines, _ = bench(nim, "--against", "openspiel")
        assert lines[0].endswith("x reasoner  x openspiel")

    def test_playouts_that_are_cut_off_are_not_compared(
        self, bench: Bench, nim: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.peer(monkeypatch, FAKE_ROLLOUTS)
        _, lines, _ = bench(nim, "--against", "openspiel", "--json", "--max-plies", "2")
        slow, fast, peer = map(json.loads, lines)
        assert slow["cut_off"]
        assert fast["cut_off"]
        assert slow["times_openspiel"] is fast["times_openspiel"] is peer["times_reasoner"] is None
        assert fast["times_reasoner"] > 0

    def test_a_game_that_it_does_not_have(self, bench: Bench, nim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.peer(monkeypatch, None)
        status, lines, err = bench(nim, "--against", "openspiel")
        assert status == 0
        assert len(lines) == 3
        assert "openspiel" not in lines[0]
        assert err == "nim: OpenSpiel has no game known to be the same\n"

    def peer(self, monkeypatch: pytest.MonkeyPatch, found: object) -> None:
        monkeypatch.setattr(openspiel, "load", lambda: None)
        monkeypatch.setattr(openspiel, "find", lambda *_: found)

    def test_openspiel_itself(self, bench: Bench) -> None:
        pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
        _, lines, err = bench("tic_tac_toe", "--against", "openspiel", "--json", "--engine", "simulator")
        fast, peer = map(json.loads, lines)
        assert err == ""
        assert fast["mean_length"] == pytest.approx(peer["mean_length"], rel=0.05)
        assert fast["times_openspiel"] > 0


class TestSearch:
    def run(self, *arguments: str | Path) -> tuple[int, str, str]:
        result = CliRunner().invoke(build(), ["bench", "search", *map(str, arguments)])
        return result.exit_code, result.stdout, result.stderr

    @pytest.mark.slow
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
        assert err == "nim: OpenSpiel has no game known to be the same\n"

    @pytest.mark.parametrize("option", [["--plot", "a.svg"], ["--engine", "reasoner"], ["--seconds", "0"]])
    def test_bad_options(self, tmp_path: Path, option: list[str]) -> None:
        assert self.run(rule_file(tmp_path, NIM), *option)[0] == 2
