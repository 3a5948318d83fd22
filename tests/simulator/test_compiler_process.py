"""Circuits and code that are made in a separate process."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest
from support.processes import descendants, soon
from support.toy_files import ROOT
from support.toy_rules import COIN, NIM

import gdl
from gdl.circuit.pipeline import make_circuit
from gdl.circuit.serialization import dumped
from gdl.compile_budget import CompileBudget, Watch
from gdl.compile_errors import CompileError, GroundingError, MakingError
from gdl.errors import Source
from gdl.language.rulesheet import Rulesheet
from gdl.simulator.cache import CIRCUIT, circuit_entries
from gdl.simulator.compiler import Compiler
from gdl.simulator.compiler_process import CodeRequest, CompilerProcess

pytest.importorskip("llvmlite")

GAMES = ["classics/connect_four.kif", "wolf_sheep.kif", "variants/wolf_sheep_diagonal.kif"]


@pytest.mark.parametrize(
    "rules",
    [COIN, NIM, *(pytest.param((ROOT / "games" / name).read_text(), marks=pytest.mark.slow) for name in GAMES)],
)
def test_the_circuit_is_the_same(rules: str) -> None:
    here: list[str] = []
    there: list[str] = []
    expected = dumped(make_circuit(Rulesheet(rules), Watch(progress=here.append)))
    process = CompilerProcess(Rulesheet(rules).source, CompileBudget(), progress=there.append)
    assert process.circuit() == expected
    assert [*here, "comparing with the rules"] == there


def test_what_a_separate_process_compiled_is_kept_and_plays_the_same(tmp_path: Path) -> None:
    expected = gdl.compile(NIM, cache=False).playouts(1_000, seed=1).counts
    assert gdl.compile(NIM, cache=tmp_path, separate_process=True).playouts(1_000, seed=1).counts == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CompilerProcess, "_start", None)
        assert gdl.compile(NIM, cache=tmp_path, separate_process=True).playouts(1_000, seed=1).counts == expected


def code_of(compiler: Compiler) -> None:
    """Make all the code that players use."""
    compiler.states()
    compiler.arrays()
    compiler.once()
    compiler.playouts(5, given=True)


@pytest.mark.parametrize("rules", [NIM, (ROOT / "games/wolf_sheep.kif").read_text()])
@pytest.mark.slow
def test_the_code_is_the_same(rules: str, tmp_path: Path) -> None:
    source = Source("rules.kif", rules)
    code_of(Compiler(source, tmp_path / "there", separate_process=True))
    # Of two programs for one state, the one that runs faster is kept. Which one that is varies from time to time.
    for name, kept in (("first", 0), ("last", -1)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("gdl.simulator.compiler.fastest", lambda *_, kept=kept: kept)
            code_of(Compiler(source, tmp_path / name))
    entries = {path.relative_to(tmp_path / "first") for path in (tmp_path / "first").rglob("*") if path.is_file()}
    assert len(entries) >= 1 + 2 * 4
    for entry in entries:
        made = {path.read_bytes() for name in ("first", "last") if (path := tmp_path / name / entry).exists()}
        assert (tmp_path / "there" / entry).read_bytes() in made, entry
        assert len(made) == 1 or entry.name.startswith("states"), entry


def test_code_is_made_apart_for_a_circuit_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = gdl.compile(NIM, cache=False).playouts(100, seed=1).counts
    source = Source("<string>", NIM)
    assert Compiler(source, tmp_path).game is not None
    monkeypatch.setattr("gdl.simulator.compiler.compiled", None)  # nothing is compiled here
    simulator = gdl.compile(NIM, cache=tmp_path, separate_process=True)
    assert simulator.playouts(100, seed=1).counts == expected


def test_an_idle_process_ends_and_another_takes_over() -> None:
    process = CompilerProcess(Source("nim.kif", NIM), CompileBudget(), idle=0.05)
    first = process.circuit()
    assert soon(lambda: "compiler_child" not in str(descendants(os.getpid())))
    assert process.circuit() == first


def test_code_may_be_asked_for_twice() -> None:
    process = CompilerProcess(Source("nim.kif", NIM), CompileBudget())
    circuit = process.circuit()
    first, second = (process.code(CodeRequest("states", "states"), lambda: circuit) for _ in range(2))
    assert first == second


@pytest.mark.slow
def test_the_answer_to_an_interrupted_request_is_not_taken_for_the_next() -> None:
    told: list[str] = []

    def progress(stage: str) -> None:
        told.append(stage)
        if stage == "generating code" and told.count(stage) == 1:
            raise KeyboardInterrupt

    process = CompilerProcess(Source("nim.kif", NIM), CompileBudget(), progress=progress)
    circuit = process.circuit()
    with pytest.raises(KeyboardInterrupt):
        process.code(CodeRequest("states", "states"), lambda: circuit)
    arrays = process.code(CodeRequest("arrays", "arrays"), lambda: circuit)
    expected = CompilerProcess(Source("nim.kif", NIM), CompileBudget())
    assert arrays == expected.code(CodeRequest("arrays", "arrays"), lambda: circuit)


def test_the_process_ends_with_its_game() -> None:
    process = CompilerProcess(Source("nim.kif", NIM), CompileBudget())
    process.circuit()
    assert "compiler_child" in str(descendants(os.getpid()))
    del process
    assert soon(lambda: "compiler_child" not in str(descendants(os.getpid())))


def test_mistakes_in_the_rules_are_told() -> None:
    with pytest.raises(gdl.RulesheetError, match="unsafe-variable"):
        gdl.compile("(role a) (<= (legal a ?x) (not (true ?x)))", cache=False, separate_process=True)


def test_what_fails_in_the_process_is_raised_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "clingo.py").write_text("raise ImportError('out of order')")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(GroundingError) as caught:
        CompilerProcess(Source("nim.kif", NIM), CompileBudget()).circuit()
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


@pytest.mark.slow
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


def test_two_processes_make_a_circuit_once(tmp_path: Path) -> None:
    """The second one waits, says so, and reads it from the cache."""
    source = Rulesheet(NIM).source
    cache = circuit_entries(tmp_path, source.text, CompileBudget().seconds)
    told: list[str] = []

    def leave(stage: str) -> None:
        told.append(stage)
        cache.write(CIRCUIT, dumped(make_circuit(Rulesheet(NIM), Watch())))
        other.__exit__(None, None, None)

    other = cache.making(0.0, lambda: None)
    other.__enter__()
    process = CompilerProcess(source, CompileBudget(), tmp_path, leave)
    assert process.circuit() == cache.read(CIRCUIT)
    assert told == ["waiting for another process that compiles this game"]


def test_a_process_that_is_ended_meanwhile() -> None:
    process = CompilerProcess(Rulesheet(NIM).source, CompileBudget(), progress=lambda _: process.end())
    with pytest.raises(MakingError):
        process.circuit()
    process.end()
