"""Modules with functions of Numba are imported, after another process has compiled what is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

MODULE = """
from gdl.codegen.compiled_functions import compiled

@compiled("int64(int64)")
def twice(number):
    return 2 * number
"""

#: Prints the result, and the numbers of functions that were read from the cache and compiled in this process.
ASK = """
from gdl.codegen.ahead import import_ahead
twice = import_ahead("doubling").twice
print(twice(21), sum(twice.stats.cache_hits.values()), sum(twice.stats.cache_misses.values()))
"""


def asked(folder: Path, told: str = "") -> str:
    """The output of a process that imports the module; it says no more than `told` on standard error."""
    cache = folder / "cache"
    cache.mkdir(exist_ok=True)
    (folder / "doubling.py").write_text(MODULE)
    paths = os.pathsep.join((str(folder), str(ROOT)))
    settings = {"PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-W", "error", "-c", ASK]
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
