"""Compiled functions are read from Numba's cache while nothing they depend on has changed, and need no cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

#: A module whose compiled function takes a helper, a constant and a type from other modules.
USER = """
import numpy as np
from numba import types
from gdl.codegen.compiled_functions import compiled, part
import constants
from helper import (
    added,
)

@part
def twice(number):
    return 2 * number

@compiled
def result(number: int) -> int:
    return twice(added(number)) + constants.FACTOR
"""
HELPER = """
from gdl.codegen.compiled_functions import part
from deep import MORE

@part
def added(n):
    return n + MORE
"""
ASK = "import user; print(user.result(10), sum(user.result.stats.cache_hits.values()))"


class Sources:
    """Modules in a folder, with a folder for what is compiled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        self.cache.mkdir()
        self.write(user=USER, helper=HELPER, deep="MORE = 1\n", constants="FACTOR = 100\n")

    def write(self, **texts: str) -> None:
        for name, text in texts.items():
            # As long as before, and at the same time: only the text tells versions apart.
            path = self.folder / f"{name}.py"
            path.write_text(text, encoding="utf-8")
            os.utime(path, (1_000_000_000, 1_000_000_000))

    def asked(self, ask: str = ASK, *, told: str = "", **environment: str) -> str:
        """Return the output of a new process: the result, and the number of functions read from the cache.

        `told` is the line expected on standard error.
        """
        paths = os.pathsep.join((str(self.folder), str(ROOT)))
        settings = {"PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(self.cache), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-W", "error", "-c", ask]
        done = subprocess.run(
            command, env={**os.environ, **settings, **environment}, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, told)
        return done.stdout.strip()

    def kept(self, pattern: str) -> list[Path]:
        return sorted(self.cache.rglob(pattern))


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    return Sources(tmp_path)


@pytest.mark.slow
def test_a_compiled_function_is_read_from_the_cache(sources: Sources) -> None:
    assert [sources.asked() for _ in range(2)] == ["122 0", "122 1"]


@pytest.mark.parametrize(
    ("changed", "result"),
    [
        ({"helper": HELPER.replace("n + MORE", "n - MORE")}, "118 0"),
        ({"deep": "MORE = 2\n"}, "124 0"),
        ({"constants": "FACTOR = 200\n"}, "222 0"),
        ({"user": USER.replace("2 *", "3 *")}, "133 0"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
@pytest.mark.slow
def test_a_change_of_any_module_it_depends_on_is_seen(sources: Sources, changed: dict[str, str], result: str) -> None:
    sources.asked()
    sources.write(**changed)
    assert sources.asked() == result
    assert len(sources.kept("*.nbc")) == 1, "what was compiled from earlier sources is removed"


@pytest.mark.parametrize("length", [0, 100])
@pytest.mark.slow
def test_damaged_files_are_replaced(sources: Sources, length: int) -> None:
    sources.asked()
    for path in sources.kept("*.nbc"):
        path.write_bytes(path.read_bytes()[:length])
    told = f"gdl: ignored files of Numba in {path.parent} that are damaged or not from this user; they are made again\n"
    assert [sources.asked(told=told), sources.asked()] == ["122 0", "122 1"]


@pytest.mark.slow
def test_no_cache_folder_is_needed(sources: Sources) -> None:
    sources.cache.rmdir()
    for taken in (sources.cache, sources.folder / "__pycache__"):
        taken.write_text("not a folder", encoding="utf-8")
    nowhere = str(sources.cache / "below")
    for folder in (nowhere, ""):
        for _ in range(2):
            assert sources.asked(NUMBA_CACHE_DIR=folder, HOME=nowhere, XDG_CACHE_HOME=nowhere) == "122 0"


@pytest.mark.slow
def test_a_full_disk_is_no_hindrance(sources: Sources) -> None:
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))\n"
    ignore = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    assert sources.asked(ignore + full + ASK) == "122 0"
    assert [sources.asked() for _ in range(2)] == ["122 0", "122 1"]


def test_other_arguments_are_refused(sources: Sources) -> None:
    ask = "import user\ntry:\n    user.result('text')\nexcept TypeError as error:\n    print('refused')"
    assert sources.asked(ask) == "refused"
