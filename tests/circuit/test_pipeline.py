"""Circuits that are made in a separate process."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest
from support.toy_files import ROOT
from support.toy_rules import COIN, NIM

import gdl
from gdl.circuit.pipeline import make_circuit, make_circuit_in_separate_process
from gdl.circuit.serialization import dumped
from gdl.compile_budget import Watch
from gdl.errors import CompileError, GroundingError, MakingError, Source
from gdl.language.rulesheet import Rulesheet

pytest.importorskip("llvmlite")

GAMES = ["classics/connect_four.kif", "wolf_sheep.kif", "variants/wolf_sheep_diagonal.kif"]


@pytest.mark.parametrize("rules", [COIN, NIM, *((ROOT / "games" / name).read_text() for name in GAMES)])
def test_the_circuit_is_the_same(rules: str) -> None:
    here: list[str] = []
    there: list[str] = []
    expected = dumped(make_circuit(Rulesheet(rules), Watch(progress=here.append)))
    assert make_circuit_in_separate_process(Rulesheet(rules).source, Watch(progress=there.append)) == expected
    assert here == there != []


def test_what_a_separate_process_compiled_is_kept_and_plays_the_same(tmp_path: Path) -> None:
    expected = gdl.compile(NIM, cache=False).playouts(1_000, seed=1).counts
    assert gdl.compile(NIM, cache=tmp_path, separate_process=True).playouts(1_000, seed=1).counts == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gdl.simulator.compiler.make_circuit_in_separate_process", None)
        assert gdl.compile(NIM, cache=tmp_path, separate_process=True).playouts(1_000, seed=1).counts == expected


def test_mistakes_in_the_rules_are_told() -> None:
    with pytest.raises(gdl.RulesheetError, match="unsafe-variable"):
        gdl.compile("(role a) (<= (legal a ?x) (not (true ?x)))", cache=False, separate_process=True)


def test_what_fails_in_the_process_is_raised_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "clingo.py").write_text("raise ImportError('out of order')")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(GroundingError) as caught:
        make_circuit_in_separate_process(Source("nim.kif", NIM), Watch())
    assert str(caught.value).startswith("nim.kif: not-grounded: clingo cannot ground the rules: ")
    assert "out of order" in str(caught.value)


def test_errors_survive_the_way() -> None:
    for error in (
        GroundingError("a.kif", "rules", [("wide", 1_000_000)]),
        GroundingError("a.kif", None, reason="no clingo"),
        CompileError("a.kif", "building the circuit", "memory", [("next (cell/3)", 1_000_000)]),
        MakingError("a.kif", -9),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again)) == (type(error), str(error))


def test_the_process_dies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(MakingError) as caught:
        gdl.compile(NIM, cache=False, separate_process=True)
    assert str(caught.value) == "<string>: process-died: the process that compiles the rules has ended with status 1"


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_it_ends_with_who_started_it() -> None:
    script = """
        import gdl
        tell = lambda stage: print(stage, flush=True)
        gdl.Simulator.load("games/fox_game.kif", cache=False, separate_process=True, progress=tell)
    """
    command = [sys.executable, "-c", dedent(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "grounding\n"
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert len(children) == 1
        process.kill()
        process.wait()
    until = time.monotonic() + 30
    while Path(f"/proc/{children[0]}").exists():
        assert time.monotonic() < until, "it goes on"
        time.sleep(0.02)
