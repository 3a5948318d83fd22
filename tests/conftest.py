"""Set-up for all tests: Hypothesis profiles, and folders of their own in place of the user's."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest
from support.commands import Ggp, runner
from support.profiles import register_profiles

register_profiles()

_FOLDER = pytest.StashKey[Path]()

#: Modules whose functions Numba compiles when they are imported, which takes half a minute in a fresh copy.
_COMPILING: Final = (
    "ggp.players.mcts.subtree",
    "ggp.players.mcts.growth",
    "ggp.players.mcts.selection",
    "ggp.players.mcts.lane_loops",
    "ggp.players.ismcts.tree",
    "ggp.players.alphabeta.search",
    "ggp.players.alphabeta.self_play",
    "ggp.solver.search_loop",
    "ggp.solver.retrograde",
    "ggp.solver.planner.state_keys",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `.ci/run` try other thresholds each time, and everybody try these again."""
    parser.addoption("--thresholds", type=int, default=0, metavar="SEED", help="seed of the thresholds that are tried")


def pytest_configure(config: pytest.Config) -> None:
    """Keep compiled games and saved matches in a folder for this run.

    This happens before collection, because test modules may compile games when they are imported. Worker processes and
    the processes that tests start inherit the folder, so that each game is compiled once.
    """
    if hasattr(config, "workerinput"):
        _compile(int(config.workerinput["workerid"].removeprefix("gw")), config.workerinput["workercount"])
        return
    # Where bytecode is not kept, each of some hundred processes would spend half of its start on compiling modules.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    folder = config.stash[_FOLDER] = Path(tempfile.mkdtemp(prefix="ggp-tests-"))
    os.environ["GDL_CACHE"] = str(folder / "cache")
    os.environ["XDG_DATA_HOME"] = str(folder / "data")


def _compile(worker: int, workers: int) -> None:
    """Import modules that compile, each worker beginning elsewhere: what one has compiled, the others only read."""
    first = len(_COMPILING) * worker // workers
    for name in _COMPILING[first:] + _COMPILING[:first]:
        with suppress(ImportError):  # Numba does not exist for every machine; tests that need it are skipped
            import_module(name)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the folder."""
    if _FOLDER in config.stash:
        shutil.rmtree(config.stash[_FOLDER], ignore_errors=True)


@pytest.fixture
def ggp(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ggp:
    """Runs the command in this process."""
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return runner(capsys)
