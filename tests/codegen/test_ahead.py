"""Modules with functions of Numba are imported, after another process has compiled what is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from gdl.codegen import ahead
from ggp.players import PLAYERS, functions_of

ROOT = Path(__file__).parents[2]

MODULE = """
from gdl.codegen.compiled_functions import compiled

@compiled
def twice(number: int) -> int:
    return 2 * number
"""

#: Compiles the function as long as there is no code in the cache, for a minute at most.
WAIT = """
import os, time
from pathlib import Path
from gdl.codegen.ahead import compiled_ahead
with compiled_ahead(["doubling"]):
    until = time.monotonic() + 60
    while time.monotonic() < until and not list(Path(os.environ["NUMBA_CACHE_DIR"]).rglob("*.nbc")):
        time.sleep(0.1)
"""

#: Prints the result, and the numbers of functions that were read from the cache and compiled in this process.
ASK = """
from gdl.codegen.ahead import import_ahead
twice = import_ahead("doubling").twice
print(twice(21), sum(twice.stats.cache_hits.values()), sum(twice.stats.cache_misses.values()))
"""


def asked(folder: Path, told: str = "", script: str = ASK) -> str:
    """The output of a process that imports the module; it says no more than `told` on standard error."""
    cache = folder / "cache"
    cache.mkdir(exist_ok=True)
    (folder / "doubling.py").write_text(MODULE)
    paths = os.pathsep.join((str(folder), str(ROOT)))
    settings = {"PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-W", "error", "-c", script]
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(told)
    assert done.stderr.count("\n") == bool(told)
    return done.stdout.strip()


@pytest.mark.slow
def test_missing_functions_are_compiled_by_another_process(tmp_path: Path) -> None:
    assert [asked(tmp_path) for _ in range(2)] == ["42 1 0"] * 2


@pytest.mark.slow
def test_without_a_usable_cache_functions_are_compiled_here(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)  # others can write to it
    assert asked(tmp_path, "gdl: a cache is not used").split()[:2] == ["42", "0"]


@pytest.mark.slow
def test_functions_are_compiled_as_long_as_a_context_is_not_left(tmp_path: Path) -> None:
    assert asked(tmp_path, script=WAIT) == ""
    code = [path for path in (tmp_path / "cache").rglob("*.nbc") if path.stat().st_size]
    assert len(code) == 1


def test_one_process_compiles_at_a_time(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    (tmp_path / "doubling.py").write_text("print('imported')")
    with Path(ahead.__file__).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        command = [sys.executable, "-m", "gdl.codegen.ahead", "doubling"]
        paths = os.pathsep.join((str(tmp_path), str(ROOT)))
        environment = {**os.environ, "PYTHONPATH": paths}
        pipe = subprocess.PIPE
        with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(1.0)
            fcntl.flock(file, fcntl.LOCK_UN)
            assert process.stdout is not None
            assert process.stdout.readline() == "true\n"
            assert process.wait(60.0) == 0
            assert process.stderr is not None
            assert process.stderr.read() == "imported\n"  # what a module prints is no message


def test_players_name_the_modules_of_their_functions() -> None:
    names = {name: functions_of(name) for name in PLAYERS}
    assert set(names["mcts"]) | set(names["alphabeta"]) | set(names["planner"]) == set(names["auto"])
    assert functions_of("mcts(simulations=10)") == names["mcts"] != ()
    assert functions_of("mine.py:Player") == names["random"] == ()
    assert all(find_spec(module) for module in names["auto"])
