"""The process that grounds: budgets, interrupts and faults."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import gdl
from gdl.compile_budget import CompileBudget
from gdl.grounder import child, ground
from gdl.language.rulesheet import Rulesheet

pytest.importorskip("clingo")

from support.grounded import ENDLESS, SHIPPED, SMALL, WIDE, children
from support.toy_files import ROOT

from gdl.reasoner import ticker

#: 8 million ground rules of an auxiliary relation.
WIDE_PART = (
    SMALL
    + "".join(f"(n {i}) (m {i} {i})" for i in range(200))
    + """(<= (next (at ?x)) (n ?x) (w ?a ?b ?c) (true (at ?a ?b ?c)) (not (true (at ?a))))
    (<= (w ?a ?b ?c) (n ?a) (n ?b) (n ?c)) (<= (w ?a ?a ?a) (m ?a ?a))"""
)


@pytest.fixture
def no_child_left() -> Iterator[None]:
    before, threads = children(), own_threads()
    yield
    assert children() == before
    assert own_threads() == threads


def own_threads() -> int:
    """The number of threads; the ticker of the Reasoner comes and goes."""
    return sum(thread.name != ticker.THREAD for thread in threading.enumerate())


def refused(text: str, budget: CompileBudget) -> gdl.GroundingError:
    with pytest.raises(gdl.GroundingError) as caught:
        ground(Rulesheet(text, "wide.kif"), budget)
    error = caught.value
    assert (error.code, error.file) == ("not-grounded", "wide.kif")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    return error


@pytest.mark.usefixtures("no_child_left")
def test_too_many_rules() -> None:
    error = refused(WIDE, CompileBudget(rules=20_000))
    assert error.budget == "rules"
    assert error.relations[0][0] == "next/1"
    assert error.relations[0][1] > 5_000
    assert str(error).startswith(
        "wide.kif: not-grounded: grounding needs more ground rules than allowed; most ground rules are for"
    )
    line = WIDE[: WIDE.index("(<= (next (at")].count("\n") + 1
    assert f"; the rule for next/1 at {line}:" in str(error)
    assert " relates up to 64,000,000 combinations of ?x, ?y, ?z, and 160,000 without ?x: write" in str(error)


@pytest.mark.usefixtures("no_child_left")
def test_the_relation_that_a_part_came_from_is_named() -> None:
    error = refused(WIDE_PART, CompileBudget(rules=50_000))
    assert {relation for relation, _ in error.relations} <= {"next/1", "w/3"}
    assert "needs" not in str(error).partition("grounding needs")[2]


@pytest.mark.usefixtures("no_child_left")
def test_too_many_seconds() -> None:
    error = refused(WIDE, CompileBudget(seconds=0.7))
    assert error.budget == "seconds"
    assert "more seconds than allowed" in str(error)


@pytest.mark.slow
@pytest.mark.usefixtures("no_child_left")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited on Linux only")
def test_too_much_memory() -> None:
    error = refused(WIDE, CompileBudget(memory=150 << 20))
    assert error.budget == "memory"
    assert error.relations[0][0] == "next/1"


@pytest.mark.usefixtures("no_child_left")
def test_a_file_that_grows_for_ever() -> None:
    error = refused(ENDLESS, CompileBudget(rules=1_000))
    assert {relation for relation, _ in error.relations} <= {"next/1", "true/1"}


@pytest.mark.usefixtures("no_child_left")
def test_output_is_buffered_where_python_should_not_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    blocks = list(child.run("p(1..3000).", "--output=text", CompileBudget()))
    assert sum(map(len, blocks)) == 3000
    assert len(blocks) < 20  # each token on its own would be some thousand


def test_progress_is_told_the_number_of_rules() -> None:
    told: list[int] = []
    ground(Rulesheet.load(SHIPPED[0]), progress=told.append)
    assert told == sorted(told)
    assert told[-1] > 100


@pytest.mark.usefixtures("no_child_left")
def test_an_exception_in_progress_ends_the_child() -> None:
    def progress(_count: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ground(Rulesheet(WIDE), progress=progress)


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_ends_the_child() -> None:
    # In a process of its own: an interrupt at an unlucky moment could hit what runs the tests instead.
    script = f"""
import sys
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "tests")!r}]
from support.grounded import ENDLESS, children
from gdl.compile_budget import CompileBudget
from gdl.grounder import ground
from gdl.language.rulesheet import Rulesheet
try:
    ground(Rulesheet(ENDLESS), CompileBudget(rules=10**9), lambda count: print(count, flush=True))
except KeyboardInterrupt:
    print("interrupted, left:", children())
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    # The interrupt may fall between a count and its end of line.
    assert process.communicate()[0].endswith("interrupted, left: set()\n")
    assert process.returncode == 0


# clingo


@pytest.mark.usefixtures("no_child_left")
def test_clingo_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "clingo.py").write_text("raise ImportError('No module named clingo')")
    monkeypatch.syspath_prepend(tmp_path)
    error = refused(SMALL, CompileBudget())
    assert error.budget is None
    assert "clingo cannot ground the rules" in str(error)
    assert "No module named clingo" in str(error)


@pytest.mark.usefixtures("no_child_left")
def test_there_is_no_such_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert "/nowhere/python" in str(refused(SMALL, CompileBudget()))


@pytest.mark.usefixtures("no_child_left")
def test_clingo_prints_an_error() -> None:
    with pytest.raises(child.ClingoFailed, match="error"):
        list(child.run("a :- .b", "--text", CompileBudget()))


@pytest.mark.usefixtures("no_child_left")
def test_a_long_program_does_not_block() -> None:
    """More than a pipe holds, in both directions."""
    text = "".join(f"a({i}).\n" for i in range(200_000))
    lines = sum(len(block) for block in child.run(text, "--text", CompileBudget()))
    assert lines == 200_000
